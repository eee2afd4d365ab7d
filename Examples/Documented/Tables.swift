// SPDX-License-Identifier: Apache-2.0

// The code in the tables of Docs/Porting.md, compiled here.

import Foundation
import Network
import ReachabilityKit
import SystemConfiguration

func targets(_ name: String, _ address: sockaddr_in) throws -> [ReachabilityRef] {
    [
        try ReachabilityRef(hostname: name), try ReachabilityRef(sockaddr: address),
        try ReachabilityRef(address: "192.0.2.1"), try ReachabilityRef.defaultPath(),
        try ReachabilityRef(local: "192.0.2.2", remote: "192.0.2.1"),
        try ReachabilityRef(address: "192.0.2.1", options: ReachabilityOptions(interface: "eth0")),
    ]
}

func callbacks(_ ref: ReachabilityRef, _ queue: DispatchQueue) async throws -> ReachabilityObservation {
    ref.setCallback { flags in print(flags) }
    try ref.setDispatchQueue(queue)
    print(try ref.getFlags(), try ref.explain())
    try await ref.waitUntilReachable(timeout: .seconds(30))
    return try ref.observe(on: queue) { flags in print(flags) }
}

func sequences(_ ref: ReachabilityRef) async throws {
    print(try NetworkPath.current())
    for try await flags in ref.flagChanges { print(flags) }
    for try await path in NetworkPath.changes { print(path.status) }
}

func targets(_ name: String, _ local: sockaddr_in, _ remote: sockaddr_in) -> [SCNetworkReachability?] {
    func pointer(_ address: UnsafePointer<sockaddr_in>) -> UnsafePointer<sockaddr> {
        UnsafeRawPointer(address).assumingMemoryBound(to: sockaddr.self)
    }
    var (local, remote) = (local, remote)
    return withUnsafeMutablePointer(to: &local) { local in
        withUnsafeMutablePointer(to: &remote) { remote in
            var (address, l, r) = (pointer(remote).pointee, pointer(local).pointee, pointer(remote).pointee)
            return [
                SCNetworkReachabilityCreateWithName(nil, name), SCNetworkReachabilityCreateWithAddress(nil, &address),
                SCNetworkReachabilityCreateWithAddressPair(nil, &l, &r),
            ]
        }
    }
}

func callbacks(_ object: AnyObject, _ queue: DispatchQueue, _ f: @escaping SCNetworkReachabilityCallBack) throws {
    let ref = object as! SCNetworkReachability
    var flags = SCNetworkReachabilityFlags()
    var context = SCNetworkReachabilityContext()
    guard SCNetworkReachabilityGetFlags(ref, &flags), SCNetworkReachabilitySetCallback(ref, f, &context),
        SCNetworkReachabilitySetDispatchQueue(ref, queue), SCNetworkReachabilitySetDispatchQueue(ref, nil)
    else {
        print(SCError())
        throw SCCopyLastError()
    }
    print(flags.contains(.reachable) && !flags.contains(.connectionRequired))
}

func objects(_ keys: [String], _ value: AnyObject) -> String? {
    print(keys as CFArray, value as? [String: Any] as Any, (value as! CFBoolean).boolValue)
    print(RunLoop.Mode.common as CFString)
    let key = "State:/Network/Global/IPv4" as CFString
    return SCDynamicStoreCopyValue(nil, key)?["PrimaryInterface"] as? String
}

typealias PlainFunction = @convention(c) () -> Void

func connectionStates(_ connection: NWConnection, _ error: NWError) -> [NWConnection.State] {
    connection.restart()
    return [.waiting(error), .failed(error)]
}

let connectionErrors: [NWError] = [
    .posix(.ENETDOWN), .posix(.ENETUNREACH), .posix(.EHOSTUNREACH), .posix(.ECONNREFUSED), .posix(.ETIMEDOUT),
    .dns(-65554), .dns(-65568), .dns(-65563), .dns(-65537), .dns(-65540), .posix(.EACCES),
]
