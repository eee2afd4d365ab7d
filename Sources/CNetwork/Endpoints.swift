// SPDX-License-Identifier: Apache-2.0

public import CNetworkHeaders
public import LinuxLibc
import NetworkFacts
import ReachabilityKit

/// The object behind a client's `nw_endpoint_t`.
@safe
final class EndpointHandle: @unchecked Sendable {  // never changed
    /// The name, or the address as text.
    let host: OwnedText
    let port: UInt16
    /// Room for either family; nil if the endpoint is a name.
    let address: UnsafeMutablePointer<sockaddr_in6>?

    init(name: String, port: UInt16) {
        host = OwnedText(name)
        self.port = port
        unsafe address = nil
    }

    /// - Parameter zone: the interface, as it follows the address in text.
    init(_ address: IPAddress, zone: String?, port: UInt16) {
        host = OwnedText(address.unscoped.description + (zone.map { "%\($0)" } ?? ""))
        self.port = port
        let memory = UnsafeMutablePointer<sockaddr_in6>.allocate(capacity: 1)
        unsafe memory.initialize(to: sockaddr_in6())
        unsafe self.address = memory
        switch address {
        case .v4(let inner):
            unsafe memory.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { memory in
                unsafe memory.pointee.sin_family = sa_family_t(AF_INET)
                unsafe memory.pointee.sin_port = port.bigEndian
                unsafe memory.pointee.sin_addr.s_addr = inner.rawValue.bigEndian
            }
        case .v6(_, let scope):
            unsafe memory.pointee.sin6_family = sa_family_t(AF_INET6)
            unsafe memory.pointee.sin6_port = port.bigEndian
            unsafe memory.pointee.sin6_scope_id = scope?.rawValue ?? 0
            unsafe withUnsafeMutableBytes(of: &memory.pointee.sin6_addr) { unsafe $0.copyBytes(from: address.bytes) }
        }
    }

    deinit {
        unsafe address?.deallocate()
    }

    convenience init(_ gateway: PathContent.Gateway) {
        self.init(gateway.address, zone: gateway.interface, port: 0)
    }
}

private func endpoint(_ handle: nw_endpoint_t?) -> EndpointHandle? {
    unsafe object(handle, as: EndpointHandle.self)
}

/// Apple's function.
@_cdecl("nw_endpoint_get_type")
public func nw_endpoint_get_type(_ handle: nw_endpoint_t?) -> nw_endpoint_type_t {
    guard let endpoint = unsafe endpoint(handle) else { return nw_endpoint_type_invalid }
    return unsafe endpoint.address == nil ? nw_endpoint_type_host : nw_endpoint_type_address
}

/// Apple's function.
@_cdecl("nw_endpoint_create_host")
public func nw_endpoint_create_host(
    _ hostname: UnsafePointer<CChar>?, _ port: UnsafePointer<CChar>?
) -> nw_endpoint_t? {
    guard let hostname = unsafe hostname, let port = unsafe port else { return nil }
    let number = unsafe ServicePort.number(String(cString: port))
    return unsafe retained(EndpointHandle(host: String(cString: hostname), port: number))
}

/// Apple's function. The length of an address is that of its family.
@_cdecl("nw_endpoint_create_address")
public func nw_endpoint_create_address(_ address: UnsafePointer<sockaddr>?) -> nw_endpoint_t? {
    guard let address = unsafe address else { return nil }
    let isIPv6 = unsafe Int32(address.pointee.sa_family) == AF_INET6
    let length = isIPv6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size
    let bytes = unsafe UnsafeRawBufferPointer(start: address, count: length)
    guard let found = unsafe IPAddress(socketAddress: bytes.bytes) else { return nil }
    let port = unsafe UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
    return unsafe retained(EndpointHandle(found, zone: found.zone, port: port))
}

/// Apple's function.
@_cdecl("nw_endpoint_get_hostname")
public func nw_endpoint_get_hostname(_ handle: nw_endpoint_t?) -> UnsafePointer<CChar>? {
    unsafe endpoint(handle)?.host.pointer
}

/// Apple's function.
@_cdecl("nw_endpoint_get_port")
public func nw_endpoint_get_port(_ handle: nw_endpoint_t?) -> UInt16 {
    unsafe endpoint(handle)?.port ?? 0
}

/// Apple's function.
@_cdecl("nw_endpoint_copy_port_string")
public func nw_endpoint_copy_port_string(_ handle: nw_endpoint_t?) -> UnsafeMutablePointer<CChar>? {
    guard let endpoint = unsafe endpoint(handle) else { return nil }
    return unsafe strdup(String(endpoint.port))
}

/// Apple's function.
@_cdecl("nw_endpoint_copy_address_string")
public func nw_endpoint_copy_address_string(_ handle: nw_endpoint_t?) -> UnsafeMutablePointer<CChar>? {
    guard let endpoint = unsafe endpoint(handle), unsafe endpoint.address != nil else { return nil }
    return unsafe strdup(endpoint.host.pointer)
}

/// Apple's function.
@_cdecl("nw_endpoint_get_address")
public func nw_endpoint_get_address(_ handle: nw_endpoint_t?) -> UnsafePointer<sockaddr>? {
    guard let address = unsafe endpoint(handle)?.address else { return nil }
    return unsafe UnsafePointer(UnsafeRawPointer(address).assumingMemoryBound(to: sockaddr.self))
}
