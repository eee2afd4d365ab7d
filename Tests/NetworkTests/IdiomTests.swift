// SPDX-License-Identifier: Apache-2.0

import Network
import NetworkIdioms6
import Observation
import Synchronization
import TestTopology
import Testing

/// Client code, compiled in Swift 5 and Swift 6 mode, and run in the latter.
@Suite("Client code", .timeLimit(.minutes(10)), .needs(.namespaces, .settings, .sysfs))
struct IdiomTests {
    @Test("is called with each kind of connection")
    func kinds() throws {
        let network = try TestNetwork()
        try network.addUplink("wlan0", number: 1, metric: 100, type: "wlan")
        let kinds = ReceivedValues<ConnectionMonitor.Kind>()
        let monitor = network.topology.run { ConnectionMonitor() }
        monitor.onChange = { kind, _ in kinds.record(kind) }
        network.topology.run { monitor.start() }
        #expect(try kinds.next() == .wifi)
        #expect(monitor.isReachable)
        try network.ip("route del default")
        #expect(try kinds.next() == .none)
        monitor.stop()
    }

    @Test("starts a sequence by asking for its first element, and stops it by leaving")
    func sequence() async throws {
        let network = try TestNetwork.wired()
        let running = try Running(network)
        let monitor = network.monitor()
        #expect(monitor.queue == nil)
        // In a function, whose end releases the iterator also if the optimiser would let it live longer here.
        func firstStatus() async -> NWPath.Status? {
            var updates = monitor.pathUpdates().makeAsyncIterator()
            let status = await updates.next()?.status
            #expect(monitor.queue != nil)
            return status
        }
        #expect(await firstStatus() == .satisfied)
        #expect(monitor.queue == nil)
        running.end()
    }

    @Test("starts and stops a wrapper by hand")
    func wrapper() async throws {
        let network = try TestNetwork()
        let running = try Running(network)
        let wrapper = network.topology.run { NWPathMonitorWrapper() }
        wrapper.start()
        var updates = wrapper.pathUpdates().makeAsyncIterator()
        #expect(await updates.next()?.status == .unsatisfied)
        wrapper.stop()
        #expect(await updates.next() == nil)
        running.end()
    }

    @Test("reads gateways, addresses and details")
    func details() throws {
        let network = try TestNetwork.wired()
        let path = try network.path()
        #expect(gatewayTexts(of: path) == ["10.0.1.254"])
        #expect(firstRouterV4(of: path) == "10.0.1.254")
        #expect(NetworkIdioms6.details(of: path).contains("eth0: wiredEthernet"))
        #expect(path.status.message == "Network available")
        #expect(PathReport(path).reason == "not available")
    }

    /// In a separate process. In this one, Dispatch's threads, on which such code runs, may have been started by a thread of
    /// a topology, and then belong to its namespace.
    @Test("shows a banner when the network is gone, on the main actor")
    func banner() async {
        await #expect(processExitsWith: .success) { try await watchTheNetworkGo() }
    }

    @Test(
        "reads addresses in all forms",
        arguments: [
            ("192.0.2.1", "v4"), ("127.1", "v4"), ("2001:db8::1", "v6"), ("fe80::1%lo", "v6 link"),
            ("www.example.org", "name www.example.org"), ("1.2.3.4.5", "name 1.2.3.4.5"),
        ])
    func forms(text: String, expected: String) {
        #expect(family(of: text) == expected)
    }

    @Test("prints endpoints and errors as text")
    func texts() {
        #expect("\(endpoint)" == "www.example.org:443")
        #expect("\(another)" == "192.0.2.1:8080")
        #expect("\(NWEndpoint.hostPort(host: "::1", port: .http))" == "::1.80")
        #expect(NWEndpoint.Port("8080")?.rawValue == 8080)
        #expect(words(for: .posix(.ECONNREFUSED)) == "refused" && words(for: .wifiAware(3)) == "wifi aware 3")
        #expect(number(of: .wifiAware(3)) == 3 && parametersForSatellites().allowUltraConstrainedPaths)
        #expect(!NWParameters.tcp.allowUltraConstrainedPaths)
        #expect(IPv6Address("fe80::1%lo")?.interface?.name == "lo")
        #expect(IPv6Address("::ffff:192.0.2.1")?.asIPv4 == IPv4Address("192.0.2.1"))
        #expect(IPv6Address(Data(count: 15)) == nil && IPv4Address(Data([10, 0, 0, 1])) == IPv4Address("10.0.0.1"))
        #expect(IPv6Address.linkLocalNodes.multicastScope == .linkLocal)
        #expect(loopbackSocketAddress().sin_len == 16)
    }

    @Test("reads a port by its name from the list of services")
    func services() throws {
        try Machine(sysfs: true).run {
            _ = try CallingThread.execute([
                "sh", "-c", "mount -t tmpfs none /etc && echo 'of-this-test 4711/tcp' > /etc/services",
            ])
            #expect(NWEndpoint.Port("of-this-test")?.rawValue == 4711)
            #expect(NWEndpoint.Port("https") == nil)
        }
    }
}

/// Suspends until something changes that `read` reads.
@MainActor
func nextChange(_ read: () -> Void) async throws {
    let (changes, change) = AsyncStream.makeStream(of: Void.self)
    withObservationTracking(read) { change.yield() }
    for await _ in changes { break }
    try Task.checkCancellation()
}

/// The tests' network has only lo.
@MainActor
private func watchTheNetworkGo() async throws {
    let monitor = NetworkMonitor()
    monitor.startMonitoring()
    while monitor.isConnected { try await nextChange { _ = monitor.isConnected } }
    #expect(NetworkIdioms6.banner(monitor) == "Offline - showing cached data")
    monitor.stopMonitoring()
    let status = PathMonitor(status: .satisfied)
    while status.status == .satisfied { try await nextChange { _ = status.status } }
    #expect(status.status.image == "exclamationmark.triangle")
    status.disablePathMonitor()
}
