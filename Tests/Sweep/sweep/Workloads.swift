// SPDX-License-Identifier: Apache-2.0

import CSystemCallFaults
import CTestTopology
import Dispatch
import NetworkPathMonitor
import ReachabilityConnections
import ReachabilityHostResolution
import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityNetlink
import ReachabilityResolverFiles
import Synchronization
import SystemConfigurationCore
import TestTopology

/// What a program does, in one of whose system calls there is a failure. It asks and changes the network while that may come, and
/// then once more, when every answer must be right.
struct Workload {
    let name: String
    let run: @Sendable (Network, Attempt) throws -> Void

    static let all: [Workload] = [
        Workload(name: "question", run: question), Workload(name: "registration", run: registration),
        Workload(name: "watcher", run: watcher), Workload(name: "name", run: name),
        Workload(name: "watched-name", run: watchedName), Workload(name: "path", run: path),
        Workload(name: "connection", run: connection), Workload(name: "store", run: store),
        Workload(name: "fate", run: fate), Workload(name: "gate", run: gate), Workload(name: "refused", run: refused),
    ]
}

extension Workload {
    /// Questions of every kind, from the first, which opens the sockets; kept answers; and a change, after which they are old.
    private static func question(_ network: Network, _ attempt: Attempt) throws {
        typealias Made = () throws -> ReachabilityRef
        let direct: ReachabilityFlags = [.reachable, .isDirect]
        var onLink = ReachabilityOptions()
        onLink.interface = "eth0"
        var marked = ReachabilityOptions()
        marked.mark = 7
        let far: Made = { try ReachabilityRef(address: "192.0.2.1") }
        let others: [(String, ReachabilityFlags, Made)] = [
            ("a neighbour", direct, { try ReachabilityRef(address: "10.0.0.7") }),
            ("an own address", [.reachable, .isLocalAddress, .isDirect], { try ReachabilityRef(address: "fd00::1") }),
            ("a neighbour in IPv6", direct, { try ReachabilityRef(address: "fd00::7") }),
            ("nothing in IPv6", [], { try ReachabilityRef(address: "2001:db8::1") }),
            ("from the right source", .reachable, { try ReachabilityRef(address: "2001:db8:5::1") }),
            ("the default path", .reachable, { try ReachabilityRef.defaultPath() }),
            ("by an interface", direct, { try ReachabilityRef(address: "10.0.0.7", options: onLink) }),
            ("with a mark", .reachable, { try ReachabilityRef(address: "192.0.2.1", options: marked) }),
            ("a pair", .reachable, { try ReachabilityRef(local: "10.0.0.1", remote: "192.0.2.1") }),
        ]
        attempt.begin()
        var kept: [(String, ReachabilityFlags, ReachabilityRef)] = []
        func ask(_ what: String, _ flags: ReachabilityFlags, _ make: Made) {
            guard let reference = attempt.attempt(what, make) else { return }
            kept.append((what, flags, reference))
            attempt.ask(what, flags) { try reference.getFlags() }
        }
        ask("far away", .reachable, far)
        for (what, flags, make) in others { ask(what, flags, make) }
        let reference = kept.first?.2
        for flags in [ReachabilityFlags.reachable, [], .reachable] {
            // The second is kept, and the third told.
            for _ in 0..<3 {
                guard let reference else { break }
                attempt.ask("far away again", flags) { try reference.getFlags() }
            }
            try attempt.outside { try flags == .reachable ? network.forbid() : network.allow() }
        }
        try attempt.outside { try network.allow() }
        attempt.ask("explained", .reachable) { try far().explain().flags }
        attempt.end()
        for (what, flags, reference) in kept {
            attempt.ask("\(what), later", flags) { try reference.getFlags() }
            attempt.ask("\(what), explained later", flags) { try reference.explain().flags }
        }
    }

    /// Questions where netlink is refused, so that connected sockets and ioctl(2) answer: of routes, and of links by name and number.
    private static func refused(_ network: Network, _ attempt: Attempt) throws {
        faults_refuse_netlink(true)
        defer { faults_refuse_netlink(false) }
        var onLink = ReachabilityOptions()
        onLink.interface = "eth0"
        let questions: [(String, ReachabilityFlags, () throws -> ReachabilityRef)] = [
            ("far away", .reachable, { try ReachabilityRef(address: "192.0.2.1") }),
            ("an own address", [.reachable, .isLocalAddress, .isDirect], { try ReachabilityRef(address: "fd00::1") }),
            (
                "a second own one", [.reachable, .isLocalAddress, .isDirect],
                { try ReachabilityRef(address: "10.0.0.2") }
            ),
            ("a neighbour in IPv6", .reachable, { try ReachabilityRef(address: "fd00::7") }),
            ("nothing in IPv6", [], { try ReachabilityRef(address: "2001:db8::1") }),
            ("the default path", .reachable, { try ReachabilityRef.defaultPath() }),
            ("by an interface", .reachable, { try ReachabilityRef(address: "10.0.0.7", options: onLink) }),
            ("by a scope", .reachable, { try ReachabilityRef(address: "ff02::fb%eth0") }),
        ]
        func ask() {
            for (what, flags, make) in questions { attempt.ask(what, flags) { try make().getFlags() } }
            attempt.ask("the links of the path", ["eth0"]) { try PathSource().current().interfaces.map(\.name) }
            attempt.ask("Apple's function by an interface", true) {
                guard LegacyTarget.make(local: nil, remote: IPAddress(text: "10.0.0.7"), interface: "eth0") == nil
                else {
                    return true
                }
                throw Errno(rawValue: LegacyStatus.last.rawValue)
            }
        }
        attempt.begin()
        ask()
        attempt.end()
        ask()
    }

    /// A scheduled and observed reference, and changes while calls may fail and afterwards.
    private static func registration(_ network: Network, _ attempt: Attempt) throws {
        let reference = try ReachabilityRef(address: "192.0.2.1")
        let (told, observed) = (ReceivedValues<ReachabilityFlags>(), ReceivedValues<ReachabilityFlags>())
        reference.setCallback { told.record($0) }
        attempt.begin()
        let isScheduled = attempt.attempt("schedule") { try reference.setDispatchQueue(told.queue) } != nil
        let observation = attempt.attempt("observe") {
            try reference.observe(on: observed.queue) { observed.record($0) }
        }
        let followed = (isScheduled ? [told] : []) + (observation == nil ? [] : [observed])
        try changes(
            network, attempt, isFollowed: !followed.isEmpty, { followed.map { _ in .reachable } },
            { followed.map { _ in [] } }
        ) { followed.map { $0.all.last } }
        observation?.cancel()
        if isScheduled { try reference.setDispatchQueue(nil) }
        attempt.ask("the next question", .reachable) { try reference.getFlags() }
    }

    /// Takes the way away and gives it back, while calls may fail, and then once more.
    private static func changes<Value: Equatable>(
        _ network: Network, _ attempt: Attempt, isFollowed: Bool, _ open: () -> Value, _ closed: () -> Value,
        _ told: () throws -> Value?
    ) throws {
        for round in 0..<2 {
            try attempt.outside { try network.forbid() }
            if isFollowed { attempt.wait("no way, round \(round)", closed(), told) }
            try attempt.outside { try network.allow() }
            if isFollowed { attempt.wait("a way, round \(round)", open(), told) }
            attempt.end()
        }
    }

    /// The same on the client's own loop.
    private static func watcher(_ network: Network, _ attempt: Attempt) throws {
        let reference = try ReachabilityRef(address: "192.0.2.1")
        attempt.begin()
        guard let watcher = attempt.attempt("make a watcher", { try ReachabilityWatcher() }) else { return }
        var last: ReachabilityFlags?
        let token = attempt.attempt("add") { try watcher.add(reference) { last = $0 } }
        var hasFailed = false
        try changes(network, attempt, isFollowed: token != nil, { ReachabilityFlags.reachable }, { [] }) {
            guard !hasFailed, topology_wait_readable(watcher.fileDescriptor, 0) == 1 else { return last }
            let before = faults_count_thread(true)
            defer { faults_count_thread(before) }
            hasFailed = attempt.attempt("process") { try watcher.process() } == nil
            return last
        }
        if let token { watcher.remove(token) }
        attempt.ask("the next question", .reachable) { try reference.getFlags() }
    }

    // MARK: Names

    /// Makes a resolver with files and a server of the test, which references in the namespace use.
    private static func resolver(_ network: Network, _ namespace: NamespaceContext) -> Resolver {
        var environment = network.files.environment([network.server])
        environment.namespace = network.topology.namespace
        let key = ResolverPool.Key(servers: nil, source: nil, keys: RoutingKeys())
        return namespace.resolvers.resolver(key) { Resolver(environment) }
    }

    /// A reference in the network's namespace, of which a failure makes no other namespace.
    private static func reference(_ network: Network, _ name: String) throws -> ReachabilityRef {
        var options = ReachabilityOptions()
        options.networkNamespace = .path(network.topology.namespacePath)
        return try ReachabilityRef(hostname: name, options: options)
    }

    /// A name from the hosts file and one that a server knows.
    private static func name(_ network: Network, _ attempt: Attempt) throws {
        let namespace = NamespaceRegistry.current.namespace(of: network.topology.namespace)
        let flags: ReachabilityFlags = [.reachable, .isDirect]
        attempt.begin()
        let resolver = resolver(network, namespace)
        var kept: [ReachabilityRef] = []
        for name in ["listed.test", "served.test"] {
            guard let reference = attempt.attempt("make", { try reference(network, name) }) else { continue }
            kept.append(reference)
            for _ in 0..<2 { attempt.ask(name, flags) { try reference.getFlags() } }
        }
        attempt.end()
        for reference in kept { attempt.ask("\(reference), later", flags) { try reference.getFlags() } }
        withExtendedLifetime(resolver) {}
    }

    /// A scheduled reference to a name, whose hosts file changes.
    private static func watchedName(_ network: Network, _ attempt: Attempt) throws {
        let namespace = NamespaceRegistry.current.namespace(of: network.topology.namespace)
        let (near, far): (ReachabilityFlags, ReachabilityFlags) = ([.reachable, .isDirect], .reachable)
        let told = ReceivedValues<ReachabilityFlags>()
        attempt.begin()
        let resolver = resolver(network, namespace)
        guard let reference = attempt.attempt("make", { try reference(network, "listed.test") }) else { return }
        reference.setCallback { told.record($0) }
        let isScheduled = attempt.attempt("schedule") { try reference.setDispatchQueue(told.queue) } != nil
        for round in 0..<2 where isScheduled {
            attempt.wait("the first address, round \(round)", near) { told.all.last }
            attempt.outside { network.files.replace("hosts", "192.0.2.1 listed.test\n") }
            attempt.wait("the second address, round \(round)", far) { told.all.last }
            attempt.outside { network.files.replace("hosts", "10.0.0.8 listed.test\n") }
            attempt.end()
        }
        attempt.end()
        if isScheduled {
            attempt.wait("the first address, at last", near) { told.all.last }
            try reference.setDispatchQueue(nil)
        }
        attempt.ask("the next question", near) { try reference.getFlags() }
        withExtendedLifetime(resolver) {}
    }

    // MARK: The path

    /// The path, once and as it changes, and Apple's monitor of it.
    private static func path(_ network: Network, _ attempt: Attempt) throws {
        let told = ReceivedValues<Bool>()
        attempt.begin()
        attempt.ask("the path", true) { try PathSource().current().view().status == .satisfied }
        // The first starts the engine.
        let monitor = NWPathMonitor()
        let seen = ReceivedValues<Bool>()
        monitor.pathUpdateHandler = { seen.record($0.status == .satisfied) }
        monitor.start(queue: seen.queue)
        let token = attempt.attempt("observe") { () throws(ReachabilityError) in
            try PathSource().observe { told.record($0.view().status == .satisfied) }
        }
        func wait(_ what: String, _ expected: Bool) {
            if token != nil { attempt.wait(what, expected) { told.all.last } }
            attempt.wait("\(what), of the monitor", expected) { seen.all.last }
        }
        for round in 0..<2 {
            wait("a default route, round \(round)", true)
            try attempt.outside { try network.leaveDefault() }
            wait("no default route, round \(round)", false)
            try attempt.outside { try network.enterDefault() }
            attempt.end()
        }
        wait("a default route, at last", true)
        token?.cancel()
        monitor.cancel()
        attempt.ask("the next path", true) { try PathSource().current().view().status == .satisfied }
    }

    // MARK: Connections

    private struct Bytes: ConnectionContent {
        let bytes: [UInt8]
        var count: Int { bytes.count }

        func withBytes<Value>(
            from offset: Int, _ body: (UnsafeRawBufferPointer) throws(Errno) -> Value
        ) throws(Errno) -> Value {
            let result = unsafe bytes.withUnsafeBytes { all in
                Result { () throws(Errno) in try unsafe body(UnsafeRawBufferPointer(rebasing: all[offset...])) }
            }
            return try result.get()
        }
    }

    /// A connection that sends and receives. It fails, or it waits until it is restarted, or it does its work.
    private static func connection(_ network: Network, _ attempt: Attempt) throws {
        let reference = try ReachabilityRef(address: "127.0.0.1")
        func converse() {
            let connection = Connection(SystemTransport(to: reference, port: network.listener.port))
            let mayFail = attempt.isOpen
            let (states, words) = (ReceivedValues<String>(), ReceivedValues<String>())
            connection.client.setObserver { event in
                if case .state(let state) = event { states.record("\(state)".prefix { $0 != "(" }.description) }
            }
            connection.start(queue: states.queue)
            // Either end of the request is told, in any state.
            connection.send(Bytes(bytes: Array("word".utf8))) { _ in }
            connection.receive(minimum: 4, maximum: 4) {
                words.record($0.failure.map { _ in "failed" } ?? String(decoding: $0.bytes, as: UTF8.self))
            }
            attempt.wait("the outcome", true) { !words.all.isEmpty || states.all.last == "waiting" }
            attempt.end()
            if words.all != ["word"], attempt.failure != nil { attempt.noteError() }
            if words.all.isEmpty { connection.restart() }
            if words.all != ["failed"] {
                attempt.wait("the word", "word") { words.all.last }
            } else if !mayFail || attempt.failure == nil {
                attempt.note("failed without a reason")
            }
            connection.cancel()
            attempt.wait("the end", "cancelled") { states.all.last }
        }
        attempt.begin()
        converse()
        if attempt.failure != nil { converse() }
    }

    // MARK: The dynamic store

    /// A session that reads, and is told of changes.
    private static func store(_ network: Network, _ attempt: Attempt) throws {
        var files = MachineFiles()
        files.machineInfo = network.files.path("machine-info")
        files.hostName = network.files.path("hostname")
        files.logind = network.files.path("systemd")
        files.userFolders = network.files.path("user")
        let (key, name) = ("State:/Network/Global/IPv4", "Setup:/System")
        final class Owner: Sendable {}
        let (owner, told) = (Owner(), ReceivedValues<[String]>())
        attempt.begin()
        let session = StoreSession(files: files) { _, keys in told.record(keys) }
        session.belong(to: owner)
        struct Failed: Error {}
        func router() throws -> String? {
            guard let value = session.value(of: key) else {
                if LegacyStatus.last == .noKey { return nil }
                throw Failed()
            }
            return value["Router"]?.string
        }
        attempt.ask("the router", "10.0.0.254", router)
        func watch() throws {
            let isWatched = session.watch([key, name], patterns: []) && session.setQueue(.queue(told.queue))
            if !isWatched { throw Failed() }
        }
        let isWatching = attempt.attempt("watch", watch) != nil
        for round in 1...2 {
            for change in [network.leaveDefault, network.enterDefault] {
                let before = told.all.count
                // Without events of files, the change of the network brings this one to light.
                attempt.outside { network.files.replace("hostname", "host\(attempt.nextNumber())\n") }
                try attempt.outside(change)
                guard isWatching else { continue }
                for key in [key, name] {
                    attempt.wait("a call for \(key), round \(round)", true) {
                        told.all[before...].contains { $0.contains(key) }
                    }
                }
            }
            attempt.ask("the router, round \(round)", "10.0.0.254", router)
            attempt.end()
        }
        if isWatching {
            let before = told.all.count
            network.files.replace("hostname", "host\(attempt.nextNumber())\n")
            attempt.wait("a call for \(name) alone", true) { told.all[before...].contains { $0.contains(name) } }
        }
        _ = session.setQueue(nil)
        _ = session.watch([], patterns: [])
        withExtendedLifetime(owner) {}
    }

    // MARK: Sockets and gates

    /// The fate of a connected socket.
    private static func fate(_ network: Network, _ attempt: Attempt) throws {
        let socket = ConnectedSocket(to: "192.0.2.1", user: nil)
        _ = socket.connect()
        let told = ReceivedValues<SocketFate.Fate>()
        attempt.begin()
        guard let fate = attempt.attempt("read the socket", { try SocketFate(of: socket.descriptor) }) else {
            attempt.end()
            return attempt.ask("the next socket", .viable) { try SocketFate(of: socket.descriptor).current().fate }
        }
        attempt.ask("the fate", .viable) { try fate.current().fate }
        let isFollowed =
            attempt.attempt("follow") { try fate.setHandler(on: told.queue) { told.record($0.fate) } } != nil
        if isFollowed { attempt.wait("the first state", .viable) { told.all.last } }
        try changes(network, attempt, isFollowed: isFollowed, { .viable }, { .unviable(.noRoute) }) { told.all.last }
        try fate.setHandler(on: told.queue, nil)
        attempt.ask("the next question", .viable) { try fate.current().fate }
    }

    /// A gate, asked and followed.
    private static func gate(_ network: Network, _ attempt: Attempt) throws {
        let gate = RequestGate(
            to: try ReachabilityRef(address: "192.0.2.1"), .init(allowsExpensive: false, prohibitedKinds: [.cellular]))
        let told = ReceivedValues<[RequestGate.Obstacle]>()
        attempt.begin()
        attempt.ask("the obstacles", []) { try gate.current() }
        let token = attempt.attempt("follow") { () throws(ReachabilityError) in
            try gate.observe { told.record($0?.obstacles ?? [.unstable]) }
        }
        if token != nil { attempt.wait("the first obstacles", []) { told.all.last } }
        try changes(network, attempt, isFollowed: token != nil, { [] }, { [.unreachable] }) { told.all.last }
        token?.cancel()
        attempt.ask("the next obstacles", []) { try gate.current() }
    }
}
