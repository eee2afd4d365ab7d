// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem
package import ReachabilityReferences

/// The values of CreateWithOptions' dictionary (SCPrivate.h, configd-1405).
package struct LegacyOptions {
    package var name: String?
    package var localAddress: [UInt8]?
    package var remoteAddress: [UInt8]?
    package var interface: String?
    /// "ResolverBypass": the name is never resolved.
    package var bypassesResolver = false

    package init() {}

    /// What the dictionary has for a key.
    package enum Entry {
        case missing
        case value(PropertyValue)
        /// Neither string, data nor truth value.
        case unreadable
    }

    /// Reads the dictionary. Nil if a value is of the wrong type, or requests something that is not offered on Linux.
    package init?(_ entry: (String) -> Entry) {
        let keys = [
            "nodename", "interface", "local-address", "remote-address", "ResolverBypass", "ConnectionOnDemandBypass",
            "ServerBypass", "ptr-address",
        ]
        for key in keys {
            switch (key, entry(key)) {
            case (_, .missing): break
            case ("nodename", .value(.string(let text))): name = text
            case ("interface", .value(.string(let text))): interface = text
            case ("local-address", .value(.data(let bytes))): localAddress = bytes
            case ("remote-address", .value(.data(let bytes))): remoteAddress = bytes
            case ("ResolverBypass", .value(.boolean(let isSet))): bypassesResolver = isSet
            // Accepted, without effect.
            case ("ConnectionOnDemandBypass", .value(.boolean)), ("ServerBypass", .value(.boolean)): break
            default: return nil
            }
        }
    }
}

extension LegacyTarget {
    /// CreateWithAddress.
    package static func make(address: UnsafePointer<sockaddr>?) -> LegacyTarget? {
        guard let address = unsafe address, let target = unsafe read(address) else { return refuse() }
        return make(Target(target))
    }

    /// CheckReachabilityByAddress, whose caller says how long the address is.
    package static func make(address: UnsafePointer<sockaddr>?, length: Int) -> LegacyTarget? {
        guard let address = unsafe address, length >= 2 else { return refuse() }
        let bytes = unsafe UnsafeRawBufferPointer(start: address, count: length)
        guard let target = IPAddress(socketAddress: unsafe RawSpan(_unsafeBytes: bytes)) else { return refuse() }
        return make(Target(target))
    }

    /// CreateWithAddressPair.
    package static func make(
        local: UnsafePointer<sockaddr>?, remote: UnsafePointer<sockaddr>?
    ) -> LegacyTarget? {
        unsafe make(given: local, remote, read)
    }

    /// CreateWithName: literals become addresses, and everything else a name, whatever its syntax.
    package static func make(name: String?, options: ReachabilityOptions = ReachabilityOptions()) -> LegacyTarget? {
        guard let name, !name.isEmpty else { return refuse() }
        return make { () throws(ReachabilityError) in try ReachabilityRef(lenientName: name, options: options) }
    }

    /// CreateWithOptions.
    package static func make(options: LegacyOptions) -> LegacyTarget? {
        var core = ReachabilityOptions()
        if let interface = options.interface {
            guard isThere(interface) else { return nil }
            core.interface = interface
        }
        if let name = options.name {
            guard !name.isEmpty, options.localAddress == nil, options.remoteAddress == nil else { return refuse() }
            // Without resolution, configd answers for the path to the name servers (configd-1405 l.1281).
            guard !options.bypassesResolver || AddressText(name, ignoringRest: true) != nil else {
                return make(.defaultPath, core)
            }
            return make(name: name, options: core)
        }
        return make(given: options.localAddress, options.remoteAddress, read, core)
    }

    /// The client has to give an address, and `read` has to understand each that was given.
    private static func make<Given>(
        given local: Given?, _ remote: Given?, _ read: (Given) -> IPAddress?,
        _ options: ReachabilityOptions = ReachabilityOptions()
    ) -> LegacyTarget? {
        let given = [local, remote].compactMap(\.self)
        guard !given.isEmpty, given.allSatisfy({ read($0) != nil }) else { return refuse() }
        return make(local: local.flatMap(read), remote: remote.flatMap(read), options: options)
    }

    /// CreateWithOptions, for addresses that are parsed already.
    package static func make(local: IPAddress?, remote: IPAddress?, interface: String?) -> LegacyTarget? {
        if let interface, !isThere(interface) { return nil }
        var options = ReachabilityOptions()
        options.interface = interface
        return make(local: local, remote: remote, options: options)
    }

    /// Refuses an argument as configd does.
    private static func refuse() -> LegacyTarget? { LegacyStatus.fail(.invalidArgument) }

    /// Whether an interface exists, which Apple's functions demand when the target is made (configd-1405 l.760). Otherwise it
    /// stores the status of the failure.
    private static func isThere(_ interface: String) -> Bool {
        do throws(Errno) {
            return try Interfaces.index(of: interface) != nil || LegacyStatus.fail(.invalidArgument)
        } catch {
            return LegacyStatus.fail(LegacyStatus(rawValue: error.rawValue))
        }
    }

    private static func make(
        local: IPAddress?, remote: IPAddress?, options: ReachabilityOptions
    ) -> LegacyTarget? {
        // An unspecified local address without a remote one stands for the default path.
        make(Target(local: local, remote: remote) ?? .defaultPath, options)
    }

    private static func make(
        _ target: Target, _ options: ReachabilityOptions = ReachabilityOptions()
    ) -> LegacyTarget? {
        make { () throws(ReachabilityError) in try ReachabilityRef(target: target, options: options) }
    }

    private static func make(_ create: () throws(ReachabilityError) -> ReachabilityRef) -> LegacyTarget? {
        undisturbed { LegacyStatus.record(otherwise: .invalidArgument, create).map { LegacyTarget($0) } }
    }

    /// Reads an address whose length follows from its family: Linux's addresses have no length byte.
    private static func read(_ address: UnsafePointer<sockaddr>) -> IPAddress? {
        // The family is read first, because an object of another family may end right after it.
        let start = unsafe UnsafeRawPointer(address)
        let length: Int
        switch Int32(unsafe start.loadUnaligned(as: sa_family_t.self)) {
        case AF_INET: length = MemoryLayout<sockaddr_in>.size
        case AF_INET6: length = MemoryLayout<sockaddr_in6>.size
        default: return nil
        }
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: length)
        return IPAddress(socketAddress: unsafe RawSpan(_unsafeBytes: bytes))
    }

    private static func read(_ bytes: [UInt8]) -> IPAddress? {
        IPAddress(socketAddress: RawSpan(_elements: bytes.span))
    }
}

extension ReachabilityRef {
    /// Makes a reference as CreateWithName does. The text is read as inet_aton reads an address, which ignores white
    /// space and what follows it, then as IPv6 (SCDPrivate.c l.196, configd-1405). Anything else is a name; an
    /// impossible name has no flags.
    convenience init(lenientName name: String, options: ReachabilityOptions) throws(ReachabilityError) {
        do throws(ReachabilityError) {
            try self.init(lenientHostname: name, options: options)
        } catch {
            // Apple's function takes an IPv6 address with an unknown zone for a name, which cannot be resolved. Here a
            // text that begins with a percent sign is such a name.
            guard error.code == .noSuchInterface, options.interface == nil, name.contains("%") else { throw error }
            try self.init(lenientHostname: "%\(name)", options: options)
        }
    }
}
