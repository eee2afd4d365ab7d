// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityResolverFiles

/// Asks modules of the C library on threads of their own, as a module may take as long as it likes.
///
/// The number of threads is fixed. When all of them hang, further requests wait.
final class ModuleThreads: Sendable {
    private static let limit = 4
    /// When so many requests wait, a module is unavailable to more.
    private static let queueLimit = 1024

    private struct Request: Sendable {
        let find: @Sendable () -> Finding
        let completion: @Sendable (Result<Finding, Errno>) -> Void
    }

    private struct State {
        var threads = 0
        var requests: [Request] = []
    }

    private let state = Lock(State())

    /// Asks a module. `completion` is called on another thread, or at once with why no thread asks.
    ///
    /// - Parameter end: when the answer is of no use any more. Then the module is not asked.
    func ask(
        _ module: String, _ query: NameQuery, _ environment: ResolverEnvironment, until end: BootTime,
        _ completion: @escaping @Sendable (Result<Finding, Errno>) -> Void
    ) {
        let find: @Sendable () -> Finding = {
            environment.time.now() < end
                ? Self.find(module, query, environment) : Finding(.deadlinePassed, .module(module))
        }
        let (isTaken, needsThread) = state.withLock { state in
            guard state.requests.count < Self.queueLimit else { return (false, false) }
            state.requests.append(Request(find: find, completion: completion))
            guard state.threads < Self.limit else { return (true, false) }
            state.threads += 1
            return (true, true)
        }
        guard isTaken else { return completion(.success(.unavailable)) }
        guard needsThread else { return }
        do throws(Errno) {
            try Thread.start(name: "names", stackBytes: 2 << 20) { self.run() }.detach()
        } catch {
            refuse(error)
        }
    }

    /// No thread could be started. One that runs takes the requests. If there is none, they end.
    private func refuse(_ error: Errno) {
        let refused = state.withLock { state -> [Request] in
            state.threads -= 1
            guard state.threads == 0 else { return [] }
            defer { state.requests = [] }
            return state.requests
        }
        for request in refused { request.completion(.failure(error)) }
    }

    private func run() {
        undisturbed {
            while let request = next() { request.completion(.success(request.find())) }
        }
    }

    /// The request to begin now. Without one, the calling thread ends.
    private func next() -> Request? {
        state.withLock { state in
            if state.requests.isEmpty {
                state.threads -= 1
                return nil
            }
            return state.requests.removeFirst()
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
