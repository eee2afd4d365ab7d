// SPDX-License-Identifier: Apache-2.0

public import CReachabilityHeaders
import ReachabilityKit
import ReachabilityLinuxSystem

// A target's handle is the reference itself, retained.

func reference(_ target: OpaquePointer) -> ReachabilityRef {
    unsafe Unmanaged<ReachabilityRef>.fromOpaque(UnsafeRawPointer(target)).takeUnretainedValue()
}

/// Gives the caller a target, or none and the reason.
private func making(
    _ target: UnsafeMutablePointer<OpaquePointer?>, _ options: UnsafePointer<reachability_options>?,
    _ error: UnsafeMutablePointer<reachability_error>?,
    _ make: (ReachabilityOptions) throws(ReachabilityError) -> ReachabilityRef
) -> Int32 {
    unsafe target.pointee = nil
    return unsafe reporting(to: error) { () throws(ReachabilityError) in
        let made = try make(try unsafe ReachabilityOptions(options))
        unsafe target.pointee = OpaquePointer(Unmanaged.passRetained(made).toOpaque())
    }
}

/// Makes a target from a name or an address.
@_cdecl("reachability_target_create")
public func reachability_target_create(
    _ text: UnsafePointer<CChar>, _ options: UnsafePointer<reachability_options>?,
    _ target: UnsafeMutablePointer<OpaquePointer?>, _ error: UnsafeMutablePointer<reachability_error>?
) -> Int32 {
    unsafe making(target, options, error) { (options) throws(ReachabilityError) in
        let text = unsafe String(validatingCString: text) ?? String(escapingCString: text)
        return try ReachabilityRef(hostname: text, options: options)
    }
}

/// Makes a target for the default path.
@_cdecl("reachability_target_create_default")
public func reachability_target_create_default(
    _ options: UnsafePointer<reachability_options>?, _ target: UnsafeMutablePointer<OpaquePointer?>,
    _ error: UnsafeMutablePointer<reachability_error>?
) -> Int32 {
    unsafe making(target, options, error) { (options) throws(ReachabilityError) in
        try ReachabilityRef.defaultPath(options: options)
    }
}

/// Makes a target from a pair of addresses.
@_cdecl("reachability_target_create_pair")
public func reachability_target_create_pair(
    _ local: UnsafePointer<CChar>?, _ remote: UnsafePointer<CChar>?, _ options: UnsafePointer<reachability_options>?,
    _ target: UnsafeMutablePointer<OpaquePointer?>, _ error: UnsafeMutablePointer<reachability_error>?
) -> Int32 {
    unsafe making(target, options, error) { (options) throws(ReachabilityError) in
        let (local, remote) = unsafe (
            local.map { unsafe String(escapingCString: $0) }, remote.map { unsafe String(escapingCString: $0) }
        )
        return try ReachabilityRef(local: local, remote: remote, options: options)
    }
}

/// Makes a target from a socket address.
@_cdecl("reachability_target_create_with_address")
public func reachability_target_create_with_address(
    _ address: UnsafePointer<sockaddr>, _ length: socklen_t, _ options: UnsafePointer<reachability_options>?,
    _ target: UnsafeMutablePointer<OpaquePointer?>, _ error: UnsafeMutablePointer<reachability_error>?
) -> Int32 {
    unsafe making(target, options, error) { (options) throws(ReachabilityError) in
        try unsafe ReachabilityRef(sockaddr: address, length: Int(length), options: options)
    }
}

/// Releases a target.
@_cdecl("reachability_target_free")
public func reachability_target_free(_ target: OpaquePointer?) {
    if let target = unsafe target { unsafe Unmanaged<ReachabilityRef>.fromOpaque(UnsafeRawPointer(target)).release() }
}

/// Asks for the present flags, and for the number of what decided them.
@_cdecl("reachability_target_get_flags")
public func reachability_target_get_flags(
    _ target: OpaquePointer, _ flags: UnsafeMutablePointer<UInt32>, _ reason: UnsafeMutablePointer<Int32>?,
    _ error: UnsafeMutablePointer<reachability_error>?
) -> Int32 {
    // A proved answer is told without counting as work, as in Swift. Only flags are kept.
    if unsafe reason == nil, let kept = unsafe reference(target).keptFlags {
        unsafe flags.pointee = kept.rawValue
        return Int32(REACHABILITY_OK)
    }
    return unsafe reporting(to: error) { () throws(ReachabilityError) in
        let answer = try unsafe reference(target).getFlagsAndReason()
        unsafe flags.pointee = answer.flags.rawValue
        unsafe reason?.pointee = number(ofReason: answer.reasonCode)
    }
}

/// Asks for the present flags with the reasons.
@_cdecl("reachability_target_explain")
public func reachability_target_explain(
    _ target: OpaquePointer, _ text: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>,
    _ error: UnsafeMutablePointer<reachability_error>?
) -> Int32 {
    unsafe text.pointee = nil
    return unsafe reporting(to: error) { () throws(ReachabilityError) in
        try unsafe give(try reference(target).explain().description, to: text)
    }
}

/// The same as JSON.
@_cdecl("reachability_target_explain_json")
public func reachability_target_explain_json(
    _ target: OpaquePointer, _ text: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>,
    _ error: UnsafeMutablePointer<reachability_error>?
) -> Int32 {
    unsafe text.pointee = nil
    return unsafe reporting(to: error) { () throws(ReachabilityError) in
        let explanation = try unsafe reference(target).explain()
        try unsafe give(JSONText(target: explanation.target, explanation).text, to: text)
    }
}

extension ReachabilityOptions {
    /// Copies the options of a C program.
    init(_ given: UnsafePointer<reachability_options>?) throws(ReachabilityError) {
        self.init()
        guard let client = unsafe given else { return }
        let task = "use the options"
        let options = try unsafe reachability_options(filledBy: client, task)
        func refuse(_ explanation: String) -> ReachabilityError {
            ReachabilityError(.invalidOption, task, "", explanation)
        }
        guard unsafe options.reserved == 0 else { throw refuse("their reserved member must be 0") }
        interface = unsafe options.interface_name.map { unsafe String(escapingCString: $0) }
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
        switch unsafe Int(options.transport) {
        case REACHABILITY_TRANSPORT_TCP: transport = .tcp
        case REACHABILITY_TRANSPORT_UDP: transport = .udp
        default: throw refuse("the transport is not one of the header")
        }
        guard let number = unsafe UInt16(exactly: options.port) else { throw refuse("the port is above 65535") }
        if number > 0 { port = number }
        let families = unsafe Int(options.families)
        guard families & ~(REACHABILITY_FAMILY_IPV4 | REACHABILITY_FAMILY_IPV6) == 0 else {
            throw refuse("the families are not those of the header")
        }
        if families & REACHABILITY_FAMILY_IPV4 != 0 { self.families.insert(.v4) }
        if families & REACHABILITY_FAMILY_IPV6 != 0 { self.families.insert(.v6) }
        switch unsafe Int(options.policy) {
        case REACHABILITY_POLICY_RESOLVE: resolutionPolicy = .resolve
        case REACHABILITY_POLICY_OPTIMISTIC: resolutionPolicy = .optimistic
        default: throw refuse("the policy is not one of the header")
        }
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

/// Gives the caller the bytes of an interface's name, of which there are at most 15 (IFNAMSIZ), with a NUL at the end.
func give<Member: BitwiseCopyable>(interface: String?, to caller: inout Member) {
    let name = (interface ?? "").unescapedBytes.prefix(MemoryLayout<Member>.size - 1)
    unsafe withUnsafeMutableBytes(of: &caller) { bytes in unsafe bytes.copyBytes(from: name) }
}
