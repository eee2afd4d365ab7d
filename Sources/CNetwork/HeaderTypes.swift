// SPDX-License-Identifier: Apache-2.0

import CNetworkHeaders

// As in CSystemConfiguration: this file compiles only if the functions have the types that the headers declare. For blocks
// and queues, these are handles here.

private func expect<Function>(_ ours: Function, sameTypeAs declared: Function) {}

/// Never called.
private func compareWithHeaders() {
    unsafe expect(CNetwork.nw_endpoint_copy_address_string, sameTypeAs: CNetworkHeaders.nw_endpoint_copy_address_string)
    unsafe expect(CNetwork.nw_endpoint_copy_port_string, sameTypeAs: CNetworkHeaders.nw_endpoint_copy_port_string)
    unsafe expect(CNetwork.nw_endpoint_create_address, sameTypeAs: CNetworkHeaders.nw_endpoint_create_address)
    unsafe expect(CNetwork.nw_endpoint_create_host, sameTypeAs: CNetworkHeaders.nw_endpoint_create_host)
    unsafe expect(CNetwork.nw_endpoint_get_address, sameTypeAs: CNetworkHeaders.nw_endpoint_get_address)
    unsafe expect(CNetwork.nw_endpoint_get_hostname, sameTypeAs: CNetworkHeaders.nw_endpoint_get_hostname)
    unsafe expect(CNetwork.nw_endpoint_get_port, sameTypeAs: CNetworkHeaders.nw_endpoint_get_port)
    unsafe expect(CNetwork.nw_endpoint_get_type, sameTypeAs: CNetworkHeaders.nw_endpoint_get_type)
    unsafe expect(CNetwork.nw_interface_get_index, sameTypeAs: CNetworkHeaders.nw_interface_get_index)
    unsafe expect(CNetwork.nw_interface_get_name, sameTypeAs: CNetworkHeaders.nw_interface_get_name)
    unsafe expect(CNetwork.nw_interface_get_type, sameTypeAs: CNetworkHeaders.nw_interface_get_type)
    unsafe expect(
        CNetwork.nw_path_copy_effective_local_endpoint,
        sameTypeAs: CNetworkHeaders.nw_path_copy_effective_local_endpoint)
    unsafe expect(
        CNetwork.nw_path_copy_effective_remote_endpoint,
        sameTypeAs: CNetworkHeaders.nw_path_copy_effective_remote_endpoint)
    unsafe expect(CNetwork.nw_path_enumerate_gateways, sameTypeAs: CNetworkHeaders.nw_path_enumerate_gateways)
    unsafe expect(CNetwork.nw_path_enumerate_interfaces, sameTypeAs: CNetworkHeaders.nw_path_enumerate_interfaces)
    unsafe expect(CNetwork.nw_path_get_status, sameTypeAs: CNetworkHeaders.nw_path_get_status)
    unsafe expect(CNetwork.nw_path_get_unsatisfied_reason, sameTypeAs: CNetworkHeaders.nw_path_get_unsatisfied_reason)
    unsafe expect(CNetwork.nw_path_has_dns, sameTypeAs: CNetworkHeaders.nw_path_has_dns)
    unsafe expect(CNetwork.nw_path_has_ipv4, sameTypeAs: CNetworkHeaders.nw_path_has_ipv4)
    unsafe expect(CNetwork.nw_path_has_ipv6, sameTypeAs: CNetworkHeaders.nw_path_has_ipv6)
    unsafe expect(CNetwork.nw_path_is_constrained, sameTypeAs: CNetworkHeaders.nw_path_is_constrained)
    unsafe expect(CNetwork.nw_path_is_equal, sameTypeAs: CNetworkHeaders.nw_path_is_equal)
    unsafe expect(CNetwork.nw_path_is_expensive, sameTypeAs: CNetworkHeaders.nw_path_is_expensive)
    unsafe expect(CNetwork.nw_path_monitor_cancel, sameTypeAs: CNetworkHeaders.nw_path_monitor_cancel)
    unsafe expect(CNetwork.nw_path_monitor_create, sameTypeAs: CNetworkHeaders.nw_path_monitor_create)
    unsafe expect(
        CNetwork.nw_path_monitor_create_with_type, sameTypeAs: CNetworkHeaders.nw_path_monitor_create_with_type)
    unsafe expect(
        CNetwork.nw_path_monitor_prohibit_interface_type,
        sameTypeAs: CNetworkHeaders.nw_path_monitor_prohibit_interface_type)
    unsafe expect(
        CNetwork.nw_path_monitor_set_cancel_handler, sameTypeAs: CNetworkHeaders.nw_path_monitor_set_cancel_handler)
    unsafe expect(CNetwork.nw_path_monitor_set_queue, sameTypeAs: CNetworkHeaders.nw_path_monitor_set_queue)
    unsafe expect(
        CNetwork.nw_path_monitor_set_update_handler, sameTypeAs: CNetworkHeaders.nw_path_monitor_set_update_handler)
    unsafe expect(CNetwork.nw_path_monitor_start, sameTypeAs: CNetworkHeaders.nw_path_monitor_start)
    unsafe expect(CNetwork.nw_path_uses_interface_type, sameTypeAs: CNetworkHeaders.nw_path_uses_interface_type)
    unsafe expect(CNetwork.nw_release, sameTypeAs: CNetworkHeaders.nw_release)
    unsafe expect(CNetwork.nw_retain, sameTypeAs: CNetworkHeaders.nw_retain)
}
