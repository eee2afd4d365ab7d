// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityResolverFiles

/// Asks modules of the C library on threads of their own, as a module may take as long as it likes.
///
/// The number of threads is fixed. When all of them hang, further requests wait until they are cancelled, which a lookup
/// does when the module's part of its time is over.
final class ModuleThreads: Sendable {
    private static let limit = 4

    final class Request: Sendable {
        fileprivate struct Work: Sendable {
            let find: @Sendable () -> Finding
            let completion: @Sendable (Result<Finding, Errno>) -> Void
        }

        /// Nil once it was begun or cancelled.
        private let work: Lock<Work?>

        fileprivate init(_ work: Work) { self.work = Lock(work) }

        fileprivate var isOver: Bool { work.withLock { $0 == nil } }

        fileprivate func takeWork() -> Work? { work.withLock { $0.take() } }

        /// Drops the request, if no thread has begun it.
        func cancel() { work.remove { $0.take() } }
    }

    private struct State {
        var threads = 0
        var requests = FIFO<Request>()
        /// When there are so many requests, the cancelled ones are removed. To look for them at each request would take long.
        var sweepCount = 64

        mutating func append(_ request: Request) {
            if requests.count >= sweepCount {
                requests.removeAll(where: \.isOver)
                sweepCount = max(64, 2 * requests.count)
            }
            requests.append(request)
        }

        mutating func next() -> Request.Work? {
            while let request = requests.popFirst() {
                if let work = request.takeWork() { return work }
            }
            return nil
        }
    }

    private let state = Lock(State())

    /// Asks a module. `completion` is called on another thread, or with why there is none.
    func ask(
        _ module: String, _ query: NameQuery, _ environment: ResolverEnvironment,
        _ completion: @escaping @Sendable (Result<Finding, Errno>) -> Void
    ) -> Request {
        let find: @Sendable () -> Finding = { Self.find(module, query, environment) }
        let request = Request(Request.Work(find: find, completion: completion))
        let needsThread = state.withLock { state in
            state.append(request)
            guard state.threads < Self.limit else { return false }
            state.threads += 1
            return true
        }
        guard needsThread else { return request }
        do throws(Errno) {
            try Thread.start(name: "names", stackBytes: 2 << 20) { self.run() }.detach()
        } catch {
            refuse(error)
        }
        return request
    }

    /// No thread could be started. One that runs takes the requests. If there is none, they end.
    private func refuse(_ error: Errno) {
        let refused = state.withLock { state -> [Request] in
            state.threads -= 1
            return state.threads == 0 ? state.requests.removeAll() : []
        }
        for request in refused { request.takeWork()?.completion(.failure(error)) }
    }

    private func run() {
        beginWork()
        defer { endWork() }
        while true {
            let work = state.withLock { state -> Request.Work? in
                let work = state.next()
                if work == nil { state.threads -= 1 }
                return work
            }
            guard let work else { return }
            work.completion(.success(work.find()))
        }
    }

    private static func find(_ module: String, _ query: NameQuery, _ environment: ResolverEnvironment) -> Finding {
        // The module would answer for the namespace of this thread, with the files of the process.
        if let namespace = environment.namespace, !namespace.identity.isThatOfProcess { return .unavailable }
        switch NameModules.ask(module, for: "\(query.name)", query.family, in: environment.moduleDirectory) {
        case .addresses(let found, let timeToLive):
            return Finding(
                found, for: query, .module(module), timeToLive: timeToLive ?? Resolution.otherTimeToLive)
        case .notFound: return Finding(.noSuchName, .module(module))
        case .unavailable: return .unavailable
        case .tryAgain: return Finding(.deadlinePassed, .module(module))
        }
    }
}
