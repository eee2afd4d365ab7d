// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Netlink
package import ReachabilityKit

/// Where preferences come from.
package enum PreferencesOrigin: Hashable, Sendable {
    /// This machine, as it is now.
    case machine
    /// A property list, for programs with preferences of their own.
    case file(String)

    /// - Parameter identifier: the client's; nil for the machine's. Nil is returned for one that leads out of the folder.
    package init?(identifier: String?) {
        guard let identifier, identifier != "preferences.plist" else {
            self = .machine
            return
        }
        guard !identifier.isEmpty, !identifier.split(separator: "/").contains("..") else {
            LegacyStatus.last = .invalidArgument
            return nil
        }
        let folder = EnvironmentVariable.value(of: "SCPREFERENCES_DIRECTORY") ?? "/etc/SystemConfiguration"
        self = .file(identifier.hasPrefix("/") ? identifier : "\(folder)/\(identifier)")
    }
}

/// The inside of an `SCPreferences`, in Swift and in C: a session of the dynamic store whose values have one more key, that of
/// the preferences. Nothing can be written.
package final class PreferencesSession: Sendable {
    package typealias Callout = @Sendable (_ owner: AnyObject) -> Void

    private let store: StoreSession
    /// The preferences as objects of CoreFoundation's, from the first call that reads them until `synchronize`.
    private let known = Lock<Owner?>(nil)
    private let callout = CalloutSlot()

    private final class CalloutSlot: Sendable { let value = Lock<Callout?>(nil) }

    package init(_ origin: PreferencesOrigin) {
        var files = MachineFiles()
        files.preferences = origin
        store = StoreSession(files: files) { [callout] owner, _ in callout.value.withLock(\.self)?(owner) }
    }

    /// Sets the object that clients hold, once.
    package func belong(to owner: AnyObject) { store.belong(to: owner) }

    /// - Parameter make: makes objects from a dictionary, from the bytes of a file, or from nil if there is no file. Its
    ///   second argument differs if the preferences do.
    package func tree<Tree: AnyObject>(_ make: (PropertyValue?, _ signature: [UInt8]) -> Tree?) -> Tree? {
        if let known = known.withLock(\.self) { return known.object as? Tree }
        guard let value = store.lookUp(StoreKey.preferences) else { return nil }
        let signature = ServiceIdentifier(interface: value?.description ?? "").description
        guard let tree = make(value, Array(signature.utf8)) else { return nil }
        let owner = Owner(object: tree)
        // Another thread may have read them too. Clients use what the session keeps.
        let kept = known.withLock { known -> Owner in
            let kept = known ?? owner
            known = kept
            return kept
        }
        return kept.object as? Tree
    }

    /// The objects are released outside the lock.
    package func synchronize() { withExtendedLifetime(known.withLock { $0.take() }) {} }

    /// What a path leads to. A dictionary with the member `__LINK__` stands for what that path leads to (SCPPath.c, configd).
    ///
    /// - Parameter member: a member of a dictionary; nil for anything else.
    package static func find<Object>(
        _ path: String, in root: Object, member: (Object, String) -> Object?, text: (Object) -> String?
    ) -> Object? {
        var rest = path.hasPrefix("/") ? path.split(separator: "/")[...] : []
        var object = root
        var links = 0
        while links <= 8, let name = rest.popFirst(), let next = member(object, String(name)) {
            if let link = member(next, "__LINK__").flatMap(text) {
                links += 1
                rest = link.split(separator: "/") + rest
                object = root
            } else if rest.isEmpty {
                return next
            } else {
                object = next
            }
        }
        return LegacyStatus.fail(links > 8 ? .tooManyLinks : .noKey)
    }

    package func setCallback(_ new: Callout?) {
        guard store.mayWatch else { return }
        let old = callout.value.withLock { callout in
            defer { callout = new }
            return callout
        }
        // It is released outside the lock, because it may call the client's `release`.
        withExtendedLifetime(old) {}
    }

    package func setQueue(_ place: CallbackPlace?) -> Bool {
        guard place != nil else { return store.setQueue(nil) && watch(false) }
        return watch(true) && store.setQueue(place)
    }

    package func schedule(in pair: LoopAndMode?, of system: any RunLoopSystem) -> Bool {
        guard let pair else { return LegacyStatus.fail(.invalidArgument) }
        guard watch(true), let source = store.runLoopSource(order: 0, of: system) else { return false }
        system.add(source, to: pair)
        return true
    }

    package func unschedule(from pair: LoopAndMode?, of system: any RunLoopSystem) -> Bool {
        guard let pair, store.mayWatch, case .onRunLoops(let source) = store.state.withLock({ $0.schedule }),
            source.loops.contains(where: { system.isSame($0, pair) })
        else { return LegacyStatus.fail(.invalidArgument) }
        system.remove(source.object, from: pair)
        return source.loops.count > 1 || watch(false)
    }

    private func watch(_ isWatching: Bool) -> Bool {
        store.watch(isWatching ? [StoreKey.preferences] : [], patterns: [])
    }
}

/// The network preferences in the form of Apple's systems (preferences.plist), made from the present state of this machine: one
/// set, with a service for each interface that has one of Apple's types.
extension StoreSnapshot {
    var machinePreferences: PropertyValue {
        let links = network.inventory.links.sorted { $0.facts.index < $1.facts.index }
        let interfaces = links.compactMap(ListedInterface.init)
        let primary = network.primaryInterfaces
        let order = interfaces.filter { primary.contains($0.index) } + interfaces.filter { !primary.contains($0.index) }
        let services = Dictionary(interfaces.map { ($0.service, service(of: $0)) }) { first, _ in first }
        let set = ServiceIdentifier(interface: "/Sets").description
        return [
            "CurrentSet": .string("/Sets/\(set)"),
            "NetworkServices": .dictionary(services),
            "Sets": .dictionary([
                set: [
                    "UserDefinedName": "Automatic",
                    "Network": [
                        "Global": ["IPv4": ["ServiceOrder": .strings(order.map(\.service))]],
                        "Service": .dictionary(
                            services.keys.reduce(into: [:]) { $0[$1] = ["__LINK__": .string("/NetworkServices/\($1)")] }
                        ),
                    ],
                ]
            ]),
            "System": [
                "System": names.system ?? [:],
                "Network": ["HostNames": names.hostNames ?? [:]],
            ],
        ]
    }

    /// DNS and proxies are those of the whole machine, so only a primary service has them.
    private func service(of interface: ListedInterface) -> PropertyValue {
        let isPrimary = network.primaryInterfaces.contains(interface.index)
        var members: [String: PropertyValue] = [
            "UserDefinedName": .string(interface.displayName), "Interface": interface.preferences,
            "DNS": isPrimary ? network.nameServerValue ?? [:] : [:], "Proxies": isPrimary ? proxies.value ?? [:] : [:],
        ]
        for family in AddressFamily.allCases {
            members[family.entity] = network.configuration(of: interface.index, family)
        }
        return .dictionary(members)
    }
}

extension NetworkState {
    fileprivate var primaryInterfaces: Set<InterfaceIndex> {
        Set(AddressFamily.allCases.compactMap { primary($0)?.index })
    }

    /// An address that never expires was configured by hand, and any other came from a server or a router. Nil without an
    /// address.
    fileprivate func configuration(of interface: InterfaceIndex, _ family: AddressFamily) -> PropertyValue? {
        let own = inventory.addresses.filter {
            $0.address.interface == interface && $0.address.address.family == family
        }
        guard !own.isEmpty else { return nil }
        let beyondLink = own.filter { !$0.address.address.needsInterface }
        guard !beyondLink.isEmpty else { return ["ConfigMethod": "LinkLocal"] }
        // IFA_F_PERMANENT of linux/if_addr.h
        let byHand = beyondLink.filter { $0.address.flags.rawValue & 0x80 != 0 }
        guard !byHand.isEmpty else { return ["ConfigMethod": family == .v4 ? "DHCP" : "Automatic"] }
        var members = AddressValues(family, byHand).members
        members["ConfigMethod"] = "Manual"
        members["Router"] = primary(family).flatMap { $0.index == interface ? $0.router : nil }.map { .string($0) }
        return .dictionary(members)
    }
}

extension ListedInterface {
    fileprivate var service: String { ServiceIdentifier(interface: name).description }

    /// kSCPropNetInterface…
    fileprivate var preferences: PropertyValue {
        let isDialled = type == "PPP" || type == "WWAN"
        return [
            "DeviceName": .string(name), "UserDefinedName": .string(displayName),
            "Hardware": type == "IEEE80211" ? "AirPort" : isDialled ? "Modem" : "Ethernet",
            "Type": isDialled ? "PPP" : ["FireWire", "6to4", "IPSec"].contains(type) ? .string(type) : "Ethernet",
        ]
    }
}
