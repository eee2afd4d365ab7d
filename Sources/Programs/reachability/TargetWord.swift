// SPDX-License-Identifier: Apache-2.0

import ReachabilityHostResolution
import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityResolverFiles

/// A target as people write or paste it. Routes do not depend on a port or the rest of a URL. `wait` connects to the port.
struct TargetWord: Equatable, Sendable {
    /// As it was given, without the user of a URL: a password must not appear in logs.
    let text: String
    let target: TargetText
    /// The port that was given.
    let port: UInt16?
    private let isURL: Bool

    init(_ text: String, for verb: Verb = .check) throws(ReachabilityError) {
        let url = HostAndPort.parts(ofURL: text)
        isURL = url.scheme != nil && !url.authority.isEmpty
        let scheme = isURL ? "\(url.scheme ?? "")://" : ""
        self.text = isURL ? scheme + text[url.authority.startIndex...] : text
        // The local address of a pair may have a zone, at whose end the comma would be.
        let isAddress = AddressText(text) != nil && !text.hasPrefix("[") && !text.contains(",")
        let parts =
            isURL
            ? HostAndPort(url: text) ?? HostAndPort(host: String(url.authority))
            : (isAddress ? nil : HostAndPort(text[...])) ?? HostAndPort(host: text)
        port = parts.port
        let written = isURL ? String(url.authority) : text
        if let problem = (!isAddress || AddressText.isLocalPort(text) ? AddressText.portHint(written) : nil)
            ?? (isAddress ? Self.loneNumberProblem(text) : Self.problem(text, parts.host, isURL: isURL))
            ?? (verb == .wait ? Self.waitProblem(parts, isURL ? url.scheme : nil) : nil)
        {
            // What follows the host may be secret, too.
            throw ReachabilityError(.invalidTarget, "use the target", isURL ? scheme + url.authority : text, problem)
        }
        target = isAddress ? .address(text) : try TargetText(parts.host)
        if let problem = target.problem { throw problem }
        if verb == .wait, port != nil, connection == nil {
            throw ReachabilityError(
                .invalidTarget, "use the target", text, "a connection needs one host, and a port above 0")
        }
    }

    /// What `--explain` says was left out, as a port is often given in the hope that it is connected to; nil if nothing was.
    var ignored: String? {
        let note = isURL ? "only the host of the URL counts" : port.map { "the port \($0) does not matter to routes" }
        guard let note, let connection else { return note }
        return "\(note); `reachability wait \(connection.text)` connects"
    }

    /// The connection that `wait` makes; nil without a port.
    var connection: ConnectionTarget? {
        guard let port, port > 0 else { return nil }
        switch target {
        case .name(let host), .address(let host):
            let shown = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
            return ConnectionTarget(text: isURL ? shown : text, target: target, port: port)
        case .pair, .defaultPath: return nil
        }
    }

    /// inet_aton(3) reads a number as an address: 5432 is 0.0.21.56. Hardly anybody means that.
    private static func loneNumberProblem(_ text: String) -> String? {
        guard UInt16(text) != nil else { return nil }
        return "this is a port without a host; write both in one word, as in db.example:\(text)"
    }

    /// What is wrong with texts from which nobody could tell what to wait for.
    private static func waitProblem(_ parts: HostAndPort, _ scheme: Substring?) -> String? {
        guard let scheme, parts.port == nil || scheme.lowercased() != "tcp" else { return nil }
        let host = parts.host.contains(":") ? "[\(parts.host)]" : parts.host
        let port = parts.port.map(String.init) ?? "PORT"
        return "write \(host):\(port) to wait for a TCP connection, or \(host) to wait for a route"
    }

    /// What is wrong with texts that look like something else than a name.
    private static func problem(_ text: String, _ host: String, isURL: Bool) -> String? {
        if let slash = text.lastIndex(of: "/"), !text.contains("://"), AddressText(String(text[..<slash])) != nil,
            text[text.index(after: slash)...].allSatisfy(\.isNumber)
        {
            return "this is a network in CIDR notation, and a target is one host; pass an address, such as "
                + String(text[..<slash])
        }
        if text.contains("://"), !isURL { return "this URL has no host; pass the host alone, such as www.example.org" }
        if !isURL, let at = text.lastIndex(of: "@") {
            return "a target has no user; pass what follows the \"@\": \(text[at...].dropFirst())"
        }
        if let percent = host.firstIndex(of: "%"), case .v4? = AddressText(String(host[..<percent]))?.address {
            return "an IPv4 address is written without an interface; --interface chooses one"
        }
        if let problem = portProblem(host) { return problem }
        if let mark = host.first(where: { "%[]".contains($0) }), AddressText(host) == nil, !host.contains(",") {
            return mark == "%"
                ? "no host name contains \"%\"; the interface of an address stands behind it, as in fe80::1%eth0"
                : "brackets stand around an IPv6 address, as in [2001:db8::1] and, with a port, [2001:db8::1]:443"
        }
        return nil
    }
}

extension TargetWord {
    /// What is wrong with the port of a host that has one.
    private static func portProblem(_ text: String) -> String? {
        guard let colon = text.lastIndex(of: ":"), colon > text.startIndex, !text.contains(","),
            text[..<colon].hasSuffix("]") || text.firstIndex(of: ":") == colon
        else { return nil }
        let port = text[colon...].dropFirst()
        if port.isEmpty { return "no port follows the \":\"; write one from 0 to 65535, or remove the \":\"" }
        return HostAndPort("host:\(port)"[...]) == nil ? "'\(port)' is no port from 0 to 65535" : nil
    }
}

/// What `wait` connects to.
struct ConnectionTarget: Equatable, Sendable {
    /// As it was given, but of a URL only the host and the port.
    let text: String
    let target: TargetText
    let port: UInt16
}
