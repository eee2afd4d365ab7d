// SPDX-License-Identifier: Apache-2.0

public import Observation

/// The path as an observable object, for views and for `withObservationTracking`.
///
/// ```swift
/// let network = NWPathModel()
/// withObservationTracking {
///     print(network.isConnected)
/// } onChange: {
///     print("changes now")
/// }
/// ```
///
/// Apple's framework has no such class; programs write an `ObservableObject` around a monitor instead. The model begins
/// to watch when it is first read, and stops when it is released.
@MainActor @Observable
public final class NWPathModel {
    private var latest = NWPath.unknown
    @ObservationIgnored private var watching: Task<Void, Never>?
    @ObservationIgnored private let monitor: NWPathMonitor

    /// - Parameter monitor: the source of the paths. Its handler and queue are not used.
    public init(monitor: NWPathMonitor = NWPathMonitor()) {
        self.monitor = monitor
    }

    deinit {
        watching?.cancel()
    }

    /// The latest path; unsatisfied and without interfaces until the first is known.
    public var path: NWPath {
        watch()
        return latest
    }

    /// Whether packets can leave this machine.
    public var isConnected: Bool { path.status == .satisfied }

    /// Whether the path is expensive.
    public var isExpensive: Bool { path.isExpensive }

    private func watch() {
        guard watching == nil else { return }
        watching = Task { [weak self, monitor] in
            for await path in monitor {
                guard let self else { return }
                if latest != path { latest = path }
            }
        }
    }
}
