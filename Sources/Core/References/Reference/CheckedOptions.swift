// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityNetlink
import ReachabilityResolverFiles

/// The options of a reference, checked and converted for the kernel.
struct CheckedOptions {
    let namespace: NamespaceContext
    let keys: RoutingKeys
    let source: IPAddress?
    private let family: AddressFamily?

    init(_ options: ReachabilityOptions) throws(ReachabilityError) {
        let namespace =
            if let namespace = options.networkNamespace {
                NamespaceRegistry.current.namespace(of: try Self.open(namespace), overlay: namespace.overlay)
            } else {
                NamespaceRegistry.current.namespaceOfCallingThread()
            }
        self.namespace = namespace
        family = options.family
        // The name is kept, not its present index: the interface may be removed and created again.
        let interface = try options.interface.map { (name) throws(ReachabilityError) -> Scope in
            guard let name = InterfaceName(name) else { throw Scope.impossible(name, "use the interface", name) }
            return .name(name)
        }
        keys = RoutingKeys(
            interface: interface, mark: options.mark, userID: options.userID,
            transport: options.transport == .tcp ? .tcp : .udp, port: options.port)
        let source = try options.sourceAddress.map { (text) throws(ReachabilityError) in
            guard AddressText(inFull: text) != nil else {
                throw Self.noAddress(text, .invalidOption, "use the source address")
            }
            return try Self.address(text)
        }
        // 0.0.0.0 and :: mean any address, as in bind(2).
        self.source = source.flatMap { $0.unmapped.isUnspecified ? nil : $0 }
    }

    /// Reads an address. Its zone is an interface of this namespace, which need not exist now.
    func address(_ text: String) throws(ReachabilityError) -> IPAddress { try Self.address(text) }

    private static func address(_ text: String) throws(ReachabilityError) -> IPAddress {
        guard let parsed = AddressText(text) else { throw noAddress(text) }
        return try parsed.scoped()
    }

    private static func noAddress(
        _ text: String, _ code: ReachabilityError.Code = .invalidTarget, _ task: String = "use the address"
    ) -> ReachabilityError {
        ReachabilityError(
            code, task, text,
            AddressText.hint(text)
                ?? "it is neither an IPv4 address, such as 192.0.2.1, nor an IPv6 one, such as 2001:db8::1 or fe80::1%eth0"
        )
    }

    /// Reads the address of a name server, with or without a port.
    func server(_ text: String) throws(ReachabilityError) -> ServerAddress {
        guard let parsed = ServerText(text) else {
            throw ReachabilityError(
                .invalidOption, "use the name server", text,
                ServerText.hint(text)
                    ?? "pass an address with or without a port, such as 192.0.2.53, 192.0.2.53:5353 or [2001:db8::53]:5353"
            )
        }
        return ServerAddress(try address(parsed.address), port: parsed.port)
    }

    /// Restricts a target to packets that can be sent from the source address. A name restricts its addresses itself.
    func restrict(_ subject: Subject) throws(ReachabilityError) -> Subject {
        guard case .target(let target) = subject else { return subject }
        return .target(try restrict(target))
    }

    private func restrict(_ target: Target) throws(ReachabilityError) -> Target {
        let target = try restrictToFamily(target)
        guard let source else { return target }
        switch target {
        case .address(let remote): return .pair(local: source, remote: remote)
        case .defaultPath, .defaultPathOf: return .pair(local: source, remote: .v4(.any))
        case .pair:
            throw ReachabilityError(
                .invalidOption, "use the source address", source.description,
                "a pair of addresses names its local address itself; leave one of the two out")
        }
    }

    /// Restricts a target to the family asked for.
    private func restrictToFamily(_ target: Target) throws(ReachabilityError) -> Target {
        guard let family else { return target }
        let address: IPAddress
        switch target {
        case .defaultPathOf: return target
        case .defaultPath:
            guard source.map({ $0.unmapped.family == family }) ?? true else {
                throw Self.wrongFamily(source?.description ?? "", family)
            }
            return .defaultPathOf(family)
        case .address(let one): address = one
        case .pair(let local, _): address = local
        }
        guard address.unmapped.family == family else { throw Self.wrongFamily(address.description, family) }
        return target
    }

    private static func wrongFamily(_ address: String, _ family: AddressFamily) -> ReachabilityError {
        let (wanted, other) = family == .v4 ? ("IPv4", "IPv6") : ("IPv6", "IPv4")
        return ReachabilityError(
            .invalidTarget, "use the address", address, "it is an \(other) address, and only \(wanted) was asked for")
    }

    private static func open(
        _ namespace: ReachabilityOptions.NetworkNamespace
    ) throws(ReachabilityError) -> NamespaceHandle {
        let (object, hint): (String, String)
        do throws(Errno) {
            switch namespace {
            case .name(let name):
                (object, hint) = (name, "; `ip netns` lists the names there are")
                // A name with a slash would lead out of the directory of names (ip-netns(8)).
                guard !name.contains("/") else { throw .invalidArgument }
                return try NamespaceHandle(path: "/run/netns/\(name)")
            case .path(let path):
                (object, hint) = (path, "; pass a file such as /proc/123/ns/net")
                return try NamespaceHandle(path: path)
            case .descriptor(let descriptor):
                (object, hint) = ("descriptor \(descriptor)", "")
                return try NamespaceHandle(duplicating: descriptor)
            }
        } catch {
            // If the file is not a namespace, no system call has failed.
            let failure: Errno? = error == .notAFile ? nil : error
            throw ReachabilityError(
                .invalidOption, "use the network namespace", object,
                "\(failure?.description ?? "it is not a network namespace")\(hint)", errno: failure?.rawValue)
        }
    }
}

extension ReachabilityOptions.NetworkNamespace {
    /// Where ip-netns(8) keeps the resolver files of a named namespace.
    fileprivate var overlay: String? {
        if case .name(let name) = self { "/etc/netns/\(name)" } else { nil }
    }
}
