// SPDX-License-Identifier: Apache-2.0

public import CNetworkHeaders
import LinuxSystem
import ReachabilityKit

/// The object behind a client's `nw_path_monitor_t`. Its end is the end of the monitor, which the engine holds as well.
private final class MonitorHandle: Sendable {
    let monitor: Monitor

    init(_ restriction: PathRestriction) {
        monitor = Monitor(restriction)
    }

    deinit {
        monitor.cancel(isSilent: true)
    }
}

private func monitor(_ handle: nw_handle?) -> Monitor? {
    unsafe object(handle, as: MonitorHandle.self)?.monitor
}

/// Apple's function.
@_cdecl("nw_path_monitor_create")
public func nw_path_monitor_create() -> nw_path_monitor_t? {
    unsafe retained(MonitorHandle(PathRestriction()))
}

/// Apple's function.
@_cdecl("nw_path_monitor_create_with_type")
public func nw_path_monitor_create_with_type(_ requiredInterfaceType: nw_interface_type_t) -> nw_path_monitor_t? {
    unsafe retained(MonitorHandle(PathRestriction(required: InterfaceKind(requiredInterfaceType))))
}

/// Apple's function.
@_cdecl("nw_path_monitor_prohibit_interface_type")
public func nw_path_monitor_prohibit_interface_type(
    _ handle: nw_path_monitor_t?, _ interfaceType: nw_interface_type_t
) {
    unsafe monitor(handle)?.prohibit(InterfaceKind(interfaceType))
}

/// Apple's function, on the libdispatch of the program.
@_cdecl("nw_path_monitor_set_queue")
public func nw_path_monitor_set_queue(_ handle: nw_path_monitor_t?, _ queue: nw_handle?) {
    unsafe monitor(handle)?.setQueue(queue.flatMap { unsafe LoadedQueue(UnsafeMutableRawPointer($0)) })
}

/// Apple's function.
@_cdecl("nw_path_monitor_set_update_handler")
public func nw_path_monitor_set_update_handler(
    _ handle: nw_path_monitor_t?, _ block: nw_path_monitor_update_handler_t?
) {
    unsafe monitor(handle)?.setUpdate(ClientBlock(block))
}

/// Apple's function.
@_cdecl("nw_path_monitor_set_cancel_handler")
public func nw_path_monitor_set_cancel_handler(
    _ handle: nw_path_monitor_t?, _ block: nw_path_monitor_cancel_handler_t?
) {
    unsafe monitor(handle)?.setCancellation(ClientBlock(block))
}

/// Apple's function.
@_cdecl("nw_path_monitor_start")
public func nw_path_monitor_start(_ handle: nw_path_monitor_t?) {
    unsafe monitor(handle)?.start()
}

/// Apple's function.
@_cdecl("nw_path_monitor_cancel")
public func nw_path_monitor_cancel(_ handle: nw_path_monitor_t?) {
    unsafe monitor(handle)?.cancel()
}
