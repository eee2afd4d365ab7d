// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem

/// The interfaces of one network namespace that NetworkManager manages, kept current on an event loop. Confined to the loop's
/// thread, apart from `interfaces(_:timeout:)`.
///
/// NetworkManager is optional. Nothing waits for it, and nothing is known where it does not run or belongs to another
/// network namespace. If there was no connection, its owner tries again.
package final class ManagedInterfaces {
    /// The ways into the namespace.
    package struct Access {
        /// Connects to the system bus if it belongs to the namespace.
        let connect: () -> BusSocket.Outcome
        /// The interface that has a name now.
        let index: (_ name: String) -> InterfaceIndex?

        package init(connect: @escaping () -> BusSocket.Outcome, index: @escaping (_ name: String) -> InterfaceIndex?) {
            (self.connect, self.index) = (connect, index)
        }
    }

    private let access: Access
    private let loop: EventLoop
    private let patience: Duration
    private let changed: () -> Void
    private var bus = BusState.unknown
    private var devices = KnownDevices()
    /// Whether NetworkManager has answered, is absent, or has had long enough for its answer.
    package private(set) var areSettled = false
    private var limit: LoopTimer?

    private enum BusState {
        /// There was none, or it has ended.
        case unknown
        /// It belongs to another namespace. That does not change while there are subscribers.
        case foreign
        case connected(BusConnection)
    }

    /// - Parameters:
    ///   - patience: how long NetworkManager may take for its first answer.
    ///   - changed: called when `interfaces` have changed.
    package init(_ access: Access, on loop: EventLoop, patience: Duration, changed: @escaping () -> Void) {
        (self.access, self.loop, self.patience, self.changed) = (access, loop, patience, changed)
    }

    /// What is said of each, as far as it is known.
    package var interfaces: [InterfaceIndex: NetworkManager.Device] { devices.interfaces }

    /// Connects to the bus, unless it is connected already.
    package func connect() {
        guard case .unknown = bus else { return }
        switch access.connect() {
        case .connected(let descriptor): follow(descriptor)
        case .elsewhere:
            bus = .foreign
            areSettled = true
        case .absent: areSettled = true
        }
    }

    private func follow(_ descriptor: Int32) {
        let connection = BusConnection(OwnedDescriptor(owning: descriptor), on: loop) { [weak self] in
            self?.handle($0)
        }
        (bus, areSettled) = (.connected(connection), false)
        // May end the connection at once.
        connection.start()
        guard limit == nil else { return }
        let end = loop.now().advanced(by: patience)
        limit = loop.schedule(at: end) { [weak self] in self?.stopWaiting() }
    }

    package func end() {
        if case .connected(let connection) = bus { connection.close() }
        (bus, devices, areSettled) = (.unknown, KnownDevices(), false)
        limit.take().map(loop.cancel)
    }

    private func stopWaiting() {
        limit.take().map(loop.cancel)
        if !areSettled {
            areSettled = true
            changed()
        }
    }

    private func handle(_ event: BusConnection.Event) {
        let before = interfaces
        switch event {
        case .report(let report): devices.take(report, access)
        case .ended: (bus, devices) = (.unknown, KnownDevices())
        }
        if interfaces != before { changed() }
        stopWaiting()
    }

    /// The same, asked for on the calling thread. Nothing is known if there is no answer within `timeout`.
    package static func interfaces(
        _ access: Access, timeout: Duration
    ) -> [InterfaceIndex: NetworkManager.Device] {
        guard case .connected(let descriptor) = access.connect() else { return [:] }
        guard let loop = try? EventLoop() else {
            _ = OwnedDescriptor(owning: descriptor)
            return [:]
        }
        let managed = ManagedInterfaces(access, on: loop, patience: timeout) {}
        loop.perform { managed.follow(descriptor) }
        while !managed.areSettled, loop.failure == nil { loop.turn(waiting: true) }
        defer { loop.perform(managed.end) }
        return managed.interfaces
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
    private(set) var interfaces: [InterfaceIndex: NetworkManager.Device] = [:]

    mutating func take(_ report: NetworkManager.Report, _ access: ManagedInterfaces.Access) {
        let known = indices
        indices = [:]
        interfaces = [:]
        // In a fixed order: should two devices name one interface, the same one counts each time.
        for device in report.sorted(by: { $0.connection < $1.connection }) {
            let activation = Activation(connection: device.connection, name: device.interface)
            guard let index = known[activation] ?? access.index(device.interface) else {
                continue
            }
            indices[activation] = index
            interfaces[index] = device
        }
    }
}
