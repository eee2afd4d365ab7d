// SPDX-License-Identifier: Apache-2.0

import ReachabilityCommandLine
import ReachabilityHostResolution
import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityResolverFiles
import SystemConfigurationCore

/// Results go to standard output, complaints to standard error.
enum Output {
    /// Prints a line at once, also to a pipe. The program ends if the reader is gone.
    static func line(_ text: String) {
        do throws(Errno) {
            try StandardStream.output.write(text + "\n")
        } catch {
            exit(1)
        }
    }

    /// Prints a value of the dynamic store. Each line is escaped by itself: values may contain control characters.
    static func value(_ value: PropertyValue) {
        for line in value.description.split(separator: "\n", omittingEmptySubsequences: false) {
            self.line(String(line).printable)
        }
    }

    /// Prints an error on one line. Control characters, which may come from an argument, are escaped.
    static func complaint(_ line: String) {
        // A failure to print an error cannot be reported.
        try? StandardStream.error.write(line.printable + "\n")
    }

    static func printUsage() {
        try? StandardStream.error.write(usage + "\n")
    }

    static let help =
        usage + """


            Offered are these commands of Apple's scutil, with its words and its layout. Not offered are -p,
            -w, --allow-new-interfaces, --error, --nc, --prefs, --renew, --set and --snapshot, and no other lines of
            standard input. `reachability` tells more about a target, and `reachability path` about the network.
            """

    private static let usage = """
        usage: scutil
        	Reads from standard input: show KEY, list [PATTERN], quit.
           or: scutil [-d] [-D] [-W] -r nodename
           or: scutil [-d] [-D] [-W] -r address[%interface]
           or: scutil [-d] [-D] [-W] -r local-address remote-address
        	Prints whether a name, an address, or a pair of addresses can be reached. -W prints changes too.
        	After the target: interface NAME, no-connection-on-demand, no-resolve.
           or: scutil [-W] --nwi [interface | -a]
        	Prints the interfaces that packets can leave by. -W prints changes too.
           or: scutil --get ComputerName | LocalHostName | HostName
        	Prints a name of this machine.
           or: scutil --dns
        	Prints the name servers.
           or: scutil --proxy
        	Prints the proxies of the environment.
        """
}

/// The local time, as Apple's tool prints it.
enum TimeOfDay {
    /// `%2d:%02d:%02d.%03d`
    static var now: String {
        let now = WallTime.now
        // A clock that was never set may be before 1970 here.
        let second = ((Int(now.seconds) + now.secondsAheadOfUTC) % 86_400 + 86_400) % 86_400
        return "\(second / 3600)".padded(to: 2, with: " ") + ":" + "\(second / 60 % 60)".padded(to: 2) + ":"
            + "\(second % 60)".padded(to: 2) + "." + "\(now.nanoseconds / 1_000_000)".padded(to: 3)
    }
}

/// A target as `scutil -W` prints it (SCNetworkReachability.c l.194, configd-1405).
struct Description: CustomStringConvertible {
    let target: LegacyTarget
    let words: TargetWords

    var description: String {
        let address = String(UInt(bitPattern: ObjectIdentifier(target)), radix: 16)
        let bypass = words.isUnresolved ? ", !resolve" : ""
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
        if let name = words.interface, let index = try? Interfaces.index(of: name) { text += ", if_index = \(index)" }
        return text
    }

    private var resolution: String {
        guard case .name(let host) = target.reference.subject, target.isScheduled else { return "" }
        guard let known = host.resolver.known(host.query) else { return " (DNS query active)" }
        let addresses = known.addresses.map(Self.text)
        let list = addresses.isEmpty ? ["no addresses"] : addresses
        return " (" + ([known.isComplete ? "complete" : "in progress"] + list).joined(separator: ", ") + ")"
    }

    private var flags: String {
        guard target.isScheduled, let verdict = try? target.reference.currentVerdict() else { return "" }
        return ", flags = \(verdict.flags.hexadecimal), if_index = \(verdict.interface?.rawValue ?? 0)"
    }

    private static func text(_ address: IPAddress) -> String {
        guard case .index(let index)? = address.scope else { return address.description }
        return "\(address.unscoped)%\((try? Interfaces.name(of: index.rawValue)) ?? "\(index.rawValue)")"
    }
}
