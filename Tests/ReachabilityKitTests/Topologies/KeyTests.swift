// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityNetlink
import TestTopology
import Testing

/// The options of a reference that decide about the route.
@Suite("Options that decide about the route", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct KeyTests {
    @Test func `a source address and a pair exclude each other`() throws {
        let view = View()
        let error = try #require(throws: ReachabilityError.self) {
            try view.reference("10.0.0.1,8.8.8.8") { $0.sourceAddress = "10.0.0.7" }
        }
        #expect(error.code == .invalidOption)
    }

    @Test(arguments: ["", "averyveryverylongname", "a/b", "eth0:1", "a b", "eth0\0x", ".", ".."])
    func `a name that no interface can have is refused`(_ name: String) throws {
        let wired = try Wired()
        let error = try #require(throws: ReachabilityError.self) {
            try wired.view.reference("8.8.8.8") { $0.interface = name }
        }
        #expect(error.code == .noSuchInterface)
        #expect(error.object == name)
    }

    // MARK: Namespaces

    @Test func `a reference looks into the namespace given, by path, from wherever it is asked`() throws {
        let wired = try Wired("route add default via 10.0.0.254")
        let path = wired.topology.namespacePath
        let inside = try ReachabilityRef(address: "8.8.8.8", options: options { $0.networkNamespace = .path(path) })
        let outside = try Machine().run { try ReachabilityRef(address: "8.8.8.8") }
        #expect(try inside.getFlags() == .routed)
        #expect(try outside.getFlags() == .nothing)
        try wired.topology.ip("route delete default")
        #expect(try inside.getFlags() == .nothing)
        try wired.topology.ip("address add fe80::7/64 dev eth0 nodad")
        try wired.topology.waitForOwn(["fe80::7/64"])
        let scoped = try ReachabilityRef(
            address: "fe80::1%eth0", options: options { $0.networkNamespace = .path(path) })
        #expect(try scoped.getFlags() == .direct)
    }

    @Test func `a namespace that is none is refused, and says what it was`() throws {
        for (namespace, object) in [
            (ReachabilityOptions.NetworkNamespace.name("nosuchname"), "nosuchname"), (.name("../run"), "../run"),
            (.path("/nowhere"), "/nowhere"), (.descriptor(-1), "descriptor -1"),
        ] {
            let error = try #require(throws: ReachabilityError.self) {
                try ReachabilityRef(address: "8.8.8.8", options: options { $0.networkNamespace = namespace })
            }
            #expect(error.code == .invalidOption)
            #expect(error.object == object)
            #expect(error.errno != nil)
        }
    }

    @Test func `a file that is no namespace is refused`() throws {
        let error = try #require(throws: ReachabilityError.self) {
            try ReachabilityRef(address: "8.8.8.8", options: options { $0.networkNamespace = .path("/dev/null") })
                .getFlags()
        }
        #expect(!error.description.isEmpty)
    }

    private func options(_ configure: (inout ReachabilityOptions) -> Void) -> ReachabilityOptions {
        var options = ReachabilityOptions()
        configure(&options)
        return options
    }
}
