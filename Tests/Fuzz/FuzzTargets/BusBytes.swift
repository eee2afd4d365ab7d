// SPDX-License-Identifier: Apache-2.0

import SystemBus

/// Whatever a bus says, and however it is cut: nothing comes after hanging up is called for, the pieces do not matter, and
/// a message that can be read is read the same after it was written.
func readBus(_ bytes: [UInt8]) {
    if let message = try? BusMessage(bytes) {
        require((try? BusMessage(message.encoded)) == message, "a message reads otherwise than it was written")
        _ = try? message.texts(3)
    }
    var whole = MeteredDialogue()
    let expected = whole.take(bytes)
    var (dialogue, actions) = (MeteredDialogue(), [MeteredDialogue.Action]())
    let piece = Int(bytes.first ?? 0) % 13 + 1
    var rest = bytes[...]
    while !rest.isEmpty, actions.last != .hangUp {
        actions += dialogue.take(rest.prefix(piece))
        rest = rest.dropFirst(piece)
    }
    require(actions == expected, "the same bytes in pieces are another talk")
    require(!actions.dropLast().contains(.hangUp), "something follows a farewell")
}
