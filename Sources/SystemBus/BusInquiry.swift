// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem

/// Asks once what is metered, on the calling thread, for somebody who has a little time.
package enum BusInquiry {
    /// The metered interface; nil also where nobody said so in time.
    ///
    /// - Parameter socket: is connected, and does not block.
    package static func meteredInterface(
        by socket: consuming OwnedDescriptor, patience: Duration, time: any TimeSource = SystemTime()
    ) -> String? {
        let socket = socket
        let limit = time.now().advanced(by: patience)
        do throws(Errno) {
            let epoll = try Epoll()
            try epoll.add(socket.rawValue, .readable, token: 0)
            var (dialogue, inflow) = (MeteredDialogue(), Inflow())
            var actions = dialogue.begin()
            while true {
                for action in actions {
                    switch action {
                    case .send(let bytes):
                        // The few hundred bytes of a fresh connection always have room.
                        guard try StreamSocket.write(socket, bytes) == bytes.count else { return nil }
                    case .metered(let interface): return interface
                    case .hangUp: return nil
                    }
                }
                let now = time.now()
                guard now < limit else { return nil }
                try epoll.wait(timeoutMilliseconds: limit.duration(since: now).wholeMilliseconds) { _ in }
                let bytes = try read(socket)
                guard let bytes else {
                    actions = []
                    continue
                }
                guard !bytes.isEmpty, inflow.take(bytes.count, at: time.now()) else { return nil }
                actions = dialogue.take(bytes)
            }
        } catch {
            return nil
        }
    }

    /// What has come; nil where nothing has.
    private static func read(_ socket: borrowing OwnedDescriptor) throws(Errno) -> [UInt8]? {
        do throws(Errno) {
            return try StreamSocket.read(socket, upTo: 4096)
        } catch {
            guard error == .wouldBlock else { throw error }
            return nil
        }
    }
}
