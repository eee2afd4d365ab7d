// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem

/// The parsed command line (scutil.c l.525, configd-1405).
enum Request: Equatable {
    case reachability(words: [String], Switches)
    /// `--nwi`, with the words after it.
    case networkInformation(words: [String], Switches)
    /// No command: lines of standard input ask the dynamic store.
    case store
    /// `--get`, with the name of a name.
    case name(String)
    case proxies
    case nameServers
    /// A command of Apple's program that is not offered.
    case notOffered(String)
    /// What is wrong.
    case refuse(String)
    case help

    struct Switches: Equatable {
        /// `-d`: print the flags as a number too.
        var isDebugging = false
        /// `-W`
        var isWatching = false
        /// `-D`: schedule on a dispatch queue instead of the run loop.
        var usesQueue = false
    }

    /// Reads the options, which stand before the arguments in any order, as BSD's getopt_long(3) does.
    static func parse(_ words: [String]) -> Request {
        var switches = Switches()
        var kinds: [Kind] = []
        // What follows `--get`.
        var argument: String?
        var rest = words[...]
        while let word = rest.first, word.hasPrefix("-"), word != "-", word != "-a" {
            rest.removeFirst()
            if word == "--" { break }
            switch word {
            case "--help", "-h": return .help
            case "--nwi": kinds.append(.networkInformation)
            case "--dns": kinds.append(.nameServers)
            case "--proxy": kinds.append(.proxies)
            case "--get":
                kinds.append(.name)
                argument = rest.popFirst()
            default:
                let name = String(word.prefix { $0 != "=" })
                if otherCommands.contains(name) { return .notOffered(name) }
                if word.hasPrefix("--") { return .refuse("there is no option '\(name)'") }
                // Several letters may follow one dash.
                for letter in word.dropFirst() {
                    switch letter {
                    case "d": switches.isDebugging = true
                    case "v": break
                    case "W": switches.isWatching = true
                    case "D": switches.usesQueue = true
                    case "r": kinds.append(.reachability)
                    case "p", "t", "w": return .notOffered("-\(letter)")
                    default: return .refuse("there is no option '-\(letter)'")
                    }
                }
            }
        }
        if switches.isWatching, kinds.allSatisfy({ $0 != .reachability && $0 != .networkInformation }) {
            return .refuse("-W needs -r and a host, or --nwi")
        }
        let surplus = rest.joined(separator: " ")
        switch kinds {
        case [] where rest.isEmpty: return .store
        case []:
            return .refuse("'\(surplus)' needs a command before it, such as -r for a host or --nwi for an interface")
        case [.reachability]:
            guard let first = rest.first, !first.isEmpty else { return .refuse("-r needs a name or an address") }
            return .reachability(words: Array(rest), switches)
        case [.networkInformation]:
            guard rest.count <= 1 else { return .refuse("--nwi takes one interface, and not '\(surplus)'") }
            return .networkInformation(words: Array(rest), switches)
        case [.name]:
            guard let argument, SettingsCommands.names.contains(argument) else {
                let names = SettingsCommands.names.joined(separator: ", ")
                return .refuse("--get needs one of \(names)" + (argument.map { ", and not '\($0)'" } ?? ""))
            }
            return rest.isEmpty ? .name(argument) : .refuse("leave out '\(surplus)' behind --get \(argument)")
        case [.proxies] where rest.isEmpty: return .proxies
        case [.nameServers] where rest.isEmpty: return .nameServers
        case [.proxies], [.nameServers]: return .refuse("leave out '\(surplus)'")
        default: return .refuse("give one command only")
        }
    }

    private enum Kind {
        case reachability, networkInformation, nameServers, proxies, name
    }

    private static let otherCommands: Set<String> = [
        "--allow-new-interfaces", "--error", "--nc", "--net", "--prefs", "--renew", "--set", "--snapshot",
        "--configuration", "--advisory", "--rank",
    ]
}

/// The target of `-r` and its options, parsed as in tests.c (l.71, configd-1405).
struct TargetWords: Equatable {
    enum Target: Equatable {
        case name(String)
        case addresses(local: IPAddress?, remote: IPAddress)
    }

    /// An error, which ends the program with status 1.
    struct Complaint: Error, Equatable {
        let text: String
    }

    var target: Target
    var interface: String?
    var isUnresolved = false
    /// Whether `ptr` was given. Such targets are not offered on Linux.
    var isReverse = false
    private var hasOptions = false

    init(_ words: [String]) throws(Complaint) {
        var rest = words[...]
        let first = rest.popFirst() ?? ""
        guard let address = Address(first) else {
            target = .name(first)
            try readOptions(rest)
            return
        }
        interface = address.interface
        target = .addresses(local: nil, remote: address.address)
        if let word = rest.first, !word.isEmpty, let second = Address(word),
            second.address.family == address.address.family
        {
            rest.removeFirst()
            target = .addresses(local: address.address, remote: second.address)
            if let one = interface, let other = second.interface, one != other {
                throw Complaint(text: "Interface mismatch \"\(one)\" != \"\(other)\"")
            }
            interface = interface ?? second.interface
        }
        try readOptions(rest)
    }

    private mutating func readOptions(_ words: ArraySlice<String>) throws(Complaint) {
        var rest = words
        while let word = rest.popFirst() {
            switch word.lowercased() {
            case "": continue
            case "interface":
                guard let name = rest.popFirst(), !name.isEmpty else { throw Complaint(text: "No interface") }
                guard (try? Interfaces.index(of: name)) != nil else { throw Complaint(text: "No interface: \(name)") }
                interface = name
            case "no-connection-on-demand": break
            case "no-resolve": isUnresolved = true
            case "ptr":
                guard case .addresses = target else { throw Complaint(text: "No address") }
                isReverse = true
            default: throw Complaint(text: "Unrecognized option: \(word)")
            }
            hasOptions = true
        }
    }

    /// What callbacks print about how the target was made.
    var kind: String {
        let kind: String
        switch target {
        case .name: kind = "by name"
        case .addresses(let local, let remote):
            kind = "by \(remote.family == .v6 ? "(v6) " : "")address\(local == nil ? "" : " pair")"
        }
        var scope: [String] = []
        if interface != nil, case .addresses(_, let remote) = target, remote.family == .v4 { scope.append("scope") }
        if hasOptions { scope.append("options") }
        return scope.isEmpty ? kind : "\(kind) w/\(scope.joined(separator: " and "))"
    }
}

/// An address, and the interface after `%`.
private struct Address {
    let address: IPAddress
    /// Only for an IPv4 address: the interface that packets are bound to. For IPv6 it is the address's scope.
    let interface: String?

    init?(_ word: String) {
        let parts = word.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let zone = parts.count == 2 ? parts[1] : nil
        // As inet_aton(3) reads addresses: `scutil -r 1` is about 0.0.0.1.
        if let address = IPv4Address(lenient: parts[0], ignoringRest: zone == nil) {
            self.address = .v4(address)
            interface = zone
        } else if let address = IPv6Address(parts[0]) {
            self.address = .v6(
                address, scope: zone.flatMap { try? Interfaces.index(of: $0) }.flatMap(Scope.init(number:)))
            interface = nil
        } else {
            return nil
        }
    }
}
