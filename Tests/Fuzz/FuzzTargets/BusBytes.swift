// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import SystemBus

/// For any bytes from a bus, in any pieces: no action follows `hangUp`, the pieces do not matter, and a message that
/// can be read is the same after it was written and read again.
func readBus(_ bytes: [UInt8]) {
    if let message = try? BusMessage(bytes) {
        require((try? BusMessage(message.encoded)) == message, "a message changes when it is written and read")
        _ = try? message.texts(3)
    }
    let now = BootTime(nanoseconds: 1)
    var whole = NetworkManagerClient()
    let expected = whole.receive(bytes, at: now)
    var (client, actions) = (NetworkManagerClient(), [NetworkManagerClient.Action]())
    let piece = Int(bytes.first ?? 0) % 13 + 1
    var rest = bytes[...]
    while !rest.isEmpty, actions.last != .hangUp {
        actions += client.receive(rest.prefix(piece), at: now)
        rest = rest.dropFirst(piece)
    }
    require(actions == expected, "the same bytes in pieces lead to other actions")
    require(!actions.dropLast().contains(.hangUp), "an action follows hangUp")
}
