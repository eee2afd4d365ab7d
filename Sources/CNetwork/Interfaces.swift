// SPDX-License-Identifier: Apache-2.0

public import CNetworkHeaders
import ReachabilityKit

/// The object behind a client's `nw_interface_t`.
final class InterfaceHandle: Sendable {
    let interface: PathContent.Interface
    let name: OwnedText

    init(_ interface: PathContent.Interface) {
        self.interface = interface
        name = OwnedText(interface.name)
    }
}

extension InterfaceKind {
    /// A number that the header does not have counts as "other".
    init(_ type: nw_interface_type_t) {
        self =
            switch type {
            case nw_interface_type_wifi: .wifi
            case nw_interface_type_cellular: .cellular
            case nw_interface_type_wired: .wiredEthernet
            case nw_interface_type_loopback: .loopback
            default: .other
            }
    }

    fileprivate var type: nw_interface_type_t {
        switch self {
        case .other: nw_interface_type_other
        case .wifi: nw_interface_type_wifi
        case .cellular: nw_interface_type_cellular
        case .wiredEthernet: nw_interface_type_wired
        case .loopback: nw_interface_type_loopback
        }
    }
}

/// Apple's function.
@_cdecl("nw_interface_get_type")
public func nw_interface_get_type(_ interface: nw_interface_t?) -> nw_interface_type_t {
    unsafe object(interface, as: InterfaceHandle.self)?.interface.kind.type ?? nw_interface_type_other
}

/// Apple's function.
@_cdecl("nw_interface_get_name")
public func nw_interface_get_name(_ interface: nw_interface_t?) -> UnsafePointer<CChar>? {
    unsafe object(interface, as: InterfaceHandle.self)?.name.pointer
}

/// Apple's function.
@_cdecl("nw_interface_get_index")
public func nw_interface_get_index(_ interface: nw_interface_t?) -> UInt32 {
    unsafe object(interface, as: InterfaceHandle.self)?.interface.index ?? 0
}
