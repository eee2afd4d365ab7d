// SPDX-License-Identifier: Apache-2.0

public import CReachabilityHeaders
import ReachabilityKit

/// Tells the present path.
@_cdecl("reachability_path_get")
public func reachability_path_get(
    _ options: UnsafePointer<reachability_options>?, _ path: UnsafeMutablePointer<reachability_path>,
    _ error: UnsafeMutablePointer<reachability_error>?
) -> Int32 {
    unsafe reporting(to: error) { () throws(ReachabilityError) in
        try unsafe reachability_path(try present(options)).tell(path, "tell the path")
    }
}

/// Tells the present path as JSON.
@_cdecl("reachability_path_get_json")
public func reachability_path_get_json(
    _ options: UnsafePointer<reachability_options>?, _ text: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>,
    _ error: UnsafeMutablePointer<reachability_error>?
) -> Int32 {
    unsafe text.pointee = nil
    return unsafe reporting(to: error) { () throws(ReachabilityError) in
        try unsafe give(JSONText(try present(options)).text, to: text)
    }
}

private func present(_ options: UnsafePointer<reachability_options>?) throws(ReachabilityError) -> NetworkPath {
    let options = try unsafe ReachabilityOptions(options)
    return try PathSource(options).current(hintTimeout: min(.milliseconds(250), options.resolutionTimeout))
}

extension reachability_path {
    /// The members of a path that C programs see.
    init(_ path: NetworkPath) {
        self.init()
        size = MemoryLayout<reachability_path>.size
        let status =
            switch path.status {
            case .satisfied: REACHABILITY_PATH_SATISFIED
            case .unsatisfied: REACHABILITY_PATH_UNSATISFIED
            case .requiresConnection: REACHABILITY_PATH_REQUIRES_CONNECTION
            }
        let connectivity =
            switch path.connectivity {
            case .unknown: REACHABILITY_CONNECTIVITY_UNKNOWN
            case .none: REACHABILITY_CONNECTIVITY_NONE
            case .portal: REACHABILITY_CONNECTIVITY_PORTAL
            case .limited: REACHABILITY_CONNECTIVITY_LIMITED
            case .full: REACHABILITY_CONNECTIVITY_FULL
            }
        self.status = Int32(status)
        self.connectivity = Int32(connectivity)
        has_ipv4 = path.hasIPv4 ? 1 : 0
        has_ipv6 = path.hasIPv6 ? 1 : 0
        has_dns = path.hasDNS ? 1 : 0
        is_expensive = path.isExpensive ? 1 : 0
        is_constrained = path.isConstrained ? 1 : 0
        give(interface: path.interface?.name, to: &interface_name)
        identity = path.identity.number
    }
}
