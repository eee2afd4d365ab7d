// SPDX-License-Identifier: Apache-2.0

import ReachabilityHostResolution
import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityResolverFiles

/// A name server is reachable: one of the system's, or one of `--server`.
///
/// A server on this machine itself, such as systemd-resolved's at 127.0.0.53, can always be reached, but only passes
/// questions on. It counts if packets can leave this machine.
final class ServerCondition: WaitCondition {
    let title = "a name server"
    private let options: ReachabilityOptions
    private let source: PathSource
    private let given: [IPAddress]?
    private var path: NetworkPath?
    private var servers: [IPAddress: TargetCondition] = [:]
    private var subscription: CancellationToken?
    private var post: @Sendable (WaitEvent) -> Void = { _ in }

    init(_ options: ReachabilityOptions) throws(ReachabilityError) {
        var options = options
        given = options.nameServers.map {
            $0.compactMap { ServerText($0).flatMap { AddressText($0.address)?.address } }
        }
        (options.nameServers, options.families) = (nil, [])
        self.options = options
        source = try PathSource(options)
    }

    private var addresses: [IPAddress] { given ?? path?.servers.map(\.address) ?? [] }

    func begin(_ post: @escaping @Sendable (WaitEvent) -> Void) throws(ReachabilityError) {
        self.post = post
        subscription = try source.observe { post(.path($0)) }
        try observeServers()
    }

    func handle(_ event: WaitEvent) throws(ReachabilityError) {
        switch event {
        case .path(let path):
            self.path = path
            try observeServers()
        case .server(let server, let state): servers[server]?.handle(.state(state))
        case .state, .connection, .gate: break
        }
    }

    /// Observes the servers that are configured now, and no others.
    private func observeServers() throws(ReachabilityError) {
        let wanted = addresses.filter { !$0.unmapped.isLoopback }
        for (address, server) in servers where !wanted.contains(address) {
            server.end()
            servers[address] = nil
        }
        for address in wanted where servers[address] == nil {
            let reference = try ReachabilityRef(target: Target(address), options: options)
            let server = TargetCondition("\(address)", reference)
            try server.begin { [post] event in
                if case .state(let state) = event { post(.server(address, state)) }
            }
            servers[address] = server
        }
    }

    private var isLeaving: Bool { path?.view().status == .satisfied }

    var holds: Bool {
        addresses.contains { $0.unmapped.isLoopback ? isLeaving : servers[$0]?.holds ?? false }
    }

    func holdsNow() throws(ReachabilityError) -> Bool {
        try handle(.path(source.current()))
        for address in addresses {
            if try address.unmapped.isLoopback ? isLeaving : servers[address]?.holdsNow() ?? false { return true }
        }
        return false
    }

    func end() {
        subscription?.cancel()
        for server in servers.values { server.end() }
        (servers, path) = ([:], nil)
    }

    var obstacle: String { addresses.isEmpty ? "none is configured" : "none is reachable" }
    var complaint: String { "no name server was reachable when the time was up (\(obstacle))" }
}
