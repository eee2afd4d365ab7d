// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem

/// Connects to the bus that belongs to a network namespace.
package enum BusSocket {
    /// The caller owns the descriptor.
    package enum Outcome: Hashable, Sendable {
        case connected(Int32)
        /// There is no bus, or it accepts no connection now.
        case absent
        /// There is a bus, but it belongs to another network namespace and describes other networks.
        case elsewhere
    }

    /// Connects to the first socket that accepts, in the calling thread's namespaces. Does not wait, and sends nothing.
    package static func connect(to names: [UnixSocket.Name]) -> Outcome {
        for name in names {
            guard let descriptor = try? UnixSocket.open(), (try? UnixSocket.connect(descriptor, to: name)) != nil
            else { continue }
            return isHere(descriptor, name) ? .connected(descriptor.release()) : .elsewhere
        }
        return .absent
    }

    /// An abstract name exists in its own namespace only. A path may lead to a socket of any namespace, so a container with
    /// another network may reach the machine's bus. If the file was mounted here from elsewhere, its listener is bound to another
    /// path, so the peer's name is used.
    private static func isHere(_ descriptor: borrowing OwnedDescriptor, _ name: UnixSocket.Name) -> Bool {
        guard case .path = name else { return true }
        guard case .path(let bound)? = try? UnixSocket.peerName(descriptor) else { return false }
        return UnixSocket.hasListener(at: bound)
    }
}

/// Where the system bus listens (D-Bus Specification, "Server Addresses").
package enum BusAddress {
    /// The sockets to try, in order: those of the environment, or else the usual one.
    package static var ofSystem: [UnixSocket.Name] {
        EnvironmentVariable.value(of: "DBUS_SYSTEM_BUS_ADDRESS").map(sockets)
            ?? [.path(Array("/run/dbus/system_bus_socket".utf8))]
    }

    /// The sockets that an address names. Entries that are no local sockets or cannot be read are left out.
    package static func sockets(in address: String) -> [UnixSocket.Name] {
        address.utf8.split(separator: UInt8(ascii: ";")).compactMap { socket(Array($0)) }
    }

    private static func socket(_ entry: [UInt8]) -> UnixSocket.Name? {
        let transport = Array("unix:".utf8)
        guard entry.starts(with: transport) else { return nil }
        var values: [String: [UInt8]] = [:]
        for pair in entry.dropFirst(transport.count).split(separator: UInt8(ascii: ",")) {
            guard let equals = pair.firstIndex(of: UInt8(ascii: "=")),
                let value = unescaped(pair[pair.index(after: equals)...])
            else { return nil }
            let key = String(decoding: pair[..<equals], as: UTF8.self)
            guard values.updateValue(value, forKey: key) == nil else { return nil }
        }
        // Exactly one of them is required. The keys dir, tmpdir and runtime are for servers only.
        switch (values["path"], values["abstract"]) {
        case (let path?, nil): return fits(path) && !path.contains(0) ? .path(path) : nil
        case (nil, let name?): return fits(name) ? .abstract(name) : nil
        default: return nil
        }
    }

    private static func fits(_ name: [UInt8]) -> Bool {
        !name.isEmpty && name.count <= UnixSocket.longestName
    }

    /// All bytes but a few have to be written as a percent sign and two hexadecimal digits.
    private static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard rest.count >= 2, let high = digit(rest.removeFirst()), let low = digit(rest.removeFirst())
                else { return nil }
                bytes.append(high << 4 | low)
            } else {
                guard isPlain(byte) else { return nil }
                bytes.append(byte)
            }
        }
        return bytes
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        Character(UnicodeScalar(byte)).hexDigitValue.map { UInt8($0) }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        let character = Character(UnicodeScalar(byte))
        return character.isASCII && (character.isLetter || character.isNumber || "-_/.\\*".contains(character))
    }
}
