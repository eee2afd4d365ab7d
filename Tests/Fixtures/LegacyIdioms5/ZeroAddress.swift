// SPDX-License-Identifier: Apache-2.0

import SystemConfiguration

/// The idiom of `isConnectedToNetwork()`: a zeroed address, its length set, rebound to `sockaddr`.
package enum ZeroAddress {
    package static func isConnectedToNetwork() -> Bool {
        var zeroAddress = sockaddr_in()
        zeroAddress.sin_len = UInt8(MemoryLayout.size(ofValue: zeroAddress))
        zeroAddress.sin_family = sa_family_t(AF_INET)

        let defaultRouteReachability = withUnsafePointer(to: &zeroAddress) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { zeroSockAddress in
                SCNetworkReachabilityCreateWithAddress(nil, zeroSockAddress)
            }
        }
        var flags = SCNetworkReachabilityFlags()
        if !SCNetworkReachabilityGetFlags(defaultRouteReachability!, &flags) { return false }
        let isReachable = flags.contains(.reachable)
        let needsConnection = flags.contains(.connectionRequired)
        return isReachable && !needsConnection
    }

    /// The spelling with every member in the initializer.
    package static func flagsOfMemberwiseAddress() -> SCNetworkReachabilityFlags? {
        var address = sockaddr_in(
            sin_len: UInt8(MemoryLayout<sockaddr_in>.size), sin_family: sa_family_t(AF_INET), sin_port: 0,
            sin_addr: in_addr(s_addr: 0), sin_zero: (0, 0, 0, 0, 0, 0, 0, 0))
        return flags(of: &address)
    }

    /// A bare `sockaddr` of 16 bytes, as Alamofire passes it.
    package static func flagsOfBareAddress() -> SCNetworkReachabilityFlags? {
        var zero = sockaddr()
        zero.sa_len = UInt8(MemoryLayout<sockaddr>.size)
        zero.sa_family = sa_family_t(AF_INET)
        guard let reachability = SCNetworkReachabilityCreateWithAddress(nil, &zero) else { return nil }
        var flags: SCNetworkReachabilityFlags = []
        return SCNetworkReachabilityGetFlags(reachability, &flags) ? flags : nil
    }

    /// The zero address of IPv6.
    package static func flagsOfZeroIPv6() -> SCNetworkReachabilityFlags? {
        var address = sockaddr_in6()
        address.sin6_len = UInt8(MemoryLayout<sockaddr_in6>.size)
        address.sin6_family = sa_family_t(AF_INET6)
        return flags(of: &address)
    }

    private static func flags<Address>(of address: inout Address) -> SCNetworkReachabilityFlags? {
        withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                guard let target = SCNetworkReachabilityCreateWithAddress(kCFAllocatorDefault, UnsafePointer($0)) else {
                    return nil
                }
                var flags = SCNetworkReachabilityFlags(rawValue: 0)
                return SCNetworkReachabilityGetFlags(target, &flags) ? flags : nil
            }
        }
    }

    /// Code that passes the length on: the text of an address.
    package static func text(of address: sockaddr_in) -> String? {
        var address = address
        var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getnameinfo($0, socklen_t($0.pointee.sa_len), &name, socklen_t(name.count), nil, 0, NI_NUMERICHOST)
            }
        }
        return status == 0 ? name.withUnsafeBufferPointer { String(cString: $0.baseAddress!) } : nil
    }
}
