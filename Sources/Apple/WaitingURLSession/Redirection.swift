// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking

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
    private static let privateFields = ["Authorization", "Cookie", "Host", "Proxy-Authorization"]

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
