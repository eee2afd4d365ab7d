// SPDX-License-Identifier: Apache-2.0

import ReachabilityConnections
import ReachabilityKit
import ReachabilityLinuxSystem

/// One thing that `wait` waits for. Used on the main thread only. What happens on other threads comes as an event.
protocol WaitCondition: AnyObject {
    /// What it is about, in a few words, such as a target as it was given.
    var title: String { get }
    /// Whether it holds, as far as the events tell.
    var holds: Bool { get }
    /// The moment at which it wants `timePassed`; nil for none.
    var deadline: BootTime? { get }

    /// Begins to observe. Events go to `post`, which may be called on any thread.
    func begin(_ post: @escaping @Sendable (WaitEvent) -> Void) throws(ReachabilityError)
    func handle(_ event: WaitEvent) throws(ReachabilityError)
    func timePassed(_ now: BootTime) throws(ReachabilityError)
    /// Looks again whether it holds now. The events come one after the other, so an early one may be outdated.
    func holdsNow() throws(ReachabilityError) -> Bool
    /// Whether what says so is not too old at this moment. The kernel announces the end of everything but a server.
    func isProved(at moment: BootTime) -> Bool
    /// Begins to prove once more that it holds. An event tells the result.
    func prove()
    /// Whether it is being proved once more.
    var isProving: Bool { get }
    /// Ends observing. `begin` may follow.
    func end()
    /// Why it does not hold, in a few words.
    var obstacle: String { get }
    /// The sentence for when the time is up.
    var complaint: String { get }
}

extension WaitCondition {
    var deadline: BootTime? { nil }
    func timePassed(_ now: BootTime) throws(ReachabilityError) {}
    func isProved(at moment: BootTime) -> Bool { true }
    func prove() {}
    var isProving: Bool { false }
}

/// What a condition is told.
enum WaitEvent: Sendable {
    case state(ObservedState)
    case server(IPAddress, ObservedState)
    case path(NetworkPath)
    case gate([RequestGate.Obstacle])
    /// The end of an attempt to connect, with nil if it was successful. The number is that of the attempt.
    case connection(Int, ConnectionFailure?)

    /// Of events of one subject only the newest counts. That something held, and that it did not, are two: a break that is over is
    /// a break.
    enum Subject: Hashable {
        case state(Int, Bool), server(Int, IPAddress, Bool), path(Int), gate(Int, Bool), connection(Int, Int)
    }

    /// - Parameter position: that of the condition.
    func subject(_ position: Int) -> Subject {
        switch self {
        case .state(let state): .state(position, state.observation.flags.isReachable)
        case .server(let address, let state): .server(position, address, state.observation.flags.isReachable)
        case .path: .path(position)
        case .gate(let obstacles): .gate(position, obstacles.isEmpty)
        case .connection(let attempt, _): .connection(position, attempt)
        }
    }
}
