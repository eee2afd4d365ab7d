// SPDX-License-Identifier: Apache-2.0

import Network
import ReachabilityKit
import TestTopology

/// One kind of link, and the changes it goes through. Only values. The expectations follow the rules in
/// `Docs/Behaviour.md`, not earlier observations.
struct Row: Sendable {
    let name: String
    /// The target whose callbacks are recorded; by default an address that only the default route covers.
    var watched: Question = "192.0.2.1"
    /// Shell commands that run before watching begins.
    var given = ""
    let steps: [Step]
}

/// A change, and everything expected from it.
struct Step: Sendable {
    let title: String
    /// Shell commands. None may fail.
    let commands: String
    /// The flags of the callbacks, in order. The last of them, or of an earlier step if there are none, are also the
    /// answer afterwards.
    let calls: [ReachabilityFlags]
    /// The path that `NWPathMonitor` tells in the end.
    let path: Way
    /// What else is asked afterwards.
    let answers: [Question: ReachabilityFlags]
    /// The Wi-Fi networks that interfaces are in afterwards, each as name and access point; "" for none.
    let wireless: [String: String]
    /// Whether packets leave by another link than before the step, even if its name is the same.
    let isAnotherLink: Bool
    /// Whether those who watch the path are told another identity. Nil where it does not matter.
    let isAnotherIdentity: Bool?
    /// Other callbacks that are as good. Kernels before 6.8 let a link's state follow its carrier up to a second late, and
    /// no kernel announces states that end before it gets to announcing them.
    let alternative: [ReachabilityFlags]?

    init(
        _ title: String, _ commands: String, calls: [ReachabilityFlags], path: Way = .none,
        answers: [Question: ReachabilityFlags] = [:], wireless: [String: String] = [:], isAnotherLink: Bool = false,
        isAnotherIdentity: Bool? = nil, alternative: [ReachabilityFlags]? = nil
    ) {
        self.title = title
        self.commands = commands
        self.calls = calls
        self.path = path
        self.answers = answers
        self.wireless = wireless
        self.isAnotherLink = isAnotherLink
        self.isAnotherIdentity = isAnotherIdentity
        self.alternative = alternative
    }
}

extension Step {
    /// Whether these callbacks are as expected.
    func allows(_ calls: [ReachabilityFlags]) -> Bool {
        calls == self.calls || calls == alternative
    }
}

/// A target, such as "192.0.2.1", "default", or "192.0.2.1 by vrf0", which is bound to an interface. With "192.0.2.1 in
/// vrf0", the question is asked by a program that `ip vrf exec` runs, and that binds nothing itself.
struct Question: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    let description: String

    init(stringLiteral text: String) { description = text }

    func reference() throws -> ReachabilityRef {
        let words = description.split(separator: " ").map(String.init)
        var options = ReachabilityOptions()
        if words.count == 3, words[1] == "by" { options.interface = words[2] }
        return try ReachabilityRef(text: TargetText(words[0]), options: options)
    }

    /// The present answer of this process, or of a program in the VRF.
    func flags() throws -> ReachabilityFlags {
        let words = description.split(separator: " ").map(String.init)
        guard words.count == 3, words[1] == "in" else { return try reference().getFlags() }
        let said = try CallingThread.execute(["ip", "vrf", "exec", words[2], "lab-rows", "--flags", words[0]])
        guard let number = UInt32(said.filter { $0 != "\n" }) else { throw Failure("\(self): lab-rows said \(said)") }
        return ReachabilityFlags(rawValue: number)
    }
}

/// The part of an `NWPath` that rows compare: its status, and the kind of its interface.
enum Way: Hashable, Sendable, CustomStringConvertible {
    case none
    case out(NWInterface.InterfaceType, String)
    /// The link waits for a dial or a login.
    case dormant(NWInterface.InterfaceType, String)

    static func wired(_ name: String) -> Way { .out(.wiredEthernet, name) }
    static func wifi(_ name: String) -> Way { .out(.wifi, name) }
    static func cellular(_ name: String) -> Way { .out(.cellular, name) }
    static func other(_ name: String) -> Way { .out(.other, name) }

    init(_ path: NWPath) {
        let first = path.availableInterfaces.first
        switch (path.status, first) {
        case (.satisfied, let first?): self = .out(first.type, first.name)
        case (.requiresConnection, let first?): self = .dormant(first.type, first.name)
        default: self = .none
        }
    }

    var isCellular: Bool {
        switch self {
        case .none: false
        case .out(let type, _), .dormant(let type, _): type == .cellular
        }
    }

    var description: String {
        switch self {
        case .none: "no way out"
        case .out(let type, let name): "\(type) \(name)"
        case .dormant(let type, let name): "\(type) \(name), dormant"
        }
    }
}

extension ReachabilityFlags {
    static let direct: Self = [.reachable, .isDirect]
    static let own: Self = [.reachable, .isLocalAddress, .isDirect]
    /// A path over PPP or a tunnel.
    static let transient: Self = [.reachable, .transientConnection]
    static let cellular: Self = [.reachable, .transientConnection, .isWWAN]
    /// A path over a broadcast link that waits for a login.
    static let afterLogin: Self = [.reachable, .connectionRequired]
    /// A path over a modem that waits for traffic.
    static let cellularAfterDial: Self = [cellular, .connectionRequired, .connectionOnTraffic]
}
