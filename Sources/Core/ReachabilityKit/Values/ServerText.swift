// SPDX-License-Identifier: Apache-2.0

/// A name server as people write it: an address, and optionally a port other than 53.
package struct ServerText: Hashable, Sendable {
    package let address: String
    package let port: UInt16

    package init?(_ text: String) {
        var (address, port) = (Substring(text), Substring("53"))
        if text.hasPrefix("["), let end = text.lastIndex(of: "]") {
            address = text[text.index(after: text.startIndex)..<end]
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
            if !rest.isEmpty { port = rest.dropFirst() }
        } else if text.count(where: { $0 == ":" }) == 1, let colon = text.firstIndex(of: ":") {
            (address, port) = (text[..<colon], text[text.index(after: colon)...])
        }
        guard let number = UInt16(port), number > 0, AddressText(String(address)) != nil else { return nil }
        self.address = String(address)
        self.port = number
    }
}
