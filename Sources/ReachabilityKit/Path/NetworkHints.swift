// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// What a program that manages the network says, and the kernel does not know. No flag and no status depends on it.
package struct NetworkHints: Hashable, Sendable {
    /// The name of the metered interface. Nil if there is none, or if it is not known.
    package var meteredInterface: String?
    package var connectivity = NetworkPath.Connectivity.unknown

    package init(meteredInterface: String? = nil, connectivity: NetworkPath.Connectivity = .unknown) {
        self.meteredInterface = meteredInterface
        self.connectivity = connectivity
    }
}

/// Gives hints. Confined to the engine's thread, apart from `hints(in:timeout:)`.
///
/// To do without them, delete NetworkManagerHints.swift and the module SystemBus, and return nil here.
var networkHintSource: (any NetworkHintSource.Type)? { NetworkManagerHints.self }

protocol NetworkHintSource: AnyObject {
    /// The hints, asked for on the calling thread; nothing is known if there is no answer within `timeout`.
    static func hints(in namespace: NamespaceContext, timeout: Duration) -> NetworkHints

    /// - Parameter changed: called when `hints` have changed.
    init(_ namespace: NamespaceContext, _ loop: EventLoop, changed: @escaping () -> Void)

    /// The hints, as far as they are known.
    var hints: NetworkHints { get }

    /// Connects to the source, unless it is connected already.
    func connect()

    func end()
}
