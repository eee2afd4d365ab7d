// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import ReachabilityHostResolution
import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityProxies
import Synchronization

/// One hop of a request: the request of the client, or one that a redirect led to.
struct Hop {
    enum Body: Sendable {
        case data(Data)
        case file(URL)
    }

    let request: URLRequest
    /// What is uploaded besides the request.
    let body: Body?

    var hasBody: Bool { body != nil || request.httpBody != nil }

    /// The hop after a redirect.
    ///
    /// - Parameter next: the request that follows, as the client's delegate may have changed it.
    func redirected(to next: URLRequest) throws(URLError) -> Hop {
        guard let url = next.url, let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme) else {
            throw URLError(.unsupportedURL)
        }
        if scheme == "http", request.url?.scheme?.lowercased() == "https" {
            let text = "The redirect from https to \(url) is not followed: it is not encrypted."
            throw URLError(
                .appTransportSecurityRequiresSecureConnection,
                userInfo: [NSLocalizedDescriptionKey: text, NSURLErrorFailingURLErrorKey: url])
        }
        if let stream = next.httpBodyStream, stream === request.httpBodyStream {
            throw URLError(.requestBodyStreamExhausted)
        }
        var next = next
        next.allowsCellularAccess = next.allowsCellularAccess && request.allowsCellularAccess
        let keepsBody =
            next.httpMethod == request.httpMethod && next.httpBody == request.httpBody && next.httpBodyStream == nil
        return Hop(request: next, body: keepsBody ? body : nil)
    }
}

/// How the attempts of a request are made, and what they result in.
struct Transport<Content: Sendable> {
    typealias Outcome = Result<(Content, URLResponse), any Error>

    /// Makes the task of an attempt, which calls the function once with its outcome. Without a session, the task gets one of
    /// its own.
    let task: (URLSession?, Hop, @escaping @Sendable (Outcome) -> Void) throws -> URLSessionTask
    /// The content of a redirect that is not followed. FoundationNetworking does not give it.
    let empty: () throws -> Content
}

/// One request that waits: does what ``WaitMachine`` decides for each hop, in the task of the caller.
struct WaitingTransfer<Content: Sendable> {
    let session: URLSession
    let conditions: RequestGate.Conditions
    let transport: Transport<Content>

    func result(
        of first: Hop, within limit: Duration, isolation: isolated (any Actor)?,
        whenWaiting: (ConnectivityObstacle) -> Void
    ) async throws -> (Content, URLResponse) {
        // The clock's instants cannot be more than some hundred years away.
        let deadline = ContinuousClock.now + min(max(limit, Duration.zero), Duration.seconds(86_400 * 36_500))
        var hop = first
        for _ in 0...Redirection.limit {
            switch try await ending(of: hop, by: deadline, isolation: isolation, whenWaiting: whenWaiting) {
            case .answer(let answer): return answer
            case .redirect(let next): hop = next
            }
        }
        throw URLError(.httpTooManyRedirects)
    }

    private enum Ending {
        case answer((Content, URLResponse))
        case redirect(Hop)
    }

    private enum Event: Sendable {
        case networkChanged(NetworkSnapshot)
        /// Changes of the network cannot be observed any more.
        case watchFailed
        case ended(attempt: Int, Transport<Content>.Outcome)
        case redirected(attempt: Int, HTTPURLResponse, URLRequest?)
        case timeUp
    }

    private func ending(
        of hop: Hop, by deadline: ContinuousClock.Instant, isolation: isolated (any Actor)?,
        whenWaiting: (ConnectivityObstacle) -> Void
    ) async throws -> Ending {
        let (events, feed) = AsyncStream.makeStream(of: Event.self)
        let timer = Task {
            try await Task.sleep(until: deadline, clock: .continuous)
            feed.yield(.timeUp)
        }
        // Each hop and each address has to be allowed.
        var conditions = conditions
        if !hop.request.allowsCellularAccess { conditions.prohibitedKinds = [.cellular] }
        var run = Run()
        var watch: CancellationToken?
        defer {
            timer.cancel()
            watch?.cancel()
            run.task?.cancel()
            feed.finish()
        }
        watch = try observe(hop, conditions) { feed.yield($0.map(Event.networkChanged) ?? .watchFailed) }
        let isWatching = watch != nil
        let repetition = Repetition(hop.request)
        let mayKeep = repetition == .always && !hop.hasBody && conditions == RequestGate.Conditions()
        var machine = WaitMachine(isWatching ? repetition : .never)
        // A request that needs no network, or on a machine that cannot observe it, is performed at once.
        if !isWatching { feed.yield(.networkChanged(.open)) }
        for await event in events {
            var actions: [WaitMachine.Action] = []
            switch event {
            case .networkChanged(let network):
                run.network = network
                let isSevered = run.task != nil && network.severs(run.networkOfAttempt)
                actions = machine.networkObserved(network.obstacle, isSevered: isSevered)
            case .watchFailed:
                guard run.task != nil || conditions == RequestGate.Conditions() else { throw URLError(.dataNotAllowed) }
                actions = machine.watchFailed()
            case .redirected(let attempt, let response, let next):
                guard attempt == run.attempt, run.task != nil else { continue }
                guard let next else { return .answer((try transport.empty(), response)) }
                return .redirect(try hop.redirected(to: next))
            case .ended(let attempt, let outcome):
                guard attempt == run.attempt, let task = run.task.take() else { continue }
                switch outcome {
                case .success(let answer): return .answer(answer)
                case .failure(let error):
                    run.lastError = error
                    actions = machine.attemptFailed(AttemptFailure(error, isAnswered: task.response != nil))
                }
            case .timeUp: throw timedOut(hop, machine.waitsFor, run.lastError)
            }
            for action in actions {
                switch action {
                case .attempt:
                    run.attempt += 1
                    run.networkOfAttempt = run.network
                    let isFirst = run.attempt == 1 && !run.hasWaited
                    run.task = try begin(hop, run.attempt, on: mayKeep && isFirst ? session : nil, feed)
                case .abandon:
                    run.task?.cancel()
                    run.task = nil
                case .report(let obstacle):
                    run.hasWaited = true
                    whenWaiting(obstacle)
                case .failAsAttempt: throw run.lastError ?? URLError(.unknown)
                case .fail(let code): throw URLError(code)
                }
            }
        }
        throw URLError(.cancelled)
    }

    private struct Run {
        var attempt = 0
        var hasWaited = false
        var task: URLSessionTask?
        var lastError: (any Error)?
        var network = NetworkSnapshot.open
        var networkOfAttempt = NetworkSnapshot.open
    }

    /// Begins an attempt. It has a session of its own unless one is given, and so no connection that was kept. Such a
    /// connection may belong to a network that is gone or not allowed. If it turns out to be dead, libcurl sends any request
    /// once more, without the body that it has read (Curl_retry_request in its transfer.c).
    private func begin(
        _ hop: Hop, _ attempt: Int, on kept: URLSession?, _ feed: AsyncStream<Event>.Continuation
    ) throws -> URLSessionTask {
        let task = try transport.task(kept, hop) { feed.yield(.ended(attempt: attempt, $0)) }
        task.delegate = RedirectStop(session, hop.request) { feed.yield(.redirected(attempt: attempt, $0, $1)) }
        task.resume()
        return task
    }

    /// Returns nil if there is nothing to observe. Fails if it cannot be known whether the network is allowed.
    ///
    /// - Parameter changed: called with nil if the network cannot be observed any more.
    private func observe(
        _ hop: Hop, _ conditions: RequestGate.Conditions, _ changed: @escaping @Sendable (NetworkSnapshot?) -> Void
    ) throws -> CancellationToken? {
        guard let url = hop.request.url, let host = url.host, !host.isEmpty, !url.isFileURL else { return nil }
        let proxy = ProxyVariables().proxyHost(scheme: url.scheme ?? "", host: host)
        do throws(ReachabilityError) {
            var options = ReachabilityOptions()
            // The port of a proxy is not known here.
            if proxy == nil {
                options.port = url.port.flatMap(UInt16.init(exactly:)) ?? ["http": 80, "https": 443][url.scheme ?? ""]
            }
            let reference = try ReachabilityRef(lenientHostname: proxy ?? host, options: options)
            let gate = RequestGate(to: reference, conditions)
            return try gate.observe(followingPath: true, failed: { _ in changed(nil) }) { view in
                if let snapshot = view.flatMap(NetworkSnapshot.init) { changed(snapshot) }
            }
        } catch {
            guard conditions == RequestGate.Conditions() else { throw URLError(.dataNotAllowed) }
            return nil
        }
    }

    private func timedOut(_ hop: Hop, _ obstacle: ConnectivityObstacle?, _ error: (any Error)?) -> URLError {
        let obstacle = obstacle.map { ": \($0)" } ?? ""
        var details: [String: Any] = [NSLocalizedDescriptionKey: "The request was not answered in time\(obstacle)."]
        if let error { details[NSUnderlyingErrorKey] = error }
        if let url = hop.request.url { details[NSURLErrorFailingURLErrorKey] = url }
        return URLError(.timedOut, userInfo: details)
    }
}

/// A file that an answer is written to. It is removed with this object unless the caller has taken it (`release`).
///
/// A download task is not used, because FoundationNetworking leaves its file behind if it fails or is cancelled.
final class FileDownload: NSObject, URLSessionDataDelegate {
    private struct State {
        var isTaken = false
        /// Why the file could not be written.
        var error: (any Error)?
    }

    private let location = FileManager.default.temporaryDirectory.appendingPathComponent(
        "download-\(UUID().uuidString)")
    private let handle: FileHandle
    private let client: URLSession?
    private let state = Mutex(State())
    private let finished: @Sendable (Transport<FileDownload>.Outcome) -> Void

    /// - Parameter client: the session of the client; nil for a file that stays empty.
    init(
        for client: URLSession? = nil,
        _ finished: @escaping @Sendable (Transport<FileDownload>.Outcome) -> Void = { _ in }
    ) throws(URLError) {
        do throws(Errno) {
            // Others may use the folder too.
            handle = FileHandle(
                fileDescriptor: try Files.create(location.path).release(), closeOnDealloc: true)
        } catch {
            throw URLError(.cannotCreateFile, userInfo: [NSLocalizedDescriptionKey: "\(location.path): \(error)"])
        }
        self.finished = finished
        self.client = client
    }

    deinit {
        if !state.withLock(\.isTaken) { try? FileManager.default.removeItem(at: location) }
    }

    /// The file belongs to the caller from now on.
    func release() -> URL {
        state.withLock { $0.isTaken = true }
        return location
    }

    func urlSession(_: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        do {
            try handle.write(contentsOf: data)
        } catch {
            state.withLock { $0.error = $0.error ?? error }
            dataTask.cancel()
        }
    }

    func urlSession(
        _: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        client?.askDelegate(about: challenge, of: task) { [handle] disposition, credential in
            // The task goes on with another answer. The text of this one was written to the file.
            if disposition == .useCredential { try? handle.truncate(atOffset: 0) }
            completionHandler(disposition, credential)
        }
    }

    func urlSession(_: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let error = state.withLock(\.error) ?? error
        finished(
            task.response.flatMap { error == nil ? .success((self, $0)) : nil } ?? .failure(error ?? URLError(.unknown))
        )
    }
}
