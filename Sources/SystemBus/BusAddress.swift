// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem

/// Where the system bus listens (D-Bus Specification, "Server Addresses").
package enum BusAddress {
    /// The sockets to try, in order: those of the environment, or else the usual one.
    package static var ofSystem: [UnixSocket.Name] {
        EnvironmentVariable.value(of: "DBUS_SYSTEM_BUS_ADDRESS").map(sockets) ?? [.path(Array(usualPath.utf8))]
    }

    static let usualPath = "/run/dbus/system_bus_socket"

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
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default: "-_/.\\*".utf8.contains(byte)
        }
    }
}
