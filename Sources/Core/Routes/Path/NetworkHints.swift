// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem
import Netlink
import SystemBus

/// What NetworkManager says of interfaces, and the kernel does not know. No flag and no status depends on it.
package struct NetworkHints: Hashable, Sendable {
    package struct Interface: Hashable, Sendable {
        package var isMetered: Bool
        /// What was found by each family.
        package var ipv4: NetworkPath.Connectivity
        package var ipv6: NetworkPath.Connectivity

        package init(
            isMetered: Bool = false, ipv4: NetworkPath.Connectivity = .unknown,
            ipv6: NetworkPath.Connectivity = .unknown
        ) {
            (self.isMetered, self.ipv4, self.ipv6) = (isMetered, ipv4, ipv6)
        }

        func connectivity(_ family: AddressFamily) -> NetworkPath.Connectivity { family == .v4 ? ipv4 : ipv6 }
    }

    /// What is known. An index is never given to a link that was made anew, so nothing is known of that at first.
    package var interfaces: [InterfaceIndex: Interface] = [:]

    package init(_ interfaces: [InterfaceIndex: Interface] = [:]) {
        self.interfaces = interfaces
    }

    /// The best that was found by the default routes, in NetworkManager's order (`nm_connectivity_state_cmp`).
    func connectivity(of path: NetworkPath) -> NetworkPath.Connectivity {
        let found = AddressFamily.allCases.compactMap { family in
            path.defaultRoute(family).flatMap { interfaces[$0.interface]?.connectivity(family) }
        }
        return [.full, .portal, .limited, .none].first(where: found.contains) ?? .unknown
    }
}

/// Keeps what NetworkManager says of the network, while there are path subscribers. Confined to the engine's thread,
/// apart from `hints(in:timeout:)`.
///
/// NetworkManager is optional. Nothing waits for it, and nothing is known where it does not run or belongs to another
/// network namespace. If there was no connection, the next change of the path tries again.
final class NetworkManagerHints {
    private let namespace: NamespaceContext
    private let loop: EventLoop
    private let changed: () -> Void
    private var bus = BusState.unknown
    private var devices = KnownDevices()
    /// Whether NetworkManager has answered, is absent, or has had `SharedEngine.hintLimit` for its answer. Gates wait for this.
    private(set) var areSettled = false
    private var limit: LoopTimer?

    private enum BusState {
        /// There was none, or it has ended.
        case unknown
        /// It belongs to another namespace. That does not change while there are subscribers.
        case foreign
        case connected(BusConnection)
    }

    /// - Parameter changed: called when `hints` have changed.
    init(_ namespace: NamespaceContext, _ loop: EventLoop, changed: @escaping () -> Void) {
        self.namespace = namespace
        self.loop = loop
        self.changed = changed
    }

    /// The hints, as far as they are known.
    var hints: NetworkHints { devices.hints }

    /// Connects to the bus, unless it is connected already.
    func connect() {
        guard case .unknown = bus else { return }
        switch namespace.connectToBus() {
        case .connected(let descriptor):
            let connection = BusConnection(OwnedDescriptor(owning: descriptor), on: loop) { [weak self] in
                self?.handle($0)
            }
            bus = .connected(connection)
            connection.start()
            areSettled = false
            guard limit == nil else { return }
            let end = loop.now().advanced(by: namespace.sharedEngine.hintLimit.withLock(\.self))
            limit = loop.schedule(at: end) { [weak self] in self?.settle() }
        case .elsewhere:
            bus = .foreign
            areSettled = true
        case .absent: areSettled = true
        }
    }

    func end() {
        if case .connected(let connection) = bus { connection.close() }
        (bus, devices, areSettled) = (.unknown, KnownDevices(), false)
        limit.take().map(loop.cancel)
    }

    private func settle() {
        limit.take().map(loop.cancel)
        if !areSettled {
            areSettled = true
            changed()
        }
    }

    private func handle(_ event: BusConnection.Event) {
        let before = hints
        switch event {
        case .report(let report): devices.take(report, in: namespace)
        case .ended: (bus, devices) = (.unknown, KnownDevices())
        }
        if hints != before { changed() }
        settle()
    }

    /// The hints, asked for on the calling thread. Nothing is known if there is no answer within `timeout`.
    static func hints(in namespace: NamespaceContext, timeout: Duration) -> NetworkHints {
        var devices = KnownDevices()
        if case .connected(let descriptor) = namespace.connectToBus(),
            let report = BusConnection.report(over: OwnedDescriptor(owning: descriptor), timeout: timeout)
        {
            devices.take(report, in: namespace)
        }
        return devices.hints
    }
}

/// The interfaces that NetworkManager's devices are. NetworkManager tells their names, and a name may be that of another
/// link tomorrow. So the name is looked up once for each activation of a device, when NetworkManager first tells of it. If
/// the link is made anew, what was said before counts for nothing, until NetworkManager has activated the new one.
private struct KnownDevices {
    private struct Activation: Hashable {
        let connection: String
        /// A modem's device gets a network interface after it was activated.
        let name: String
    }

    private var indices: [Activation: InterfaceIndex] = [:]
    private(set) var hints = NetworkHints()

    mutating func take(_ report: NetworkManager.Report, in namespace: NamespaceContext) {
        let known = indices
        indices = [:]
        hints = NetworkHints()
        // In a fixed order: should two devices name one interface, the same one counts each time.
        for device in report.sorted(by: { $0.connection < $1.connection }) {
            let activation = Activation(connection: device.connection, name: device.interface)
            guard let index = known[activation] ?? namespace.index(of: device.interface) else {
                continue
            }
            indices[activation] = index
            hints.interfaces[index] = NetworkHints.Interface(
                isMetered: device.isMetered, ipv4: NetworkPath.Connectivity(device.ipv4),
                ipv6: NetworkPath.Connectivity(device.ipv6))
        }
    }
}

extension NetworkPath.Connectivity {
    fileprivate init(_ connectivity: NetworkManager.Connectivity) {
        switch connectivity {
        case .unknown: self = .unknown
        case .none: self = .none
        case .portal: self = .portal
        case .limited: self = .limited
        case .full: self = .full
        }
    }
}

extension NamespaceContext {
    /// Connects to the system bus if it belongs to this namespace.
    fileprivate func connectToBus() -> BusSocket.Outcome {
        (try? inside { [systemBus] () throws(NetlinkError) in BusSocket.connect(to: systemBus) }) ?? .absent
    }
}
