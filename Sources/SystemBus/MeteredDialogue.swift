// SPDX-License-Identifier: Apache-2.0

/// A whole conversation with a bus about metered interfaces: bytes come in, bytes and news come out; no I/O.
package struct MeteredDialogue: Sendable {
    package enum Action: Hashable, Sendable {
        case send([UInt8])
        case metered(String?)
        case hangUp
    }

    private var stream = BusStream()
    private var handshake: BusHandshake? = BusHandshake()
    private var talk = MeteredTalk()

    package init() {}

    package func begin() -> [Action] { [.send(BusHandshake.opening)] }

    /// Takes what has come. After `hangUp` nothing more is to be passed here.
    package mutating func take(_ bytes: some Sequence<UInt8>) -> [Action] {
        stream.append(bytes)
        var actions: [Action] = []
        do throws(BusError) {
            while handshake != nil, let line = try stream.nextLine() {
                actions += takeLine(line)
                if actions.last == .hangUp { return actions }
            }
            while handshake == nil, let message = try stream.nextMessage() {
                actions += perform(talk.take(message))
                if actions.last == .hangUp { return actions }
            }
            return actions
        } catch {
            // What cannot be read once cannot be read at all: where the next message begins is not known.
            return actions + [.hangUp]
        }
    }

    private mutating func takeLine(_ line: String) -> [Action] {
        switch handshake?.take(line) {
        case .say(let bytes): return [.send(bytes)]
        case .done(let bytes):
            handshake = nil
            return [.send(bytes)] + perform(talk.begin())
        case .refused, nil: return [.hangUp]
        }
    }

    private func perform(_ actions: [MeteredTalk.Action]) -> [Action] {
        actions.map { action in
            switch action {
            case .say(let message): .send(message.encoded)
            case .metered(let interface): .metered(interface)
            case .giveUp: .hangUp
            }
        }
    }
}
