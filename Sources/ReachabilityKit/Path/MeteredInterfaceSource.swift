// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// Says which interface is metered. Confined to the engine's thread, apart from `interface(in:timeout:)`.
///
/// To do without one, delete Metering.swift and the module SystemBus, and return nil here.
var meteredInterfaceSource: (any MeteredInterfaceSource.Type)? { Metering.self }

protocol MeteredInterfaceSource: AnyObject {
    /// The metered interface, asked for on the calling thread; nil if there is none or no answer within `timeout`.
    static func interface(in namespace: NamespaceContext, timeout: Duration) -> String?

    /// - Parameter changed: called when `interface` has changed.
    init(_ namespace: NamespaceContext, _ loop: EventLoop, changed: @escaping () -> Void)

    /// The metered interface, as far as it is known.
    var interface: String? { get }

    /// Connects to the source, unless it is connected already.
    func connect()

    func end()
}
