// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import LinuxSystem

/// Where a redirect leads (RFC 9110 15.4). Pure.
///
/// The request that FoundationNetworking offers is not used: it has no body after 307 and 308, its URL is wrong for many
/// relative locations, and it tells credentials to other servers.
enum Redirection {
    /// As many redirects are followed, as on Apple's systems.
    static let limit = 20

    /// The next request; nil if the response does not say where it goes.
    static func request(after request: URLRequest, _ response: HTTPURLResponse) -> URLRequest? {
        guard let from = request.url, let location = response.value(forHTTPHeaderField: "Location"),
            let url = URL(string: location, relativeTo: from)?.absoluteURL
        else { return nil }
        var next = request
        next.url = url
        if becomesGET(request.httpMethod ?? "GET", response.statusCode) {
            next.httpMethod = "GET"
            next.httpBodyStream = nil
            next.httpBody = nil
            remove(contentFields, from: &next)
        }
        if origin(of: url) != origin(of: from) { remove(privateFields, from: &next) }
        return next
    }

    private static func becomesGET(_ method: String, _ status: Int) -> Bool {
        switch status {
        case 301, 302: method == "POST"
        case 303: method != "HEAD"
        default: false
        }
    }

    /// What describes a body.
    private static let contentFields = [
        "Content-Encoding", "Content-Language", "Content-Length", "Content-Location", "Content-Type",
        "Transfer-Encoding",
    ]
    /// What is for one server only. Cookies are added for each request, by their storage.
    private static let privateFields = ["Authorization", "Cookie", "Host"]

    private static func remove(_ fields: [String], from request: inout URLRequest) {
        for field in fields { request.setValue(nil, forHTTPHeaderField: field) }
    }

    /// RFC 6454.
    private static func origin(of url: URL) -> [String] {
        let scheme = url.scheme?.lowercased() ?? ""
        let port = url.port ?? (scheme == "https" ? 443 : 80)
        return [scheme, url.host?.lowercased() ?? "", String(port)]
    }
}

/// Stops an attempt at a redirect, because the next hop is a request of its own.
///
/// It never calls the completion handler, which ends the process if the task was cancelled or timed out before
/// (`didCompleteRedirectCallback` in HTTPURLProtocol.swift). The task rests until it is cancelled.
final class RedirectStop: NSObject, URLSessionTaskDelegate {
    private let session: URLSession
    private let request: URLRequest
    private let stopped: @Sendable (HTTPURLResponse, URLRequest?) -> Void

    /// - Parameters:
    ///   - session: that of the client. Its delegate may change the next request, or refuse it.
    ///   - stopped: called with the next request; nil if the redirect is not followed.
    init(
        _ session: URLSession, _ request: URLRequest,
        stopped: @escaping @Sendable (HTTPURLResponse, URLRequest?) -> Void
    ) {
        self.session = session
        self.request = request
        self.stopped = stopped
    }

    func urlSession(
        _: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest _: URLRequest, completionHandler _: @escaping @Sendable (URLRequest?) -> Void
    ) {
        let next = Redirection.request(after: request, response)
        guard let next, let delegate = session.delegate as? any URLSessionTaskDelegate else {
            return stopped(response, next)
        }
        session.delegateQueue.addOperation { [session, stopped] in
            delegate.urlSession(session, task: task, willPerformHTTPRedirection: response, newRequest: next) {
                stopped(response, $0)
            }
        }
    }
}

/// The proxy that libcurl uses for a URL, by the variables of the environment ("Environment variables" in curl(1), and
/// CURLOPT_NOPROXY(3)). Pure.
struct ProxyVariables {
    /// Returns the value of a variable; nil if there is none.
    let value: (String) -> String?

    /// The host of the proxy; nil for none.
    func proxyHost(scheme: String, host: String) -> String? {
        let scheme = scheme.lowercased()
        // HTTP_PROXY is not read, as a web server sets it from a header of its client's (CVE-2016-5385).
        let names = (scheme == "http" ? ["http_proxy"] : ["\(scheme)_proxy", "\(scheme.uppercased())_PROXY"])
        let proxy = (names + ["all_proxy", "ALL_PROXY"]).compactMap(value).first
        guard let proxy, !proxy.isEmpty, !isExcepted(host) else { return nil }
        return Self.host(in: proxy)
    }

    private func isExcepted(_ host: String) -> Bool {
        guard let list = value("no_proxy") ?? value("NO_PROXY") else { return false }
        if list == "*" { return true }
        let address = Self.address(host)
        let name = Self.withoutFinalDot(host.lowercased()[...])
        return list.split(whereSeparator: { ", \t".contains($0) }).contains { entry in
            if let address { return Self.covers(entry, address) }
            let suffix = Self.withoutFinalDot(entry.lowercased().drop { $0 == "." })
            return !suffix.isEmpty && (name == suffix || name.hasSuffix(".\(suffix)"))
        }
    }

    /// Whether an entry is the address, or a network around it, such as "192.0.2.0/24".
    private static func covers(_ entry: Substring, _ address: IPAddress) -> Bool {
        let parts = entry.split(separator: "/", maxSplits: 1)
        guard let base = parts.first.flatMap({ Self.address(String($0)) }), base.family == address.family else {
            return false
        }
        guard parts.count == 2 else { return base == address }
        guard let length = UInt8(parts[1]), length <= base.bytes.count * 8 else { return false }
        return Prefix(base, length: length).contains(address)
    }

    private static func address(_ text: String) -> IPAddress? {
        let text = text.hasPrefix("[") && text.hasSuffix("]") ? text.dropFirst().dropLast() : text[...]
        return IPv4Address(strict: text).map { .v4($0) } ?? IPv6Address(text).map { .v6($0, scope: nil) }
    }

    private static func withoutFinalDot(_ name: Substring) -> Substring {
        name.hasSuffix(".") ? name.dropLast() : name
    }

    /// The host in "[scheme://][user[:password]@]host[:port][/]".
    static func host(in proxy: String) -> String? {
        var text = proxy[...]
        if let scheme = text.firstRange(of: "://") { text = text[scheme.upperBound...] }
        text = text.prefix { $0 != "/" }
        if let user = text.lastIndex(of: "@") { text = text[text.index(after: user)...] }
        let host =
            if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
                text[text.index(after: text.startIndex)..<end]
            } else {
                text.prefix { $0 != ":" }
            }
        return host.isEmpty ? nil : String(host)
    }
}
