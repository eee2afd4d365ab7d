// SPDX-License-Identifier: Apache-2.0

import CReachabilityHeaders

// As in CSystemConfiguration: this file compiles only if the functions have the types that the header declares.

private func expect<Function>(_ ours: Function, sameTypeAs declared: Function) {}

/// Never called.
private func compareWithHeaders() {
    unsafe expect(CReachability.reachability_path_get, sameTypeAs: CReachabilityHeaders.reachability_path_get)
    unsafe expect(
        CReachability.reachability_path_get_json, sameTypeAs: CReachabilityHeaders.reachability_path_get_json)
    unsafe expect(CReachability.reachability_target_create, sameTypeAs: CReachabilityHeaders.reachability_target_create)
    unsafe expect(
        CReachability.reachability_target_create_with_address,
        sameTypeAs: CReachabilityHeaders.reachability_target_create_with_address)
    unsafe expect(CReachability.reachability_target_free, sameTypeAs: CReachabilityHeaders.reachability_target_free)
    unsafe expect(
        CReachability.reachability_target_get_flags, sameTypeAs: CReachabilityHeaders.reachability_target_get_flags)
    unsafe expect(
        CReachability.reachability_target_explain, sameTypeAs: CReachabilityHeaders.reachability_target_explain)
    unsafe expect(
        CReachability.reachability_target_explain_json,
        sameTypeAs: CReachabilityHeaders.reachability_target_explain_json)
    unsafe expect(CReachability.reachability_flags_to_text, sameTypeAs: CReachabilityHeaders.reachability_flags_to_text)
    unsafe expect(
        CReachability.reachability_target_get_reason, sameTypeAs: CReachabilityHeaders.reachability_target_get_reason)
    unsafe expect(CReachability.reachability_version, sameTypeAs: CReachabilityHeaders.reachability_version)
    unsafe expect(
        CReachability.reachability_watcher_create, sameTypeAs: CReachabilityHeaders.reachability_watcher_create)
    unsafe expect(CReachability.reachability_watcher_free, sameTypeAs: CReachabilityHeaders.reachability_watcher_free)
    unsafe expect(
        CReachability.reachability_watcher_descriptor, sameTypeAs: CReachabilityHeaders.reachability_watcher_descriptor)
    unsafe expect(CReachability.reachability_watcher_add, sameTypeAs: CReachabilityHeaders.reachability_watcher_add)
    unsafe expect(
        CReachability.reachability_watcher_add_path, sameTypeAs: CReachabilityHeaders.reachability_watcher_add_path)
    unsafe expect(
        CReachability.reachability_watcher_remove, sameTypeAs: CReachabilityHeaders.reachability_watcher_remove)
    unsafe expect(
        CReachability.reachability_watcher_process, sameTypeAs: CReachabilityHeaders.reachability_watcher_process)
    unsafe expect(
        CReachability.reachability_watcher_recheck, sameTypeAs: CReachabilityHeaders.reachability_watcher_recheck)
    unsafe expect(
        CReachability.reachability_socket_create, sameTypeAs: CReachabilityHeaders.reachability_socket_create)
    unsafe expect(
        CReachability.reachability_socket_free, sameTypeAs: CReachabilityHeaders.reachability_socket_free)
    unsafe expect(
        CReachability.reachability_socket_get_state, sameTypeAs: CReachabilityHeaders.reachability_socket_get_state)
    unsafe expect(
        CReachability.reachability_watcher_add_gate, sameTypeAs: CReachabilityHeaders.reachability_watcher_add_gate)
    unsafe expect(
        CReachability.reachability_watcher_add_socket, sameTypeAs: CReachabilityHeaders.reachability_watcher_add_socket)
    expect(
        CReachability.reachability_set_recheck_interval,
        sameTypeAs: CReachabilityHeaders.reachability_set_recheck_interval)
}
