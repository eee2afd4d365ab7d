// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import LinuxSystem
import ReachabilityKit

/// One request that waits: does what ``WaitMachine`` decides, in the task of the caller.
struct WaitingTransfer<Value: Sendable> {
    /// Begins an attempt, and calls the function once with its outcome.
    typealias Begin = (@escaping @Sendable (Result<Value, any Error>) -> Void) -> URLSessionTask

    private enum Event: Sendable {
        case networkChanged
        case ended(attempt: Int, Result<Value, any Error>)
        case timeUp
    }

    let request: URLRequest
    let demands: NetworkDemands
    let limit: Duration
    let begin: Begin

    func value(isolation: isolated (any Actor)?, whenWaiting: (ConnectivityObstacle) -> Void) async throws -> Value {
        let (events, feed) = AsyncStream.makeStream(of: Event.self)
        let timer = Task { [limit] in
            // The clock's instants cannot be more than some hundred years away.
            let bounded = min(max(limit, Duration.zero), Duration.seconds(86_400 * 36_500))
            try await Task.sleep(for: bounded, clock: .continuous)
            feed.yield(.timeUp)
        }
        let observer = RequestObserver(demands) { feed.yield(.networkChanged) }
        let isWatching = watch(observer)
        var run = Run(machine: WaitMachine(isWatching ? Repetition(request) : .never))
        defer {
            timer.cancel()
            observer.end()
            run.task?.cancel()
            feed.finish()
        }
        // A request that needs no network, or on a machine that cannot observe it, is performed at once.
        if !isWatching { feed.yield(.networkChanged) }
        for await event in events {
            var actions: [WaitMachine.Action] = []
            switch event {
            case .networkChanged:
                guard let network = isWatching ? observer.present(after: &run.version) : .open else { continue }
                actions = run.observe(network)
            case .ended(let attempt, let result):
                guard attempt == run.attempt, run.task != nil else { continue }
                run.task = nil
                switch result {
                case .success(let value): return value
                case .failure(let error):
                    run.lastError = error
                    actions = run.machine.attemptFailed(AttemptFailure(error))
                }
            case .timeUp: throw timedOut(run)
            }
            for action in actions {
                switch action {
                case .attempt:
                    run.attempt += 1
                    run.networkOfAttempt = run.network
                    let task = begin { [attempt = run.attempt] in feed.yield(.ended(attempt: attempt, $0)) }
                    run.task = task
                    task.resume()
                case .abandon:
                    run.task?.cancel()
                    run.task = nil
                case .report(let obstacle): whenWaiting(obstacle)
                case .failAsAttempt: throw run.lastError ?? URLError(.unknown)
                case .fail(let code): throw URLError(code)
                }
            }
        }
        throw URLError(.cancelled)
    }

    private struct Run {
        var machine: WaitMachine
        var attempt = 0
        var task: URLSessionTask?
        var lastError: (any Error)?
        var version = 0
        var network = NetworkSnapshot.open
        var networkOfAttempt = NetworkSnapshot.open

        mutating func observe(_ network: NetworkSnapshot) -> [WaitMachine.Action] {
            self.network = network
            let isSevered = task != nil && network.severs(networkOfAttempt)
            return machine.networkObserved(network.obstacle, isSevered: isSevered)
        }
    }

    /// Returns false if there is nothing to observe.
    private func watch(_ observer: RequestObserver) -> Bool {
        guard let url = request.url, let host = url.host, !host.isEmpty, !url.isFileURL else { return false }
        let proxy = ProxyVariables { EnvironmentVariable.value(of: $0) }
            .proxyHost(scheme: url.scheme ?? "", host: host)
        do throws(ReachabilityError) {
            try observer.begin(try ReachabilityRef(lenientHostname: proxy ?? host))
            return true
        } catch {
            return false
        }
    }

    private func timedOut(_ run: Run) -> URLError {
        let obstacle = run.machine.waitsFor.map { ": \($0)" } ?? ""
        var details: [String: Any] = [NSLocalizedDescriptionKey: "The request was not answered in time\(obstacle)."]
        if let error = run.lastError { details[NSUnderlyingErrorKey] = error }
        if let url = request.url { details[NSURLErrorFailingURLErrorKey] = url }
        return URLError(.timedOut, userInfo: details)
    }
}
