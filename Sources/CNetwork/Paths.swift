// SPDX-License-Identifier: Apache-2.0

public import CNetworkHeaders
import ReachabilityKit

/// The object behind a client's `nw_path_t`.
final class PathHandle: Sendable {
    let content: PathContent

    init(_ content: PathContent) {
        self.content = content
    }
}

private func content(_ path: nw_path_t?) -> PathContent? {
    unsafe object(path, as: PathHandle.self)?.content
}

/// Apple's function.
@_cdecl("nw_path_get_status")
public func nw_path_get_status(_ path: nw_path_t?) -> nw_path_status_t {
    switch unsafe content(path)?.status {
    case .satisfied: nw_path_status_satisfied
    case .unsatisfied: nw_path_status_unsatisfied
    case .requiresConnection: nw_path_status_satisfiable
    case nil: nw_path_status_invalid
    }
}

/// Apple's function.
@_cdecl("nw_path_get_unsatisfied_reason")
public func nw_path_get_unsatisfied_reason(_ path: nw_path_t?) -> nw_path_unsatisfied_reason_t {
    nw_path_unsatisfied_reason_not_available
}

/// Apple's function.
@_cdecl("nw_path_has_ipv4")
public func nw_path_has_ipv4(_ path: nw_path_t?) -> Bool { unsafe content(path)?.hasIPv4 ?? false }

/// Apple's function.
@_cdecl("nw_path_has_ipv6")
public func nw_path_has_ipv6(_ path: nw_path_t?) -> Bool { unsafe content(path)?.hasIPv6 ?? false }

/// Apple's function.
@_cdecl("nw_path_has_dns")
public func nw_path_has_dns(_ path: nw_path_t?) -> Bool { unsafe content(path)?.hasDNS ?? false }

/// Apple's function.
@_cdecl("nw_path_is_expensive")
public func nw_path_is_expensive(_ path: nw_path_t?) -> Bool { unsafe content(path)?.isExpensive ?? false }

/// Apple's function.
@_cdecl("nw_path_is_constrained")
public func nw_path_is_constrained(_ path: nw_path_t?) -> Bool { false }

/// Apple's function.
@_cdecl("nw_path_uses_interface_type")
public func nw_path_uses_interface_type(_ path: nw_path_t?, _ interfaceType: nw_interface_type_t) -> Bool {
    unsafe content(path)?.usedKinds.contains(InterfaceKind(interfaceType)) ?? false
}

/// Apple's function. Two NULLs are equal.
@_cdecl("nw_path_is_equal")
public func nw_path_is_equal(_ path: nw_path_t?, _ otherPath: nw_path_t?) -> Bool {
    unsafe content(path) == content(otherPath)
}

/// Apple's function.
@_cdecl("nw_path_copy_effective_local_endpoint")
public func nw_path_copy_effective_local_endpoint(_ path: nw_path_t?) -> nw_endpoint_t? { nil }

/// Apple's function.
@_cdecl("nw_path_copy_effective_remote_endpoint")
public func nw_path_copy_effective_remote_endpoint(_ path: nw_path_t?) -> nw_endpoint_t? { nil }

/// Apple's function.
@_cdecl("nw_path_enumerate_interfaces")
public func nw_path_enumerate_interfaces(_ path: nw_path_t?, _ block: nw_path_enumerate_interfaces_block_t?) {
    guard let content = unsafe content(path) else { return }
    unsafe ClientBlock.call(block, withEach: content.interfaces.map(InterfaceHandle.init))
}

/// Apple's function.
@_cdecl("nw_path_enumerate_gateways")
public func nw_path_enumerate_gateways(_ path: nw_path_t?, _ block: nw_path_enumerate_gateways_block_t?) {
    guard let content = unsafe content(path) else { return }
    unsafe ClientBlock.call(block, withEach: content.gateways.map(EndpointHandle.init))
}
