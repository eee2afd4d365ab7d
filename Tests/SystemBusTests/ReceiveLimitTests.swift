// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Testing

@testable import SystemBus

@Suite("The limit of what is read from a bus")
struct ReceiveLimitTests {
    private static let start = BootTime(nanoseconds: 1_000_000_000_000)

    @Test("is a number of bytes in one window, and earlier bytes do not count")
    func window() {
        var limit = ReceiveLimit()
        let accepted = [
            limit.add(ReceiveLimit.byteLimit, at: Self.start),
            limit.add(1, at: Self.start.advanced(by: ReceiveLimit.window - .nanoseconds(1))),
            limit.add(ReceiveLimit.byteLimit, at: Self.start.advanced(by: ReceiveLimit.window)),
        ]
        #expect(accepted == [true, false, true])
    }

    @Test("ends the client's connection")
    func client() {
        var client = NetworkManagerClient()
        let zeros = [UInt8](repeating: 0, count: ReceiveLimit.byteLimit + 1)
        #expect(client.receive(zeros, at: Self.start) == [.hangUp])
    }
}
