// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityNetlink

extension NetworkPath {
    /// The present path. Blocks for microseconds; where NetworkManager runs, it blocks until NetworkManager has answered, at most
    /// 250 ms.
    ///
    /// ```swift
    /// let path = try NetworkPath.current()
    /// for interface in path.interfaces { print(interface.name, interface.kind, interface.addresses) }
    /// ```
    ///
    /// - Parameter namespace: the network namespace. The default is that of the calling thread.
    /// - Throws: ``ReachabilityError`` if the kernel could not be asked.
    public static func current(
        in namespace: ReachabilityOptions.NetworkNamespace? = nil
    ) throws(ReachabilityError) -> NetworkPath {
        try undisturbed { () throws(ReachabilityError) in
            try PathSource(namespace).current(hintTimeout: SharedEngine.hintLimit).visible
        }
    }

    /// The path of the calling thread's network namespace as it changes, the present one first. NetworkManager's part may follow
    /// some milliseconds later, as a change.
    ///
    /// ```swift
    /// for try await path in NetworkPath.changes {
    ///     print(path.status == .satisfied ? "online" : "offline: \(path.reason)")
    /// }
    /// ```
    public static var changes: NetworkChanges<NetworkPath> { changes(in: nil) }

    /// The path of another network namespace as it changes. The sequence throws if the namespace cannot be entered.
    public static func changes(in namespace: ReachabilityOptions.NetworkNamespace?) -> NetworkChanges<NetworkPath> {
        undisturbed {
            let source = Result { () throws(ReachabilityError) in try PathSource(namespace) }
            return NetworkChanges { feed throws(ReachabilityError) in
                try source.get().observe(failed: { feed.fail($0) }) { feed.tellIfNew($0.visible) }
            }
        }
    }
}

extension PathSource {
    /// The path of the namespace that the options name.
    package init(_ options: ReachabilityOptions) throws(ReachabilityError) {
        self.init(of: try CheckedOptions(options).namespace)
    }

    fileprivate init(_ namespace: ReachabilityOptions.NetworkNamespace?) throws(ReachabilityError) {
        var options = ReachabilityOptions()
        options.networkNamespace = namespace
        try self.init(options)
    }
}

extension NetworkPath {
    /// The same path without the details that clients cannot see. Two paths that look the same to a client are then equal.
    package var visible: NetworkPath {
        var path = self
        path.ipv4?.hideDetails()
        path.ipv6?.hideDetails()
        // A client sees loopback only if packets leave by it.
        if ipv4?.interface != loopback?.linkIndex, ipv6?.interface != loopback?.linkIndex { path.loopback = nil }
        path.loopback?.hideDetails()
        for position in interfaces.indices { path.interfaces[position].hideDetails() }
        return path
    }
}

extension NetworkPath.DefaultRoute {
    fileprivate mutating func hideDetails() {
        flags.formIntersection(.ofRank)
        gateway = nil
    }
}

extension NetworkPath.Interface {
    fileprivate mutating func hideDetails() {
        ownAddresses = ownAddresses.filter(\.reachesBeyondLink).map { address in
            InterfaceAddress(
                interface: address.interface, address: address.address, prefixLength: address.prefixLength)
        }
        (ipv4, ipv6) = (ipv4?.withoutDetails, ipv6?.withoutDetails)
    }
}

extension NetworkPath.WayOut {
    fileprivate var withoutDetails: Self {
        var way = self
        (way.flags, way.gateway, way.metric) = (flags.intersection(.ofRank), nil, nil)
        return way
    }
}

extension ReachabilityFlags {
    /// The flags that decide the rank.
    fileprivate static let ofRank: ReachabilityFlags = [.reachable, .connectionRequired]
}
