// SPDX-License-Identifier: Apache-2.0

import Dispatch
import NetworkPathMonitor
import NetworkTesting
import Testing

@Suite(.network)
struct MonitorTests {
    @Test func hearsOfTheCable() async throws {
        let machine = try Machine.current
        try machine.connect("eth0", to: "router", "10.0.0.1/24", "10.0.0.254/24")
        try machine.route("default", via: "10.0.0.254")

        let (states, told) = AsyncStream.makeStream(of: NWPath.Status.self)
        let monitor = NWPathMonitor()
        monitor.pathUpdateHandler = { told.yield($0.status) }
        monitor.start(queue: DispatchQueue(label: "monitor"))
        var next = states.makeAsyncIterator()
        #expect(await next.next() == .satisfied)
        try machine.link("eth0").unplug()
        #expect(await next.next() == .unsatisfied)
        try machine.link("eth0").plugIn()
        #expect(await next.next() == .satisfied)
    }
}
