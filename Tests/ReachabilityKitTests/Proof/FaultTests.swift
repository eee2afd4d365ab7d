// SPDX-License-Identifier: Apache-2.0

#if DEBUG
import Glibc
import LinuxSystem
import Netlink
import ReachabilityKit
import TestTopology
import Testing

/// Makes system calls fail. A planned failure affects the whole process, so each test runs in its own.
@Suite("A system call that fails", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct FaultTests {
    /// Makes a call fail from each point on while a reference is made and asked, and then succeed again.
    ///
    /// - Returns: the errors, one for each point at which a failure was reported.
    static func errors(
        failing call: FaultInjection.Call, with error: Errno, points: Int, in wired: Wired
    ) throws -> [ReachabilityError] {
        var errors: [ReachabilityError] = []
        for skipping in 0..<points {
            // The sockets of a namespace go with its last reference, so each iteration opens new ones.
            FaultInjection.fail(call, with: error, skipping: skipping, times: 10_000)
            defer { FaultInjection.reset() }
            let reference = try wired.topology.run { try ReachabilityRef(address: "10.0.0.2") }
            do throws(ReachabilityError) {
                // Sockets that are not open yet must be opened by a thread in the namespace.
                let flags = try wired.topology.run { () throws(ReachabilityError) in try reference.getFlags() }
                #expect(flags == .direct)
            } catch {
                errors.append(error)
            }
            FaultInjection.reset()
            #expect(try wired.topology.run { try reference.getFlags() } == .direct)
            #expect(try wired.topology.run { try reference.explain() }.flags == .direct)
        }
        for found in errors {
            #expect(found.code == .kernelUnavailable)
            #expect(found.errno == error.rawValue)
            #expect(found.description.hasPrefix("cannot "))
            #expect(found.description.contains("\(error)"))
        }
        return errors
    }

    @Test("for want of descriptors is an error that says so, and later calls work")
    func socket() async {
        await #expect(processExitsWith: .success) {
            let wired = try Wired()
            // One that proves answers, one to ask with, and a new socket of each family.
            let errors = try FaultTests.errors(failing: .socket, with: .tooManyOpenFiles, points: 7, in: wired)
            #expect(errors.count == 4)
            // Each error is that of the second attempt, in which the first socket is refused.
            #expect(errors.allSatisfy { $0.operation == "open a netlink socket" })
        }
    }

    @Test("at bind is an error, and later calls work")
    func bind() async {
        await #expect(processExitsWith: .success) {
            let errorsbind = try FaultTests.errors(failing: .bind, with: .outOfMemory, points: 5, in: Wired())
            #expect(errorsbind.count == 2)
        }
    }

    @Test("at a socket option is an error where it matters, and later calls work")
    func setOption() async {
        await #expect(processExitsWith: .success) {
            let errors = try FaultTests.errors(failing: .setOption, with: .noBufferSpace, points: 16, in: Wired())
            #expect(errors.count >= 4)
        }
    }

    @Test("at getsockname is an error, and later calls work")
    func getOption() async {
        await #expect(processExitsWith: .success) {
            let errorsgetOption = try FaultTests.errors(
                failing: .getOption, with: .noBufferSpace, points: 7, in: Wired())
            // Two for each new socket, and the port of the one to ask with.
            #expect(errorsgetOption.count == 5)
        }
    }

    @Test("at the file with the type of a device is not kept, so that a modem is recognised later")
    func uevent() async {
        await #expect(processExitsWith: .success) {
            let wired = try Wired()
            let (directory, eth0) = ("/tmp/uevent.\(getpid())", try wired.topology.index(of: "eth0"))
            try CallingThread.execute(["mkdir", "-p", "\(directory)/eth0"])
            defer { _ = try? CallingThread.execute(["rm", "-r", directory]) }
            try CallingThread.execute(
                ["sh", "-c", "printf 'DEVTYPE=wwan\nIFINDEX=\(eth0.rawValue)\n' > \(directory)/eth0/uevent"])
            let socket = try wired.topology.run {
                try LookupSocket(NetlinkRequester(), DeviceTypes(directory: directory), SocketDefaults(in: nil))
            }
            FaultInjection.fail(.open, with: .tooManyOpenFiles, skipping: 0, times: 10_000)
            try #require(socket.state(of: eth0)?.isCellular == false)
            FaultInjection.reset()
            try #require(socket.state(of: eth0)?.isCellular == true)
            try #require(socket.facts(of: eth0)?.deviceType == "wwan")
        }
    }

    @Test("at epoll is no error, as poll can be asked instead")
    func epoll() async {
        await #expect(processExitsWith: .success) {
            let wired = try Wired()
            for call in [FaultInjection.Call.epollCreate, .epollControl] {
                let errors = try FaultTests.errors(failing: call, with: .tooManyOpenFiles, points: 5, in: wired)
                #expect(errors.isEmpty)
                FaultInjection.fail(call, with: .noSpace, times: 10_000)
                let reference = try wired.view.reference("8.8.8.8")
                FaultInjection.reset()
                for _ in 0..<2 { #expect(try reference.getFlags() == []) }
                try wired.topology.ip("route add default via 10.0.0.254")
                for _ in 0..<2 { #expect(try reference.getFlags() == .routed) }
                try wired.topology.ip("route del default")
                for _ in 0..<2 { #expect(try reference.getFlags() == []) }
            }
        }
    }

    @Test("at a send is an error that names the target, and later calls work")
    func send() async {
        await #expect(processExitsWith: .success) {
            // One question for the rules, one for the route, one for its link.
            let errors = try FaultTests.errors(failing: .send, with: .noBufferSpace, points: 5, in: Wired())
            #expect(errors.count == 3)
            #expect(errors.allSatisfy { $0.object == "10.0.0.2" && $0.operation == "send a netlink request" })
        }
    }

    @Test("at a receive is an error that names the target, and later calls work")
    func receive() async {
        await #expect(processExitsWith: .success) {
            let errors = try FaultTests.errors(failing: .receive, with: .outOfMemory, points: 8, in: Wired())
            // Two for the rules and their end, one for the route and its match, one for the link.
            #expect(errors.count == 4)
            #expect(errors.allSatisfy { $0.object == "10.0.0.2" && $0.operation == "receive a netlink answer" })
        }
    }

    @Test("to bring an answer once makes the package ask again, and the late answer is ignored")
    func lostOnce() async {
        await #expect(processExitsWith: .success) {
            let wired = try Wired("route add default via 10.0.0.254")
            let near = try wired.view.reference("10.0.0.2")
            let far = try wired.view.reference("8.8.8.8")
            for _ in 0..<3 {
                FaultInjection.fail(.receive, with: .wouldBlock)
                #expect(try near.currentVerdict().flags == .direct)
                #expect(try far.currentVerdict().flags == .routed)
                FaultInjection.fail(.receive, with: .noBufferSpace, times: 3)
                #expect(try far.currentVerdict().flags == .routed)
                #expect(try near.currentVerdict().flags == .direct)
            }
        }
    }

    @Test("to bring an answer, time and again, is an error, and later calls work")
    func lostAlways() async {
        await #expect(processExitsWith: .success) {
            let wired = try Wired()
            let reference = try wired.view.reference("10.0.0.2")
            FaultInjection.fail(.receive, with: .wouldBlock, times: 10_000)
            let error = try #require(throws: ReachabilityError.self) { try reference.getFlags() }
            #expect(error.code == .kernelUnavailable)
            #expect(error.description.contains("lost"))
            FaultInjection.reset()
            #expect(try reference.getFlags() == .direct)
        }
    }

    @Test("after an answer was cached is reported by the next question only, and no stale answer hides it")
    func afterCaching() async {
        await #expect(processExitsWith: .success) {
            let wired = try Wired()
            let reference = try wired.view.reference("192.0.2.1")
            // Answers are kept from the second question of a generation on.
            for _ in 0..<2 { #expect(try reference.getFlags() == .nothing) }
            FaultInjection.fail(.send, with: .noBufferSpace, times: 10_000)
            #expect(try reference.getFlags() == .nothing)
            try FaultTests.withoutFaults { try wired.ip("route add 192.0.2.0/24 via 10.0.0.254") }
            FaultInjection.fail(.send, with: .noBufferSpace, times: 10_000)
            for _ in 0..<3 { #expect(throws: ReachabilityError.self) { try reference.getFlags() } }
            FaultInjection.reset()
            #expect(try reference.getFlags() == .routed)
        }
    }

    static func withoutFaults(_ body: () throws -> Void) rethrows {
        FaultInjection.reset()
        try body()
    }

    @Test("while the queue is emptied leaves the answer right")
    func emptying() async {
        await #expect(processExitsWith: .success) {
            let wired = try Wired()
            let reference = try wired.view.reference("192.0.2.1")
            let changer = try Changer(in: wired.topology)
            let eth0 = try wired.topology.index(of: "eth0")
            for call in [FaultInjection.Call.epollWait, .receive] {
                #expect(try reference.getFlags() == .nothing)
                try changer.apply(.route(.add, "192.0.2.0/24", via: "10.0.0.254", through: eth0))
                FaultInjection.fail(call, with: call == .epollWait ? .outOfMemory : .wouldBlock)
                #expect(try reference.getFlags() == .routed)
                #expect(try reference.getFlags() == .routed)
                FaultInjection.reset()
                try changer.apply(.route(.delete, "192.0.2.0/24"))
            }
            #expect(try reference.getFlags() == .nothing)
        }
    }

    @Test("to start a thread is an error for a foreign namespace, and later calls work")
    func thread() async {
        await #expect(processExitsWith: .success) {
            let wired = try Wired()
            var options = ReachabilityOptions()
            options.networkNamespace = .path(wired.topology.namespacePath)
            FaultInjection.fail(.threadCreate, with: .wouldBlock, times: 10_000)
            let reference = try ReachabilityRef(address: "10.0.0.2", options: options)
            let error = try #require(throws: ReachabilityError.self) { try reference.getFlags() }
            #expect(error.code == .kernelUnavailable)
            FaultInjection.reset()
            #expect(try reference.getFlags() == .direct)
        }
    }
}
#endif
