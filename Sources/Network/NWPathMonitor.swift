// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit

/// Tells how this machine can be got out of, now and whenever that changes.
///
/// ```swift
/// let monitor = NWPathMonitor()
/// monitor.pathUpdateHandler = { path in print(path.status) }
/// monitor.start(queue: DispatchQueue(label: "path"))
/// ```
///
/// The first update always comes, soon after the start. Whoever lets go of a monitor has cancelled it. It looks at the
/// network namespace of the thread that made it.
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

    /// Watches the path over interfaces of all but some types.
    public init(prohibitedInterfaceTypes: [NWInterface.InterfaceType]) {
        observer = PathObserver(PathRestriction(prohibited: Set(prohibitedInterfaceTypes.map(\.kind))))
    }

    deinit {
        observer.cancel()
    }

    /// What is called with the path: once soon after the start, then at each change. Set it at any time; one that is
    /// set after the first update was due is told of it still. Cancelling lets go of it.
    @preconcurrency public var pathUpdateHandler: (@Sendable (_ newPath: NWPath) -> Void)? {
        get { observer.handler }
        set { observer.setHandler(newValue) }
    }

    /// The newest path; unsatisfied and without interfaces before the first is known.
    public var currentPath: NWPath { observer.currentPath }

    /// Where updates are delivered; nil before the start.
    public var queue: DispatchQueue? { observer.queue }

    /// Begins to watch. A second start, and one after `cancel`, is ignored.
    public func start(queue: DispatchQueue) {
        observer.start(queue)
    }

    /// Ends watching for good. Once this has returned on the monitor's queue, no update is delivered any more.
    public func cancel() {
        observer.cancel()
    }
}
