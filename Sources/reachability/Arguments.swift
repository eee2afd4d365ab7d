// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit

/// The command line, understood.
struct Arguments: Equatable {
    enum Verb: String, CaseIterable {
        case check
    }

    var verb = Verb.check
    var isJSON = false
    var isExplaining = false
    var timeout: Duration?
    var options = ReachabilityOptions()
    var targets: [String] = []
}

/// What the words of the command line ask for.
enum Request: Equatable {
    case run(Arguments)
    case help(Arguments.Verb?)
    case version
    /// Everything that is wrong, a sentence each.
    case refuse([String])
}

/// Reads the command line. Pure: nothing is looked up, so that a test needs no system.
struct ArgumentParser {
    private var words: ArraySlice<String>
    private var arguments = Arguments()
    private var complaints: [String] = []

    static func parse(_ words: [String]) -> Request {
        var parser = ArgumentParser(words: words[...])
        return parser.request()
    }

    private init(words: ArraySlice<String>) {
        self.words = words
    }

    private mutating func request() -> Request {
        if let verb = words.first.flatMap(Arguments.Verb.init) {
            arguments.verb = verb
            words.removeFirst()
        }
        var onlyTargets = false
        while let word = words.popFirst() {
            if onlyTargets || !word.hasPrefix("-") || word == "-" {
                arguments.targets.append(word)
            } else if word == "--" {
                onlyTargets = true
            } else if word == "--help" || word == "-h" {
                return .help(arguments.verb)
            } else if word == "--version" {
                return .version
            } else {
                readOption(word)
            }
        }
        checkWhole()
        return complaints.isEmpty ? .run(arguments) : .refuse(complaints)
    }

    private mutating func readOption(_ word: String) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let (name, attached) = (parts[0], parts.count == 2 ? parts[1] : nil)
        switch name {
        case "--json": setFlag(name, attached) { $0.isJSON = true }
        case "--explain": setFlag(name, attached) { $0.isExplaining = true }
        default:
            guard let option = ValueOption(rawValue: name) else {
                complaints.append("unknown option '\(name)'; `reachability --help` lists them all")
                return
            }
            guard let value = attached ?? words.popFirst() else {
                complaints.append("\(name) needs a value: \(option.expectation)")
                return
            }
            if !option.apply(value, to: &arguments) {
                complaints.append("\(name) '\(value)': pass \(option.expectation)")
            }
        }
    }

    private mutating func setFlag(_ name: String, _ value: String?, _ set: (inout Arguments) -> Void) {
        if value != nil { complaints.append("\(name) takes no value") }
        set(&arguments)
    }

    private mutating func checkWhole() {
        if arguments.targets.isEmpty {
            complaints.append("no target given; pass a name, an address, LOCAL,REMOTE or 'default'")
        }
        if arguments.isJSON, arguments.isExplaining {
            complaints.append("--json and --explain exclude each other; the JSON carries the reason already")
        }
        for target in arguments.targets {
            do throws(ReachabilityError) {
                _ = try TargetText(target)
            } catch {
                complaints.append(error.description)
            }
        }
    }
}

/// An option that takes a value: how it is written, what it expects, and what it does.
enum ValueOption: String, CaseIterable {
    case interface = "--interface"
    case source = "--source"
    case mark = "--mark"
    case userID = "--uid"
    case namespace = "--netns"
    case timeout = "--timeout"

    var expectation: String {
        switch self {
        case .interface: "the name of an interface, such as eth0"
        case .source: "an address of this machine, such as 192.0.2.1"
        case .mark: "a firewall mark, such as 42 or 0x2a"
        case .userID: "the number of a user, such as 1000"
        case .namespace: "the name of a network namespace, or the path of its file"
        case .timeout: "a number of seconds, such as 2.5"
        }
    }

    /// False where the value is none of what is expected.
    func apply(_ value: String, to arguments: inout Arguments) -> Bool {
        guard !value.isEmpty else { return false }
        switch self {
        case .interface:
            arguments.options.interface = value
        case .source:
            guard AddressText(value) != nil else { return false }
            arguments.options.sourceAddress = value
        case .mark:
            guard let number = Self.number(value) else { return false }
            arguments.options.mark = number
        case .userID:
            guard let number = UInt32(value) else { return false }
            arguments.options.userID = number
        case .namespace:
            arguments.options.networkNamespace = value.contains("/") ? .path(value) : .name(value)
        case .timeout:
            guard let duration = Self.seconds(value) else { return false }
            arguments.timeout = duration
        }
        return true
    }

    private static func number(_ text: String) -> UInt32? {
        text.lowercased().hasPrefix("0x") ? UInt32(text.dropFirst(2), radix: 16) : UInt32(text)
    }

    /// Decimal seconds. Kept to what a person may mean: no exponents, no names for infinity, at most a year.
    private static func seconds(_ text: String) -> Duration? {
        guard text.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }), let value = Double(text),
            value <= 366 * 86_400
        else { return nil }
        return .milliseconds(Int64((value * 1000).rounded(.up)))
    }
}
