// SPDX-License-Identifier: Apache-2.0

@_implementationOnly import CReachabilityLinux

/// Names and indices of the interfaces in the calling thread's namespace. Each call needs a socket for a moment, so it fails if
/// no descriptor is left.
package enum Interfaces {
    /// The index of a named interface; nil if there is none.
    package static func index(of name: String) throws(Errno) -> UInt32? {
        // if_nametoindex(3) truncates a longer name and might find another interface.
        let bytes = name.unescapedBytes
        guard !bytes.isEmpty, bytes.count < Int(IF_NAMESIZE), !bytes.contains(0) else { return nil }
        let index = unsafe if_nametoindex(bytes.map(CChar.init(bitPattern:)) + [0])
        return index == 0 ? try nilIfMissing(errno).get() : index
    }

    /// The name of an interface; nil if there is none.
    package static func name(of index: UInt32) throws(Errno) -> String? {
        try unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(IF_NAMESIZE)) {
            (buffer) -> Result<String?, Errno> in
            guard let name = unsafe if_indextoname(index, buffer.baseAddress!) else { return nilIfMissing(errno) }
            return unsafe .success(String(escapingCString: name))
        }.get()
    }

    /// Nil if a call has failed because there is no such interface. Other errors say nothing about that.
    private static func nilIfMissing<Value>(_ error: Int32) -> Result<Value?, Errno> {
        let error = Errno(rawValue: error)
        return error == .noSuchDevice || error == .noSuchAddress ? .success(nil) : .failure(error)
    }
}

/// Facts about interfaces that are available without netlink (netdevice(7)).
extension Interfaces {
    /// The low 16 bits of an interface's flags (SIOCGIFFLAGS returns no more); nil if there is none of this name.
    package static func flags(of name: String) throws(Errno) -> UInt32? {
        try control(name, Int(SIOCGIFFLAGS)).map { UInt32($0) }
    }

    /// The ARPHRD_ type of an interface (SIOCGIFHWADDR); nil if there is none of this name.
    package static func hardwareType(of name: String) throws(Errno) -> UInt16? {
        try control(name, Int(SIOCGIFHWADDR))
    }

    /// The name of the interface that has an IPv4 address; nil if there is none.
    ///
    /// - Parameter address: in network byte order.
    package static func owner(ofIPv4 address: UInt32) throws(Errno) -> String? {
        try unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(IF_NAMESIZE)) {
            (buffer) -> Result<String?, Errno> in
            guard unsafe clinux_interface_with_ipv4(address, buffer.baseAddress!) == 0 else {
                return nilIfMissing(errno)
            }
            return unsafe .success(String(escapingCString: buffer.baseAddress!))
        }.get()
    }

    /// The name of the interface that has an IPv6 address; nil if there is none. Fails without /proc.
    ///
    /// - Parameter digits: the 32 digits of the address, as in /proc/net/if_inet6.
    package static func owner(ofIPv6 digits: String) throws(Errno) -> String? {
        let lines = try Files.contents(of: "/proc/thread-self/net/if_inet6").split(separator: UInt8(ascii: "\n"))
        let line = lines.first { $0.starts(with: digits.utf8) }
        return line?.split(separator: UInt8(ascii: " ")).last.map { String(escaping: Array($0)) }
    }

    private static func control(_ name: String, _ request: Int) throws(Errno) -> UInt16? {
        var value: UInt16 = 0
        let bytes = name.unescapedBytes.map(CChar.init(bitPattern:)) + [0]
        guard unsafe clinux_interface_control(bytes, UInt(request), &value) == 0 else {
            return try nilIfMissing(errno).get()
        }
        return value
    }
}
