// SPDX-License-Identifier: Apache-2.0

import ReachabilityHostResolution
import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityProxies
import ReachabilityResolverFiles
import SystemConfigurationCore

/// An address that is read, printed and read again is the same. An accepted name has no problem.
func readTarget(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    if let parsed = AddressText(text) {
        require(AddressText(parsed.address.description)?.address == parsed.address, "'\(text)' is printed as another")
    }
    _ = AddressText(text, ignoringRest: true)
    if let server = ServerText(text) {
        require(server.port != 0 && AddressText(server.address) != nil, "'\(text)' is no server")
    }
    if let target = try? TargetText(text), case .pair(let local, let remote) = target {
        require(local != nil || remote != nil, "'\(text)' is a pair of nothing")
    }
    if let name = try? HostName(text) {
        require(name.problem == nil, "'\(text)' was accepted with a problem")
    }
    _ = HostName(lenient: text).description
}

/// A file with any content is read, and the addresses of a name are in stable order.
func readFiles(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    let hosts = HostsFile(parsing: bytes)
    let configuration = ResolvConf(parsing: text)
    for word in text.split(whereSeparator: \.isWhitespace).prefix(16) {
        let name = HostName(lenient: String(word))
        let found = hosts.lookUp(name)
        require(found == found.sorted() && Set(found).count == found.count, "the addresses of '\(word)': \(found)")
        _ = configuration.candidates(for: name)
    }
}

/// A pattern: it is compiled and matched, or refused. One without special characters matches itself only. Those with many
/// repetitions are left out, as glibc takes memory for each.
func readPattern(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    let keys = ["", "State:/Network/Interface/eth0/IPv4", text, String(repeating: "a", count: 64)]
    let repetitions = text.utf8.count { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "\\") }
    guard repetitions < 2, let pattern = KeyPattern(text) else { return }
    let matches = keys.map(pattern.matches)
    if text.utf8.allSatisfy({ byte in byte < 128 && (Character(Unicode.Scalar(byte)).isLetter || byte == 47) }) {
        require(matches[2] && matches[0] == text.isEmpty, "'\(text)' does not match itself only")
    }
    _ = ProxySettings(ProxyVariables { _ in text }).value
}
