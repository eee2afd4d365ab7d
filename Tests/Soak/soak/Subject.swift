// SPDX-License-Identifier: Apache-2.0

import ReachabilityHostResolution
import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityResolverFiles
import TestTopology

/// A target, in this package's form and in that of `ip route get`.
struct Subject: Sendable {
    enum Form: Sendable {
        case address
        case pair(local: String)
        case defaultPath
        case name
    }

    let text: String
    var form = Form.address
    var mark: UInt32?
    var user: UInt32?

    /// The addresses with which `ip` is asked for the default route of each family, as this package asks: the second where the
    /// first is refused. No route here covers the first alone.
    static let behindDefault = [["0.0.0.1", "198.41.0.4"], ["2000::", "2001:503:ba3e::2:30"]]

    var isName: Bool {
        if case .name = form { true } else { false }
    }

    func reference() throws(ReachabilityError) -> ReachabilityRef {
        var options = ReachabilityOptions()
        options.mark = mark
        options.userID = user
        options.resolutionTimeout = .seconds(30)
        return switch form {
        case .address: try ReachabilityRef(address: text, options: options)
        case .pair(let local): try ReachabilityRef(local: local, remote: text, options: options)
        case .defaultPath: try .defaultPath(options: options)
        case .name: try ReachabilityRef(hostname: text, options: options)
        }
    }

    /// All questions that are needed to know the right answer.
    func questions(_ names: [String: [String]]) -> [Oracle.Question] {
        switch form {
        case .address: [question]
        case .pair(let local): [local, question]
        case .defaultPath: Self.behindDefault.flatMap(\.self)
        case .name: names[text] ?? []
        }
    }

    /// The right answers. There are several if addresses of a name are equally good.
    func expected(_ oracle: Oracle, _ names: [String: [String]]) -> Set<ReachabilityFlags> {
        switch form {
        case .address: [oracle.flags(question)]
        case .pair(let local): [oracle.flags(local).contains(.isLocalAddress) ? oracle.flags(question) : []]
        case .defaultPath: [oracle.defaultPath()]
        case .name: oracle.best(of: names[text] ?? [])
        }
    }

    /// Whether a socket can be connected in the calling thread's namespace; nil if that says nothing about the target.
    func connects() -> Bool? {
        switch form {
        case .address: ConnectedSocket(to: text, mark: mark ?? 0, user: user ?? 0).refusal() == nil
        case .pair(let local): ConnectedSocket(to: text, from: local).refusal() == nil
        // No socket can be connected to 0.0.0.1, and a name may have several addresses.
        case .defaultPath, .name: nil
        }
    }

    /// Whether only the state of the link keeps packets from it. Connecting a socket does not show that.
    func isCutOff(_ oracle: Oracle) -> Bool { oracle.hasBrokenLink(question) }

    private var question: String {
        var words = text
        if case .pair(let local) = form { words += " from \(local)" }
        if let mark { words += " mark \(mark)" }
        if let user { words += " uid \(user)" }
        return words
    }
}

extension Subject {
    /// Hosts inside and outside of every prefix for which the soak makes routes, with every key, and names.
    static let all: [Subject] = {
        var all = farHosts.map { Subject(text: $0) }
        all += farHosts.prefix(4).map { Subject(text: $0, mark: 5) }
        all += [Subject(text: "192.0.2.1", user: 1000), Subject(text: "2001:db8:7::1", mark: 5)]
        all += ["10.0.0.1", "10.1.0.1"].map { Subject(text: "192.0.2.1", form: .pair(local: $0)) }
        all.append(Subject(text: "default", form: .defaultPath))
        all += names.map { Subject(text: $0, form: .name) }
        return all
    }()

    private static let farHosts = [
        "192.0.2.1", "192.0.2.20", "192.0.2.200", "198.51.100.7", "203.0.113.1", "10.0.0.1", "10.0.0.7", "10.1.0.7",
        "10.2.0.7", "10.9.0.2", "127.0.0.1", "255.255.255.255", "2001:db8:7::1", "2001:db8:7:1::1", "2001:db8:8::1",
        "2001:db8::1", "2001:db8::7", "::1",
    ]

    static let names = ["one.test", "two.test", "three.test", "listed.test"]
    /// The addresses that names may have.
    static let nameAddresses = ["192.0.2.1", "192.0.2.20", "198.51.100.7", "10.1.0.7", "2001:db8:7::1", "2001:db8::7"]
}
