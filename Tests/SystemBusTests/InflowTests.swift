// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Testing

@testable import SystemBus

@Suite("More than a bus has to say")
struct InflowTests {
    private static let start = BootTime(nanoseconds: 1_000_000_000_000)

    @Test("is what exceeds the limit in one window, and what came before does not count")
    func window() {
        var inflow = Inflow()
        let taken = [
            inflow.take(Inflow.limit, at: Self.start),
            inflow.take(1, at: Self.start.advanced(by: Inflow.window - .nanoseconds(1))),
            inflow.take(Inflow.limit, at: Self.start.advanced(by: Inflow.window)),
        ]
        #expect(taken == [true, false, true])
    }
}
