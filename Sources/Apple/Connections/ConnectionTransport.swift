// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem

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
    func enqueue(_ work: @escaping @Sendable () -> Void)

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
    /// Reports whether packets of an established connection can leave, now and at each change.
    func observe(_ stream: any ConnectionStream, _ report: @escaping @Sendable (Bool) -> Void) -> CancellationToken
}

package enum ResolutionProgress: Hashable, Sendable {
    /// All addresses that are known so far.
    case addresses([IPAddress])
    /// No more addresses follow. The failure is that of a name without any.
    case ended(ConnectionFailure?)
}
