// SPDX-License-Identifier: Apache-2.0

import Connections
import ReachabilityKit

/// A connection over TCP that waits for a way to its host, and says how far it is.
///
/// ```swift
/// let connection = NWConnection(host: "www.swift.org", port: 80, using: .tcp)
/// connection.stateUpdateHandler = { state in print(state) }
/// connection.start(queue: .main)
/// ```
///
/// Handlers and completions run on the queue given to the start, one at a time and in order. Whoever lets go of a
/// connection has cancelled it. It is made in the network namespace of the thread that made it.
public final class NWConnection: CustomDebugStringConvertible, Sendable {
    /// How far a connection is.
    public enum State: Equatable, Sendable {
        /// It was not started.
        case setup
        /// There is no way now: no route, no address, nobody who answers. A change of the network, or ``restart()``,
        /// leads to another attempt.
        case waiting(NWError)
        /// The name is being resolved, and addresses are tried.
        case preparing
        /// It is there.
        case ready
        /// It is over, or could never be.
        case failed(NWError)
        /// It was cancelled, and nothing follows.
        case cancelled
    }

    /// What the connection leads to.
    public let endpoint: NWEndpoint
    /// How it was asked for.
    public let parameters: NWParameters
    let connection: Connection
    let watch: ConnectionPathWatch

    /// Makes a connection to a host and a port.
    public convenience init(host: NWEndpoint.Host, port: NWEndpoint.Port, using parameters: NWParameters) {
        self.init(to: .hostPort(host: host, port: port), using: parameters)
    }

    /// Makes a connection to an endpoint: a host and a port, or a URL of `http` or one with a port.
    public init(to endpoint: NWEndpoint, using parameters: NWParameters) {
        self.endpoint = endpoint
        self.parameters = parameters
        let order = ConnectionRequest(endpoint, parameters)
        connection = order.connection
        watch = ConnectionPathWatch(order, endpoint)
        let watch = watch
        connection.client.change(\.state) { watch.tell($0) }
        connection.client.change(\.viability) { watch.tellViability($0) }
    }

    deinit {
        connection.cancel()
    }

    // MARK: What is told

    /// How far it is now. Its handler may not have been called yet.
    public var state: State { State(connection.state) }

    /// What is called with each new state.
    @preconcurrency public var stateUpdateHandler: (@Sendable (_ state: State) -> Void)? {
        get { watch.handlers.state }
        set { watch.change(\.state, to: newValue) }
    }

    /// What is called with the connection's path, soon after the start and at each change of it.
    @preconcurrency public var pathUpdateHandler: (@Sendable (_ newPath: NWPath) -> Void)? {
        get { watch.handlers.path }
        set { watch.change(\.path, to: newValue) }
    }

    /// What is called when the connection can carry data, and when it cannot for now: its link is down, its address
    /// gone, or there is no route any more.
    @preconcurrency public var viabilityUpdateHandler: (@Sendable (_ isViable: Bool) -> Void)? {
        get { watch.handlers.viability }
        set { watch.change(\.viability, to: newValue) }
    }

    /// The way the connection takes or would take now; nil before the start and after the end.
    public var currentPath: NWPath? { watch.path() }

    /// Where handlers run; nil before the start.
    public var queue: DispatchQueue? { connection.client.queue }

    // MARK: Life

    /// Begins to connect. A second start is ignored.
    public func start(queue: DispatchQueue) {
        watch.start()
        connection.start(queue: queue)
    }

    /// Tries again at once, where the connection waits.
    public func restart() {
        connection.restart()
    }

    /// Ends the connection in order. What was asked for and not done fails with `ECANCELED`, and `cancelled` is the
    /// last state.
    public func cancel() {
        connection.cancel()
    }

    /// Ends the connection without any formality: the peer sees a reset.
    public func forceCancel() {
        connection.cancel(isForced: true)
    }

    /// What it leads to, and how.
    public var debugDescription: String { "\(endpoint) \(parameters)" }
}
