// SPDX-License-Identifier: Apache-2.0

public import Observation

/// The path as something to observe: a view, or whatever follows `withObservationTracking`, is told when it changes.
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
/// Apple's framework has no such class; it stands for the `ObservableObject` that programs wrap a monitor in. It
/// begins to watch when it is first read, and ends with its last reference.
@MainActor @Observable
public final class NWPathModel {
    private var latest = NWPath.unknown
    @ObservationIgnored private var watching: Task<Void, Never>?
    @ObservationIgnored private let monitor: NWPathMonitor

    /// - Parameter monitor: tells the paths; its own handler and queue are left alone.
    public init(monitor: NWPathMonitor = NWPathMonitor()) {
        self.monitor = monitor
    }

    deinit {
        watching?.cancel()
    }

    /// The newest path; unsatisfied and without interfaces until the first is known.
    public var path: NWPath {
        watch()
        return latest
    }

    /// Whether there is a way out.
    public var isConnected: Bool { path.status == .satisfied }

    /// Whether data costs.
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
