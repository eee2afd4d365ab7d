// SPDX-License-Identifier: Apache-2.0

import ReachabilityConnections
import ReachabilityHostResolution
import ReachabilityLinuxSystem
import ReachabilityReferences

/// A TCP connection that waits until its host can be reached, and reports its state.
///
/// ```swift
/// let connection = NWConnection(host: "www.swift.org", port: 80, using: .tcp)
/// connection.stateUpdateHandler = { state in print(state) }
/// connection.start(queue: .main)
/// ```
///
/// Handlers and completions run on the queue given to `start`, one at a time and in order. A connection is cancelled when it is
/// released. It belongs to the network namespace of the thread that makes it.
public final class NWConnection: CustomDebugStringConvertible, Sendable {
    /// The state of a connection.
    public enum State: Equatable, Sendable {
        /// Not started yet.
        case setup
        /// The host cannot be reached now: there is no route or no address, or nothing answers. A change of the network, or
        /// ``restart()``, leads to another attempt.
        case waiting(NWError)
        /// The name is being resolved, or its addresses are being tried.
        case preparing
        /// The connection is established.
        case ready
        /// The connection was ended by an error, or was impossible from the beginning.
        case failed(NWError)
        /// The connection was cancelled. No other state follows.
        case cancelled
    }

    /// The remote end, as it was given.
    public let endpoint: NWEndpoint
    /// The parameters, as they were given.
    public let parameters: NWParameters
    let connection: Connection
    let observer: ConnectionObserver
    private let released = EndOfRelease()

    /// Makes a connection to a host and a port.
    public convenience init(host: NWEndpoint.Host, port: NWEndpoint.Port, using parameters: NWParameters) {
        self.init(to: .hostPort(host: host, port: port), using: parameters)
    }

    /// Makes a connection to a host and a port, or to a URL that has a port or the scheme `http`.
    public init(to endpoint: NWEndpoint, using parameters: NWParameters) {
        beginWork()
        defer { endWork() }
        self.endpoint = endpoint
        self.parameters = parameters
        let request = ConnectionRequest(endpoint, parameters)
        connection = request.connection
        observer = ConnectionObserver(request, endpoint)
    }

    deinit {
        EndOfRelease.begin()
        connection.cancel()
    }

    // MARK: Handlers

    /// The latest state. The handler may not have been called with it yet.
    public var state: State { undisturbed { State(connection.state) } }

    /// Called with each new state.
    @preconcurrency public var stateUpdateHandler: (@Sendable (_ state: State) -> Void)? {
        get { undisturbed { observer.handlers.state } }
        set { undisturbed { observer.setStateHandler(newValue) } }
    }

    /// Called with the connection's path soon after the start, and at each change of it. It may be set at any time: if there was
    /// no handler before, the new one is called with the present path.
    @preconcurrency public var pathUpdateHandler: (@Sendable (_ newPath: NWPath) -> Void)? {
        get { undisturbed { observer.handlers.path.body } }
        set { undisturbed { observer.setHandler(\.path, newValue) } }
    }

    /// Called when the connection can carry data, and when it cannot for now because its link is down, or its address or route is
    /// gone. If there was no handler before, a new one is called with the latest value.
    @preconcurrency public var viabilityUpdateHandler: (@Sendable (_ isViable: Bool) -> Void)? {
        get { undisturbed { observer.handlers.viability.body } }
        set { undisturbed { observer.setHandler(\.viability, newValue) } }
    }

    /// Called with true when a new connection to the same address would leave by another interface than this one, and with false
    /// when it no longer would. If there was no handler before, a new one is called with the latest value. The established
    /// connection is not changed.
    @preconcurrency public var betterPathUpdateHandler: (@Sendable (_ betterPathAvailable: Bool) -> Void)? {
        get { undisturbed { observer.handlers.betterPath.body } }
        set { undisturbed { observer.setHandler(\.betterPath, newValue) } }
    }

    /// The path that the connection takes, or would take now; nil before the start and after the end.
    public var currentPath: NWPath? {
        undisturbed { observer.path() }
    }

    /// The queue on which handlers run; nil before the start.
    public var queue: DispatchQueue? {
        undisturbed { connection.client.queue }
    }

    // MARK: Life

    /// Begins to connect. A second start is ignored.
    public func start(queue: DispatchQueue) {
        undisturbed {
            connection.start(queue: queue)
            observer.subscribeIfNeeded()
        }
    }

    /// Tries again at once if the connection is waiting.
    public func restart() {
        undisturbed { connection.restart() }
    }

    /// Gives up the address that is being tried, and continues with the next one, or with `waiting`. An established connection
    /// fails with `ECANCELED`.
    public func cancelCurrentEndpoint() {
        undisturbed { connection.cancelCurrentEnd() }
    }

    /// Closes the connection in order; if the kernel has not accepted all data that was sent, it resets the connection instead,
    /// so that the peer does not mistake a part for the whole. Unfinished sends and receives fail with `ECANCELED`, and
    /// `cancelled` is the last state. The peer receives the data sent before. Data that the peer still sends is discarded until
    /// it closes its end, too, for at most 30 seconds and four megabytes.
    ///
    /// If the process ends in the meantime, unread data of the peer causes a reset, and data that the peer has not received is
    /// lost. A program that is about to end should therefore send its last content with `finalMessage`, wait for
    /// `contentProcessed`, receive until `isComplete`, and only then cancel.
    public func cancel() {
        undisturbed { connection.cancel() }
    }

    /// Resets the connection at once, even after `cancel`. Data that the peer has not received yet is lost.
    public func forceCancel() {
        undisturbed { connection.cancel(isForced: true) }
    }

    /// The endpoint and the parameters.
    public var debugDescription: String { "\(endpoint) \(parameters)" }
}

extension NWConnection.State {
    init(_ state: ConnectionMachine.State) {
        self =
            switch state {
            case .setup: .setup
            case .preparing: .preparing
            case .waiting(let failure): .waiting(NWError(failure))
            case .ready: .ready
            case .failed(let failure): .failed(NWError(failure))
            case .cancelled: .cancelled
            }
    }
}

extension NWError {
    init(_ failure: ConnectionFailure) {
        self =
            switch failure {
            case .system(let error), .unresolved(.couldNotAsk(let error)):
                .posix(POSIXErrorCode(rawValue: error.rawValue) ?? .EIO)
            case .unresolved(let outcome): .dns(DNSServiceError(outcome).rawValue)
            }
    }
}

extension DNSServiceError {
    /// As in Apple's framework, a name that does not exist is reported as one without records of the requested types.
    fileprivate init(_ outcome: ResolutionOutcome) {
        self =
            switch outcome {
            case .noSuchName, .noData: .noSuchRecord
            case .deadlinePassed: .timeout
            case .noServerReachable, .noServerConfigured: .serviceNotRunning
            case .impossibleName: .badParam
            case .failed, .couldNotAsk, .cancelled, .addresses: .unknown
            }
    }
}
