// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking

/// The delegate of a session that was made for one attempt. It passes on what such a session asks. The delegate of the client's
/// session cannot take its place: it would be told that its session has ended.
final class AttemptDelegate: NSObject, URLSessionTaskDelegate {
    private let client: URLSession

    init(for client: URLSession) {
        self.client = client
    }

    func urlSession(
        _: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        client.askDelegate(about: challenge, of: task, completionHandler)
    }
}

extension URLSession {
    /// Asks this session's delegate for a password that a task of another session needs.
    func askDelegate(
        about challenge: URLAuthenticationChallenge, of task: URLSessionTask,
        _ completion: @escaping @Sendable (AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard let delegate = delegate as? any URLSessionTaskDelegate else {
            return completion(.performDefaultHandling, nil)
        }
        delegateQueue.addOperation {
            delegate.urlSession(self, task: task, didReceive: challenge, completionHandler: completion)
        }
    }
}
