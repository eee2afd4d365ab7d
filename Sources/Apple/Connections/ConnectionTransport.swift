// SPDX-License-Identifier: Apache-2.0

package import ReachabilityHostResolution
package import ReachabilityKit
package import ReachabilityLinuxSystem
import ReachabilityNetlink

/// What a connection needs: a thread, timers, names, sockets, and observations of routes. Tests use a transport whose events
/// they script.
///
/// All but `open`, `close` and `enqueue` is called on the transport's thread, and calls its closures there. A cancelled
/// timer, connect or observation does not call its closure any more; a cancelled resolution may do so.
package protocol ConnectionTransport: Sendable {
    /// Makes the thread ready. Called once, before anything else.
    func open() throws(ConnectionFailure)
    /// Gives up the thread.
    func close()
    /// Runs work on the thread, in order.
    ///
    /// - Throws: if the thread has failed, and takes no more. What was enqueued before has run, or will.
    func enqueue(_ work: @escaping @Sendable () -> Void) throws(ConnectionFailure)

    /// Reports that the thread fails. Nothing runs there after that.
    func whenFailed(_ report: @escaping (ConnectionFailure) -> Void) -> CancellationToken

    func schedule(after delay: Duration, _ work: @escaping () -> Void) -> CancellationToken
    func resolve(_ report: @escaping @Sendable (ResolutionProgress) -> Void) -> CancellationToken
    /// The address that packets to a destination would be sent from; nil if there is no route.
    func source(towards destination: IPAddress) -> IPAddress?
    /// Connects to one address. `finished` may be called before this returns.
    func connect(
        to address: IPAddress, _ finished: @escaping (Result<any ConnectionStream, ConnectionFailure>) -> Void
    ) -> CancellationToken
    /// Reports why the host cannot be reached, or nil if it can: now and at each change of its route.
    func observeHost(_ report: @escaping @Sendable (ConnectionFailure?) -> Void) -> CancellationToken
    /// Reports the state of an established connection, now and at each change; perhaps also between.
    func observe(
        _ stream: any ConnectionStream, _ report: @escaping @Sendable (SocketFate.State) -> Void
    ) -> CancellationToken
}

package enum ResolutionProgress: Hashable, Sendable {
    /// All addresses that are known so far.
    case addresses([IPAddress])
    /// No more addresses follow. The failure is that of a name without any.
    case ended(ConnectionFailure?)
}

/// An established connection.
package protocol ConnectionStream: AnyObject {
    /// The address on this machine.
    var localEnd: InternetSocket.End { get }
    var remoteEnd: InternetSocket.End { get }

    /// Reports when the stream is ready for one of the events, has failed, or has ended in both directions; nil for none of
    /// these.
    func watch(_ events: Epoll.Interest?, _ report: @escaping (Epoll.Interest) -> Void) throws(Errno)
    /// Returns the number of bytes read; 0 at the end of the stream. Throws `wouldBlock` if there are none now.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int
    /// Returns the number of bytes taken. Throws `wouldBlock` if none can be taken now.
    func write(_ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int
    func closeWriting() throws(Errno)
    /// Returns the stream's error and clears it.
    func takeError() -> Errno?
    func close(isReset: Bool)
}

/// How much one connection reads or writes before the thread serves others. epoll reports again what is left.
enum TransferLimit {
    static let bytesPerCall = 64 << 10
    static let callsPerEvent = 16
}

/// Why a connection is not established.
package enum ConnectionFailure: Error, Hashable, Sendable {
    /// A system call failed, or would fail because there is no route to the host.
    case system(Errno)
    /// The host's name has no addresses.
    case unresolved(ResolutionOutcome)

    /// Whether another attempt may succeed, now or after a change of the network.
    package var isTemporary: Bool {
        switch self {
        case .system(let error): !Self.permanent.contains(error)
        case .unresolved(.couldNotAsk(let error)): !Self.permanent.contains(error)
        case .unresolved(.impossibleName): false
        case .unresolved: true
        }
    }

    /// Errors about this process or about the request, and not about the network.
    private static let permanent: Set<Errno> = [
        .invalidArgument, .protocolNotSupported, .addressFamilyNotSupported, .tooManyOpenFiles,
        .tooManyOpenFilesInSystem, .outOfMemory, .noBufferSpace, .notSupported,
    ]

    /// The failure to report if several addresses failed: the one that got furthest. A refused connection got further
    /// than one without an answer, and that one further than one without a route.
    package static func mostInformative(of failures: [ConnectionFailure]) -> ConnectionFailure? {
        var best: ConnectionFailure?
        for failure in failures where best.map({ failure.progress > $0.progress }) ?? true { best = failure }
        return best
    }

    private var progress: Int {
        switch self {
        case .unresolved: 0
        case .system(.networkUnreachable), .system(.networkDown), .system(.addressNotAvailable): 1
        case .system(.hostUnreachable): 2
        case .system(.timedOut): 3
        case .system: 4
        }
    }

    /// The error that connect(2) would give for a verdict of "not reachable".
    ///
    /// - Parameter resolved: for a name, how it was resolved.
    package init(_ reason: Reason, resolved: ResolutionOutcome? = nil) {
        self =
            switch reason {
            case .refused(.unreachable): .system(.hostUnreachable)
            case .refused(.prohibited): .system(.permissionDenied)
            case .refused: .system(.networkUnreachable)
            case .interfaceMissing, .linkDisabled, .linkBroken, .linkGone: .system(.networkDown)
            case .notOurAddress, .noSourceAddress: .system(.addressNotAvailable)
            case .interfaceNotNamed: .system(.invalidArgument)
            case .notAsked: .unresolved(resolved.flatMap { $0 == .addresses ? nil : $0 } ?? .noData)
            case .thisMachine, .onLink, .throughGateway, .overPointToPoint, .dormantLink, .familiesDiffer,
                .connectable:
                .system(.networkUnreachable)
            }
    }
}
