// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityNetlink
import Synchronization
import TestTopology
import Testing

@testable import ReachabilityReferences
@testable import ReachabilityRoutes

/// Values of new sockets that a test sets. `ControlGroupTests` uses a real control group.
final class ScriptedSockets: Sendable {
    private let state = Mutex<(values: Result<SocketDefaults.Values, Errno>, looks: Int)>((.success(.init()), 0))

    var looks: Int { state.withLock(\.looks) }

    func set(_ values: Result<SocketDefaults.Values, Errno>) {
        state.withLock { $0.values = values }
    }

    func set(mark: UInt32? = nil, interface: InterfaceIndex? = nil) {
        set(.success(SocketDefaults.Values(mark: mark, interface: interface)))
    }

    func defaults(at now: BootTime = BootTime(nanoseconds: 0)) throws(Errno) -> SocketDefaults {
        try SocketDefaults(at: now) { [self] (_) throws(Errno) in
            let values = state.withLock { state in
                state.looks += 1
                return state.values
            }
            return try values.get()
        }
    }
}

extension KernelAccess {
    /// One for the namespace of the calling thread, which opens no further socket, with these values of new sockets.
    static func single(_ defaults: SocketDefaults) throws -> KernelAccess {
        try KernelAccess(deviceTypes: DeviceTypes(), socketDefaults: { () throws(Errno) in defaults }) {
            () throws(NetlinkError) in throw .system(.open, .badDescriptor)
        }
    }
}

@Suite("The values of a new socket")
struct SocketDefaultsTests {
    private let sockets = ScriptedSockets()
    private static let age = SocketDefaults.maximumAge

    @Test func `are read at once, and again when they are too old, but not before`() throws {
        sockets.set(mark: 7, interface: InterfaceIndex(3))
        let defaults = try sockets.defaults(at: BootTime(nanoseconds: 1000))
        #expect(defaults[.v4] == SocketDefaults.Values(mark: 7, interface: InterfaceIndex(3)))
        #expect(defaults[.v6] == defaults[.v4])
        sockets.set(mark: 8)
        #expect(!defaults.refresh(at: BootTime(nanoseconds: 999 + Self.age)))
        #expect(defaults[.v4].mark == 7 && sockets.looks == 2 && defaults.changeCount == 0)
        #expect(defaults.refresh(at: BootTime(nanoseconds: 1000 + Self.age)))
        #expect(defaults[.v4] == SocketDefaults.Values(mark: 8) && defaults.changeCount == 1)
        #expect(!defaults.refresh(at: BootTime(nanoseconds: 1000 + Self.age)))
        #expect(sockets.looks == 4)
        // Read again, with the same result.
        #expect(!defaults.refresh(at: BootTime(nanoseconds: 1000 + 2 * Self.age)))
        #expect(sockets.looks == 6 && defaults.changeCount == 1)
    }

    @Test func `stay the same if they cannot be read again`() throws {
        sockets.set(mark: 7)
        let defaults = try sockets.defaults()
        sockets.set(.failure(.tooManyOpenFiles))
        #expect(!defaults.refresh())
        #expect(defaults[.v6].mark == 7)
    }

    @Test func `are an error if there is no descriptor at first, and none if sockets are forbidden`() throws {
        sockets.set(.failure(.tooManyOpenFiles))
        #expect(throws: Errno.tooManyOpenFiles) { try sockets.defaults() }
        sockets.set(.failure(.addressFamilyNotSupported))
        #expect(try sockets.defaults()[.v4] == SocketDefaults.Values())
    }

    @Test(.needs(.namespaces, .settings))
    func `decide about the answer, also if one was kept`() throws {
        let topology = try Machine.wired("route add default via 10.0.0.254", "rule add fwmark 7 unreachable")
        let defaults = try sockets.defaults(at: SystemTime().now())
        let kernel = try topology.run { try KernelAccess.single(defaults) }
        let cell = AnswerCell()
        func flags() throws -> ReachabilityFlags {
            if let proven = kernel.provedFlags(in: cell) { return proven }
            let target = Target(IPAddress(text: "192.0.2.1"))
            return try kernel.verdict(on: target, keys: RoutingKeys(), keptIn: cell).flags
        }
        for _ in 0..<4 { #expect(try flags() == .routed) }
        #expect(kernel.provedFlags(in: cell) == .routed)
        sockets.set(mark: 7)
        kernel.refreshSocketDefaults(at: .distantFuture)
        #expect(kernel.provedFlags(in: cell) == nil, "an answer for other sockets was kept")
        for _ in 0..<4 { #expect(try flags() == .nothing) }
    }
}
