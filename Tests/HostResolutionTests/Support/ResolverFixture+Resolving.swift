// SPDX-License-Identifier: Apache-2.0

import ReachabilityHostResolution
import ReachabilityLinuxSystem
import ReachabilityResolverFiles
import Synchronization
import TestHosts

func v4(_ text: String) -> IPAddress { .v4(IPv4Address(strict: text)!) }
func v6(_ text: String) -> IPAddress { .v6(IPv6Address(text)!) }
func host(_ text: String) -> HostName { HostName(lenient: text) }

/// A deadline that no lookup of a test reaches, or a nearer one.
func later(_ duration: Duration = .seconds(30)) -> BootTime { SystemTime().now().advanced(by: duration) }

extension Resolver {
    /// Calls `handler` on the loop's thread whenever a configuration file has changed, until the token is used.
    func whenFilesChange(on loop: EventLoop, _ handler: @escaping @Sendable () -> Void) -> CancellationToken {
        let notifier = notifier(on: loop)
        loop.enqueue { notifier.add(self, handler) }
        return CancellationToken { loop.enqueue { notifier.remove(self) } }
    }

    @discardableResult
    func resolve(
        _ name: String, on loop: EventLoop, deadline: BootTime = later(),
        enough: @escaping @Sendable ([IPAddress]) -> Bool = { _ in false },
        progress: @escaping @Sendable ([IPAddress]) -> Void = { _ in },
        completion: @escaping @Sendable (Resolution) -> Void
    ) -> CancellationToken? {
        resolve(
            NameQuery(host(name)), on: loop, deadline: deadline, enough: enough, progress: progress,
            completion: completion)
    }

    func resolve(
        _ name: HostName, deadline: BootTime, enough: @escaping @Sendable ([IPAddress]) -> Bool
    ) -> Resolution {
        resolve(NameQuery(name), deadline: deadline, enough: enough)
    }

    func known(_ name: HostName) -> Resolution? { known(NameQuery(name)) }

    /// Resolves with a distant deadline. No addresses are enough before both families have answered.
    func all(_ name: String) -> Resolution {
        resolve(host(name), deadline: later()) { _ in false }
    }
}

/// What a test has started, which ends with its suite.
final class Started: Sendable {
    private let ends = Mutex<[@Sendable () -> Void]>([])

    deinit {
        for end in ends.withLock(\.self) { end() }
    }

    func server(_ script: @escaping NameServer.Script) -> NameServer {
        let server = NameServer(script)
        ends.withLock { $0.append(server.stop) }
        return server
    }

    func loop() throws(Errno) -> EventLoop {
        let loop = try EventLoop(name: "loop")
        ends.withLock { $0.append(loop.stop) }
        return loop
    }

    /// A server, a resolver that asks it, a loop for lookups, and what is told there.
    func onLoop(
        _ fixture: ResolverFixture, _ script: @escaping NameServer.Script
    ) throws -> (NameServer, Resolver, EventLoop, ReceivedValues<Resolution>) {
        let server = server(script)
        return (server, Resolver(fixture.environment([server])), try loop(), ReceivedValues())
    }
}
