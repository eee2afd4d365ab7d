// SPDX-License-Identifier: Apache-2.0

@_implementationOnly import CReachabilityLinux

/// The modules of the C library's name service (nsswitch.conf(5)).
package enum NameModules {
    package enum Answer: Hashable, Sendable {
        /// The time is in seconds; nil if the module does not tell.
        case addresses([IPAddress], timeToLive: UInt32?)
        case notFound
        case unavailable
        case tryAgain
    }

    /// Whether this program can load modules. A fully static one cannot.
    package static let canLoad = clinux_can_load_modules() != 0

    /// Asks a module, on the calling thread, without a limit of time.
    ///
    /// - Parameter directory: where the module is. Empty for where libraries are searched for.
    package static func ask(
        _ module: String, for name: String, _ family: AddressFamily?, in directory: String
    ) -> Answer {
        var found = clinux_found()
        let number = family.map { $0 == .v4 ? AF_INET : AF_INET6 } ?? AF_UNSPEC
        let status =
            waiting { unsafe clinux_ask_module(directory, module, name, number, &found) }
        switch status {
        case 1:
            let addresses = unsafe withUnsafeBytes(of: &found.addresses) { bytes in
                (0..<Int(found.count)).map { index in
                    let record = unsafe bytes.loadUnaligned(
                        fromByteOffset: index * MemoryLayout<clinux_found_address>.stride,
                        as: clinux_found_address.self)
                    let all = unsafe withUnsafeBytes(of: record.bytes) { unsafe Array($0) }
                    return IPAddress(
                        bytes: record.family == AF_INET ? Array(all.prefix(4)) : all, scope: record.scope)
                }
            }
            return .addresses(addresses, timeToLive: found.ttl < 0 ? nil : UInt32(found.ttl))
        case 0: return .notFound
        case -2: return .tryAgain
        default: return .unavailable
        }
    }
}
