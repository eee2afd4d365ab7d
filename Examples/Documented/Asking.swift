// SPDX-License-Identifier: Apache-2.0

// The code about ReachabilityKit in comments and pages, compiled here.

import Glibc
import ReachabilityKit

func flags() throws {
    let flags = try ReachabilityRef(hostname: "www.swift.org").getFlags()
    if flags.isReachable { print("a packet could leave for it") }
}

func refused() throws {
    let name = CommandLine.arguments.dropFirst().first ?? "www.swift.org"
    do {
        print("\(name): \(try ReachabilityRef(hostname: name).getFlags())")
    } catch {
        guard error.code == .invalidTarget else { throw error }
        print("write it otherwise: \(error)")
    }
}

func direct() throws {
    let ref = try ReachabilityRef(address: "192.0.2.1")
    if try ref.getFlags().isDirect { print("on the same link") }
}

func options() throws -> ReachabilityRef {
    let ref = try ReachabilityRef(address: "192.0.2.1", options: ReachabilityOptions(interface: "wg0"))
    return ref
}

func labels() -> ReachabilityOptions {
    let options = ReachabilityOptions(interface: "eth0", families: [.v6])
    return options
}

final class Status {
    private var observation: ReachabilityObservation?

    func follow(_ host: ReachabilityRef) throws {
        observation = try host.observe(on: .main) { flags in print(flags) }  // the present flags first
    }
}

func observing(_ host: ReachabilityRef) throws -> ReachabilityObservation {
    let observation = try host.observe(on: .main) { flags in print(flags) }
    return observation
}

func tracing() {
    ReachabilityTrace.handler = { line in print(line) }
}

func explanation() throws {
    print(try ReachabilityRef(address: "192.0.2.1").explain())
}

func suspended(_ ref: ReachabilityRef) async throws -> ReachabilityFlags {
    let flags = try await ref.flags()
    return flags
}

func waiting(_ ref: ReachabilityRef) async throws {
    try await ref.waitUntilReachable(timeout: .seconds(30))
}

func changes(of ref: ReachabilityRef) async throws {
    for try await flags in ref.flagChanges { print(flags) }
}

func following(_ host: ReachabilityRef) async throws {
    for try await flags in host.flagChanges { print(flags) }
}

func path() throws {
    let path = try NetworkPath.current()
    for interface in path.interfaces { print(interface.name, interface.kind, interface.addresses) }
}

func paths() async throws {
    for try await path in NetworkPath.changes {
        print(path.status == .satisfied ? "online" : "offline: \(path.reason)")
    }
}

func landingPage() async throws {
    let reference = try ReachabilityRef(hostname: "www.swift.org")
    print(try await reference.flags())

    for try await flags in reference.flagChanges {
        print("now:", flags)
    }
}

nonisolated(nonsending) func stayConnected(to name: String, _ connectAndWork: () async throws -> Void) async throws {
    let host = try ReachabilityRef(hostname: name)
    var pause = Duration.seconds(1)
    while true {
        do throws(ReachabilityError) {
            // Returns at once if only the server is away, so there is a pause, too.
            try await host.waitUntilReachable(timeout: .seconds(60))
        } catch {
            try Task.checkCancellation()
            guard error.code == .timedOut else { throw error }
            print("no network: \(try await host.explanation().reason)")
            continue
        }
        let start = ContinuousClock.now
        do { try await connectAndWork() } catch { print("\(error)") }
        if start.duration(to: .now) > .seconds(60) { pause = .seconds(1) }
        try await Task.sleep(for: pause)
        pause = min(pause * 2, .seconds(60))
    }
}

func online(_ host: ReachabilityRef) throws -> ReachabilityObservation {
    let observation = try host.observe(on: .main) { flags in
        print(flags.isReachable ? "online" : "offline")
        fflush(nil)  // into a pipe, too
    }
    return observation
}

func why(_ host: ReachabilityRef) throws {
    let (flags, reason) = try host.getFlagsAndReason()
    if reason == "no_answer" { print("no name server answered, so nothing is known: \(flags)") }
}
