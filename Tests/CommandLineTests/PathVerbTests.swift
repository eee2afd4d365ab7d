// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import TestBus
import TestTopology
import Testing

@Suite("reachability path", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct PathVerbTests {
    private let topology: Machine

    init() throws {
        topology = try Machine()
    }

    private func wire() throws {
        try topology.wire("eth0", address: "10.0.0.1/24")
        try topology.wire("docker0", address: "172.17.0.1/16")
        try topology.ip("route add default via 10.0.0.254")
    }

    @Test("prints with --watch by what to know that connections are still worth using")
    func identity() throws {
        try wire()
        let program = try RunningProgram(["path", "--watch", "--json"], in: topology)
        var seen = [try PathLine(program.nextLine())]
        // A renewed route by another gateway is the same network; no route is another, and the same comes back.
        for change in ["replace default via 10.0.0.253", "del default", "add default via 10.0.0.253"] {
            try topology.ip("route \(change)")
            seen.append(try PathLine(program.nextLine()))
        }
        let numbers = seen.map(\.identity)
        #expect(numbers.allSatisfy { $0 != nil } && Set(numbers).count == 2)
        #expect(numbers[1] == numbers[0] && numbers[2] != numbers[0] && numbers[3] == numbers[0])
        // Of another process, numbers cannot be compared.
        #expect(try PathLine(topology.reachability("path", "--json").output).identity == nil)
    }

    /// A bus of the topology's namespace.
    private func bus(_ model: ManagerModel) throws -> ScriptedBus {
        let listener = try topology.run { () throws(Errno) in
            let listener = UnixListener()
            try listener.listen(at: .abstract(Array("bus".utf8)))
            return listener
        }
        return try ScriptedBus(listener, model: model)
    }

    private func path(_ arguments: String...) throws -> String {
        try path(arguments, wrapper: ["env", "DBUS_SYSTEM_BUS_ADDRESS=unix:abstract=bus"])
    }

    /// The output about a path that is satisfied.
    private func path(_ arguments: [String], wrapper: [String]) throws -> String {
        let outcome = try RunningProgram(["path"] + arguments, in: topology, wrapper: wrapper).outcome()
        #expect(outcome.status == 0, "\(outcome)")
        return outcome.output
    }

    private func firstLine(bus: String = "bus") throws -> String {
        let output = try path([], wrapper: ["env", "DBUS_SYSTEM_BUS_ADDRESS=unix:abstract=\(bus)"])
        return String(output.prefix { $0 != "\n" })
    }

    /// The first line without a NetworkManager.
    private func alone() throws -> String { try firstLine(bus: "nobody") }

    /// What NetworkManager adds to the first line. The program waits a quarter of a second for it, which may be too short on a busy
    /// machine: then the program says what it says without one, and is asked again.
    private func added() throws -> String {
        let alone = try alone()
        var first = alone
        try ProcessState.wait("NetworkManager's answer in the text") {
            first = try firstLine()
            #expect(first.hasPrefix(alone))
            return first != alone
        }
        return String(first.dropFirst(alone.count))
    }

    private func answeredObject() throws -> PathLine {
        var last: PathLine?
        try ProcessState.wait("NetworkManager's answer in the object") {
            let object = try PathLine(path("--json"))
            last = object
            return object.connectivity != "unknown" || object.expensive
        }
        return try #require(last)
    }

    @Test("prints that the path is metered if NetworkManager answers in time")
    func metered() throws {
        try wire()
        let model = ManagerModel(.guessedYes, .full, interface: "eth0")
        let bus = try bus(model)
        #expect(try added() == ", expensive, connectivity full")
        #expect(try answeredObject().expensive)
        model.set(.no)
        #expect(try added() == ", connectivity full")
        #expect(try !answeredObject().expensive)
        model.set(.yes)
        bus.stop()
        #expect(try firstLine() == alone())
    }

    @Test("prints the connectivity that NetworkManager found, and has the same status")
    func connectivity() throws {
        try wire()
        let model = ManagerModel(.yes, .unknown, interface: "eth0")
        let bus = try bus(model)
        defer { bus.stop() }
        for value in ["none", "portal", "limited", "full"] {
            model.set(nil, ManagerModel.Connectivity.allCases.first { "\($0)" == value })
            #expect(try added() == ", expensive, connectivity \(value)")
            let object = try answeredObject()
            #expect(object.connectivity == value && object.status == "satisfied")
        }
        model.set(nil, .unknown)
        #expect(try added() == ", expensive")
        let object = try answeredObject()
        #expect(object.connectivity == "unknown" && object.expensive)
    }

    @Test(
        "--watch says why the kernel refuses to answer, and prints the path again when that ends",
        arguments: ["reachability path --watch", "scutil -W --nwi"])
    func refused(words: String) throws {
        try wire()
        let words = words.split(separator: " ").map(String.init)
        let program = try RunningProgram(
            Array(words.dropFirst()), in: topology,
            wrapper: ["sh", "-c", "exec \"$0\" \"$@\" 2>&1", BuiltProduct.path("deny-netlink"), "1"], program: words[0])
        try program.read { $0.contains("eth0") && $0.hasSuffix("\n") }
        // The address that is asked about for the default path.
        try topology.ip("xfrm policy add dir out dst 198.41.0.4/32 action block")
        let refusal = "\(words[0]): cannot look up a route 'the network path': Operation not permitted\n"
        #expect(try program.read { $0.hasSuffix("not permitted\n") } == refusal)
        try topology.ip("xfrm policy delete dir out dst 198.41.0.4/32")
        if words[0] == "scutil" { return }
        #expect(try program.read { $0.contains("eth0") }.contains("satisfied"))
    }
}
