// SPDX-License-Identifier: Apache-2.0

public import CReachabilityHeaders
import ReachabilityKit

// A socket's handle is its fate, retained.

private func fate(_ socket: OpaquePointer) -> SocketFate {
    unsafe Unmanaged<SocketFate>.fromOpaque(UnsafeRawPointer(socket)).takeUnretainedValue()
}

/// Reads the socket of a descriptor.
@_cdecl("reachability_socket_create")
public func reachability_socket_create(
    _ descriptor: Int32, _ socket: UnsafeMutablePointer<OpaquePointer?>,
    _ error: UnsafeMutablePointer<reachability_error>?
) -> Int32 {
    unsafe socket.pointee = nil
    return unsafe reporting(to: error) { () throws(ReachabilityError) in
        unsafe socket.pointee = OpaquePointer(Unmanaged.passRetained(try SocketFate(of: descriptor)).toOpaque())
    }
}

/// Releases a socket's handle.
@_cdecl("reachability_socket_free")
public func reachability_socket_free(_ socket: OpaquePointer?) {
    if let socket = unsafe socket { unsafe Unmanaged<SocketFate>.fromOpaque(UnsafeRawPointer(socket)).release() }
}

/// Tells the present state.
@_cdecl("reachability_socket_get_state")
public func reachability_socket_get_state(
    _ socket: OpaquePointer, _ state: UnsafeMutablePointer<reachability_socket_state>,
    _ error: UnsafeMutablePointer<reachability_error>?
) -> Int32 {
    unsafe reporting(to: error) { () throws(ReachabilityError) in
        try unsafe reachability_socket_state(try fate(socket).current()).tell(state, "tell the state")
    }
}

/// Adds a socket.
@_cdecl("reachability_watcher_add_socket")
public func reachability_watcher_add_socket(
    _ watcher: OpaquePointer, _ socket: OpaquePointer, _ callback: reachability_socket_callback,
    _ context: UnsafeMutableRawPointer?, _ free: reachability_free_callback?,
    _ identifier: UnsafeMutablePointer<UInt64>?, _ error: UnsafeMutablePointer<reachability_error>?
) -> Int32 {
    let context = unsafe ClientContext(context, free)
    return unsafe adding(to: watcher, identifier, error) { (watcher) throws(ReachabilityError) in
        try unsafe watcher.add(fate(socket)) { state in
            var told = reachability_socket_state(state)
            unsafe callback(&told, context.pointer)
        }
    }
}

/// Adds a gate.
@_cdecl("reachability_watcher_add_gate")
public func reachability_watcher_add_gate(
    _ watcher: OpaquePointer, _ target: OpaquePointer, _ conditions: UnsafePointer<reachability_conditions>?,
    _ callback: reachability_gate_callback, _ context: UnsafeMutableRawPointer?, _ free: reachability_free_callback?,
    _ identifier: UnsafeMutablePointer<UInt64>?, _ error: UnsafeMutablePointer<reachability_error>?
) -> Int32 {
    let context = unsafe ClientContext(context, free)
    return unsafe adding(to: watcher, identifier, error) { (watcher) throws(ReachabilityError) in
        let gate = try unsafe RequestGate(to: reference(target), RequestGate.Conditions(conditions))
        return try watcher.add(gate) { obstacles in
            let all = RequestGate.Obstacle.allCases
            unsafe callback(obstacles.reduce(0) { $0 | 1 << UInt32(all.firstIndex(of: $1)!) }, context.pointer)
        }
    }
}

extension reachability_socket_state {
    init(_ state: SocketFate.State) {
        self.init()
        size = MemoryLayout<reachability_socket_state>.size
        // The header's numbers of the reasons are in the order of the cases.
        let (obstacles, ends) = (SocketFate.Obstacle.allCases, SocketFate.End.allCases)
        switch state.fate {
        case .viable: (fate, reason) = (Int32(REACHABILITY_SOCKET_VIABLE), 0)
        case .unviable(let obstacle):
            (fate, reason) = (Int32(REACHABILITY_SOCKET_UNVIABLE), Int32(obstacles.firstIndex(of: obstacle)! + 1))
        case .dead(let end):
            (fate, reason) = (
                Int32(REACHABILITY_SOCKET_DEAD), Int32(obstacles.count + ends.firstIndex(of: end)! + 1)
            )
        }
        give(interface: state.betterPath, to: &better_interface_name)
    }
}

extension RequestGate.Conditions {
    /// Copies the conditions of a C program.
    init(_ given: UnsafePointer<reachability_conditions>?) throws(ReachabilityError) {
        self.init()
        guard let client = unsafe given else { return }
        let task = "use the conditions"
        let given = try unsafe reachability_conditions(filledBy: client, task)
        func refuse(_ explanation: String) -> ReachabilityError {
            ReachabilityError(.invalidOption, task, "", explanation)
        }
        guard given.reserved == 0 else { throw refuse("their reserved member must be 0") }
        let kinds = InterfaceKind.allCases
        guard (given.required_kind | given.prohibited_kinds) >> UInt32(kinds.count) == 0,
            given.required_kind.nonzeroBitCount <= 1
        else { throw refuse("the kinds are not those of the header, or more than one is required") }
        allowsExpensive = given.not_expensive == 0
        allowsConstrained = given.not_constrained == 0
        for (number, kind) in kinds.enumerated() {
            if given.required_kind >> UInt32(number) & 1 == 1 { requiredKind = kind }
            if given.prohibited_kinds >> UInt32(number) & 1 == 1 { prohibitedKinds.insert(kind) }
        }
        stableTime = .milliseconds(Int64(given.stable_milliseconds))
    }
}
