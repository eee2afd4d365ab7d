// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import NetworkFacts

/// What the command line asks for (scutil.c l.525, configd-1405).
enum Request: Equatable {
    case reachability(words: [String], Switches)
    /// `--nwi`, with the words behind it.
    case networkInformation(words: [String], Switches)
    case usage

    struct Switches: Equatable {
        /// `-d`: the flags also as a number.
        var isDebugging = false
        /// `-W`
        var isWatching = false
        /// `-D`: on a dispatch queue instead of the run loop.
        var usesQueue = false
    }

    /// Reads the options, which come in any order before the arguments, as BSD's getopt_long(3) does.
    init(_ words: [String]) {
        var switches = Switches()
        var kinds: [Kind] = []
        var rest = words[...]
        while let word = rest.first, word.hasPrefix("-"), word != "-", word != "-a" {
            rest.removeFirst()
            if word == "--" { break }
            if word == "--nwi" {
                kinds.append(.networkInformation)
            } else if word.hasPrefix("--") || !Self.read(word.dropFirst(), &switches, &kinds) {
                self = .usage
                return
            }
        }
        switch kinds {
        case [.reachability] where !rest.isEmpty: self = .reachability(words: Array(rest), switches)
        case [.networkInformation]: self = .networkInformation(words: Array(rest), switches)
        default: self = .usage
        }
    }

    private enum Kind {
        case reachability, networkInformation
    }

    /// Reads letters that stand together. False for a letter that is none of ours.
    private static func read(_ letters: Substring, _ switches: inout Switches, _ kinds: inout [Kind]) -> Bool {
        for letter in letters {
            switch letter {
            case "d": switches.isDebugging = true
            case "v": break
            case "W": switches.isWatching = true
            case "D": switches.usesQueue = true
            case "r": kinds.append(.reachability)
            default: return false
            }
        }
        return true
    }
}

/// What is to be reached, as tests.c (l.71, configd-1405) understands the words behind `-r`.
struct TargetWords: Equatable {
    enum Target: Equatable {
        case name(String)
        case addresses(local: IPAddress?, remote: IPAddress)
    }

    /// A complaint on standard error, which ends the program with status 1.
    struct Complaint: Error, Equatable {
        let text: String
    }

    var target: Target
    var interface: String?
    var isUnresolved = false
    /// `ptr` was asked for. There is no such target on Linux.
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
                guard Interfaces.index(of: name) != nil else { throw Complaint(text: "No interface: \(name)") }
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

    /// How the callback names the way the target was made.
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

/// An address with the interface that stood behind `%`.
private struct Address {
    let address: IPAddress
    /// Of an IPv4 address, which is then looked at from there. An IPv6 address has it as its scope.
    let interface: String?

    init?(_ word: String) {
        let parts = word.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let zone = parts.count == 2 ? parts[1] : nil
        // inet_aton(3), so that `scutil -r 1` asks about 0.0.0.1.
        if let address = IPv4Address(lenient: parts[0], ignoringRest: zone == nil) {
            self.address = .v4(address)
            interface = zone
        } else if let address = IPv6Address(parts[0]) {
            self.address = .v6(address, scope: zone.flatMap(Interfaces.index).flatMap(InterfaceIndex.init))
            interface = nil
        } else {
            return nil
        }
    }
}
