// SPDX-License-Identifier: Apache-2.0

import ReachabilityHostResolution
import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityNetlink
import ReachabilityResolverFiles
import SystemConfigurationCore

/// `scutil --nwi` and `scutil -W --nwi` (nwi.c, configd-1405).
struct NetworkInformationCommand {
    /// The only interface to print; nil for all.
    let interface: String?

    /// Takes the name of an interface, or `-a` for all, as Apple's tool does.
    init(words: [String]) {
        interface = words.first == "-a" ? nil : words.first
    }

    func print() throws(ReachabilityError) -> Int32 {
        let text = NetworkInformationText(try PathSource().current(), only: interface)
        Output.line(text.text)
        return text.hasState ? 0 : 1
    }

    /// Prints the present state, and then each change, until the program is ended.
    func watch() throws(ReachabilityError) -> Int32 {
        let source = PathSource()
        let printer = PathPrinter(interface: interface)
        let subscription = try source.observe(refused: { Output.complaint("scutil: \($0)") }) { printer.print($0) }
        // The subscription reports no errors of looks, so an error is found here.
        _ = try source.current()
        let failure = try WatchFailure(source)
        // The paths are printed on the engine's thread. This thread only waits.
        withExtendedLifetime((subscription, failure)) { CallbackQueue().run() }
        return 0
    }
}

/// Ends the program with an error if nothing is watched any more: a filter of system calls may refuse to let the engine wait.
final class WatchFailure: Sendable {
    private let engine: EngineAccess

    init(_ source: PathSource) throws(ReachabilityError) {
        engine = try source.engine()
        let isTaken = engine.loop.enqueue { [loop = engine.loop] in
            loop.whenEnded { if let error = $0 { Self.end(error) } }
        }
        if !isTaken, let error = engine.loop.failure { Self.end(error) }
    }

    @Sendable private static func end(_ error: Errno) {
        Output.complaint("scutil: \(ReachabilityError.kernel("watch", "", error))")
        exit(1)
    }
}

/// Prints paths. Called on the engine's thread only.
private final class PathPrinter: @unchecked Sendable {
    private let interface: String?
    private var last: NetworkInformationText?

    init(interface: String?) {
        self.interface = interface
    }

    func print(_ path: NetworkPath) {
        let text = NetworkInformationText(path, only: interface)
        guard text != last else { return }
        Output.line((last == nil ? "" : "\n*** \(TimeOfDay.now)\n\n") + text.text)
        last = text
    }
}

/// What `scutil --nwi` prints, in Apple's layout (configd-1405, nwi/network_state_information_logging.h).
struct NetworkInformationText: Hashable, Sendable {
    /// The lines, without a newline at the end.
    let text: String
    /// False if no interface leads out. `scutil` then exits with 1.
    let hasState: Bool

    /// - Parameter only: the one interface to describe; nil for all.
    init(_ path: NetworkPath, only: String? = nil) {
        let interfaces = path.interfaces.filter {
            $0.leadsOut && (only == nil || InterfaceName($0.name) == only.flatMap(InterfaceName.init))
        }
        guard !interfaces.isEmpty else {
            (text, hasState) = ("No network information", false)
            return
        }
        var lines = ["Network information"]
        for family in AddressFamily.allCases {
            lines += ["", "IPv\(family.digit) network interface information"]
            let mine = interfaces.filter { $0.wayOut(family) != nil }
            for interface in mine { lines += Self.lines(for: interface, family, path) }
            // Apple's program ends this line with two newlines.
            if mine.isEmpty { lines += ["   No IPv\(family.digit) states found", ""] }
            lines += ["", "   REACH : flags \(Self.words(path.defaultRoute(family)?.flags ?? []))"]
        }
        lines += ["", "Network interfaces: " + interfaces.map(\.name).joined(separator: " ")]
        (text, hasState) = (lines.map(\.printable).joined(separator: "\n"), true)
    }

    private static func lines(
        for interface: NetworkPath.Interface, _ family: AddressFamily, _ path: NetworkPath
    ) -> [String] {
        var flags: [(bit: UInt32, word: String)] = []
        if interface.ipv4 != nil { flags.append((0x1, "IPv4")) }
        if interface.ipv6 != nil { flags.append((0x2, "IPv6")) }
        // The servers in resolv.conf belong to no interface in particular.
        if !path.servers.isEmpty { flags.append((0x4, "DNS")) }
        let number = flags.reduce(0) { $0 | $1.bit }
        let name = interface.name.padded(to: 7, with: " ")
        var lines = [
            "\(name) : flags      : 0x\(String(number, radix: 16)) (\(flags.map(\.word).joined(separator: ",")))"
        ]
        let mine = interface.ownAddresses.filter { $0.address.family == family }
        if let address = mine.first(where: \.reachesBeyondLink) ?? mine.first {
            lines.append("           address    : \(address.address)")
        }
        lines.append("           reach      : \(words(interface.wayOut(family)?.flags ?? []))")
        return lines
    }

    private static func words(_ flags: ReachabilityFlags) -> String {
        "\(flags.hexadecimal) (\(flags))"
    }
}

extension AddressFamily {
    fileprivate var digit: String { self == .v4 ? "4" : "6" }
}
