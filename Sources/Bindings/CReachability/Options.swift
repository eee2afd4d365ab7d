// SPDX-License-Identifier: Apache-2.0

import CReachabilityHeaders
import LinuxSystem
import ReachabilityKit

extension ReachabilityOptions {
    /// Copies the options of a C program. A member that is added later is read only if the program's `size` covers it.
    init(_ given: UnsafePointer<reachability_options>?) throws(ReachabilityError) {
        self.init()
        guard let given = unsafe given else { return }
        let size = unsafe given.pointee.size
        guard unsafe size >= MemoryLayout<reachability_options>.size else {
            throw ReachabilityError(
                .invalidOption, "use the options", "", "their size is \(size); start with REACHABILITY_OPTIONS_INIT")
        }
        let options = unsafe given.pointee
        interface = unsafe options.interface_name.map { unsafe String(cString: $0) }
        sourceAddress = unsafe options.source_address.map { unsafe String(cString: $0) }
        mark = unsafe options.mark.map { unsafe $0.pointee }
        userID = unsafe options.user_id.map { unsafe $0.pointee }
        networkNamespace = unsafe options.network_namespace.map { text in
            let text = unsafe String(cString: text)
            return text.contains("/") ? .path(text) : .name(text)
        }
        nameServers = unsafe options.name_servers.map { unsafe Self.strings($0) }
        let timeout = unsafe options.timeout_milliseconds
        if timeout > 0 { resolutionTimeout = .milliseconds(Int64(timeout)) }
    }

    private static func strings(_ list: UnsafePointer<UnsafePointer<CChar>?>) -> [String] {
        var strings: [String] = []
        while let text = unsafe list[strings.count] { strings.append(unsafe String(cString: text)) }
        return strings
    }
}

/// Gives the caller a copy of a text, which it releases with free(3).
func give(_ text: String, to caller: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) throws(ReachabilityError) {
    guard let copy = unsafe strdup(text) else {
        throw ReachabilityError(.kernelUnavailable, "explain", "", "there is no memory", errno: ENOMEM)
    }
    unsafe caller.pointee = copy
}
