// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking

/// What the error of an attempt says about the request.
enum AttemptFailure: Hashable {
    /// No connection was made, so the server knows nothing of the request.
    case notSent(URLError.Code)
    /// The connection broke. The server may have received the request.
    case lost(URLError.Code)
    /// The network may be the reason. It is, if it has changed.
    case unclear(URLError.Code)
    /// Something else, which a change of the network does not mend.
    case other(URLError.Code)

    init(_ error: any Error) {
        guard let error = error as? URLError else {
            self = .other(.unknown)
            return
        }
        switch error.code {
        case .notConnectedToInternet, .cannotFindHost, .dnsLookupFailed, .cannotConnectToHost:
            self = .notSent(error.code)
        case .networkConnectionLost: self = .lost(error.code)
        // FoundationNetworking has no code for "there is no route" (EasyHandle.swift). The words are libcurl's.
        case .unknown where error.localizedDescription.hasPrefix("Failed to connect to "): self = .notSent(error.code)
        case .unknown, .timedOut: self = .unclear(error.code)
        default: self = .other(error.code)
        }
    }

    var code: URLError.Code {
        switch self {
        case .notSent(let code), .lost(let code), .unclear(let code), .other(let code): code
        }
    }
}

/// Whether a request may be performed more than once.
enum Repetition: Hashable {
    /// Also if the server may have received it.
    case always
    /// Only if the server has not received it.
    case ifNotSent
    /// The body of the request can be read only once, or changes of the network cannot be observed.
    case never

    init(_ request: URLRequest) {
        // RFC 9110 9.2.2. Methods are case-sensitive.
        let idempotent: Set<String> = ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"]
        if request.httpBodyStream != nil {
            self = .never
        } else {
            self = idempotent.contains(request.httpMethod ?? "GET") ? .always : .ifNotSent
        }
    }
}
