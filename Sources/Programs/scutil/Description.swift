// SPDX-License-Identifier: Apache-2.0

import HostResolution
import LinuxSystem
import ReachabilityKit
import SystemConfigurationCore

/// A target as `scutil -W` prints it (SCNetworkReachability.c l.194, configd-1405).
struct Description: CustomStringConvertible {
    let target: LegacyTarget
    let words: TargetWords

    var description: String {
        let address = String(UInt(bitPattern: ObjectIdentifier(target)), radix: 16)
        return "<SCNetworkReachability 0x\(address) [0x0]> {\(subject)\(resolution)\(bypass)\(flags)}".printable
    }

    private var subject: String {
        var text: String
        switch words.target {
        case .name(let name): text = "name = \(name)"
        case .addresses(nil, let remote):
            text = remote.isUnspecified ? "default path" : "address = \(Self.text(remote))"
        case .addresses(let local?, let remote):
            text = "local address = \(Self.text(local)), remote address = \(Self.text(remote))"
        }
        if let index = words.interface.flatMap(Interfaces.index) { text += ", if_index = \(index)" }
        return text
    }

    private var resolution: String {
        guard case .name(let host) = target.reference.target, target.isScheduled else { return "" }
        guard let known = host.resolver.known(host.name) else { return " (DNS query active)" }
        let addresses = known.addresses.map(Self.text)
        let list = addresses.isEmpty ? ["no addresses"] : addresses
        return " (" + ([known.isComplete ? "complete" : "in progress"] + list).joined(separator: ", ") + ")"
    }

    private var bypass: String { words.isUnresolved ? ", !resolve" : "" }

    private var flags: String {
        guard target.isScheduled, let verdict = try? target.reference.currentVerdict() else { return "" }
        return ", flags = \(Hexadecimal(verdict.flags.rawValue)), if_index = \(verdict.interface?.rawValue ?? 0)"
    }

    private static func text(_ address: IPAddress) -> String {
        guard let scope = address.scope else { return address.description }
        guard case .index(let index) = scope else { return address.description }
        return "\(address.unscoped)%\(Interfaces.name(of: index.rawValue) ?? "\(index.rawValue)")"
    }
}

/// A number as `0x%08x` prints it.
struct Hexadecimal: CustomStringConvertible {
    let description: String

    init(_ number: UInt32) {
        let digits = String(number, radix: 16)
        description = "0x" + String(repeating: "0", count: 8 - digits.count) + digits
    }
}
