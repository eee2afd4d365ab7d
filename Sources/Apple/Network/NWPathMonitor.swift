// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit

/// Reports how packets can leave this machine, now and at each change.
///
/// ```swift
/// let monitor = NWPathMonitor()
/// monitor.pathUpdateHandler = { path in print(path.status) }
/// monitor.start(queue: DispatchQueue(label: "path"))
/// ```
///
/// The first update always comes, soon after the start. A monitor that is released is cancelled. It belongs to the
/// network namespace of the thread that makes it.
public final class NWPathMonitor: Sendable {
    let observer: PathObserver

    /// Watches the default path.
    public init() {
        observer = PathObserver(PathRestriction())
    }

    /// Watches the path over interfaces of one type.
    public init(requiredInterfaceType: NWInterface.InterfaceType) {
        observer = PathObserver(PathRestriction(required: requiredInterfaceType.kind))
    }

    /// Watches the path over interfaces of all other types.
    public init(prohibitedInterfaceTypes: [NWInterface.InterfaceType]) {
        observer = PathObserver(PathRestriction(prohibited: Set(prohibitedInterfaceTypes.map(\.kind))))
    }

    deinit {
        observer.cancel()
    }

    /// Called with the path soon after the start, then at each change. It may be set at any time: a new handler is
    /// called with the present path if no handler was before. `cancel` releases it.
    @preconcurrency public var pathUpdateHandler: (@Sendable (_ newPath: NWPath) -> Void)? {
        get { observer.handler }
        set { observer.setHandler(newValue) }
    }

    /// The latest path; unsatisfied and without interfaces until the first is known.
    public var currentPath: NWPath { observer.currentPath }

    /// The queue that the handler is called on; nil before the start.
    public var queue: DispatchQueue? { observer.queue }

    /// Begins to watch. A second start, and one after `cancel`, is ignored.
    public func start(queue: DispatchQueue) {
        observer.start(queue)
    }

    /// Stops watching for good. After a call on the monitor's queue returns, the handler is not called again.
    public func cancel() {
        observer.cancel()
    }
}
