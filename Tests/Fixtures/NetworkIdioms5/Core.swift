// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Client code, in the form clients write it.

import Network

// What programs have used since 2018. Nothing else is imported: Dispatch and Foundation come with the module.

public final class ConnectionMonitor: @unchecked Sendable {
    public enum Kind: String, Sendable {
        case wifi, cellular, wired, loopback, other, none
    }

    private let lock = NSLock()
    private let monitor: NWPathMonitor
    private var latest: NWPath?
    public let queue = DispatchQueue(label: "connection", qos: .utility)
    public var onChange: (@Sendable (Kind, Bool) -> Void)?

    public init(_ type: NWInterface.InterfaceType? = nil) {
        monitor = type.map(NWPathMonitor.init(requiredInterfaceType:)) ?? NWPathMonitor()
    }

    public init(except types: [NWInterface.InterfaceType]) {
        monitor = NWPathMonitor(prohibitedInterfaceTypes: types)
    }

    public func start() {
        guard monitor.queue == nil else { return }
        monitor.pathUpdateHandler = { [weak self] path in
            guard let self else { return }
            lock.lock()
            latest = path
            lock.unlock()
            onChange?(Self.kind(of: path), path.isExpensive)
        }
        monitor.start(queue: queue)
    }

    public func stop() {
        monitor.pathUpdateHandler = nil
        monitor.cancel()
    }

    public var isReachable: Bool { monitor.currentPath.status == .satisfied }

    public static func kind(of path: NWPath) -> Kind {
        guard path.status == .satisfied else { return .none }
        if path.usesInterfaceType(.wifi) { return .wifi }
        if path.usesInterfaceType(.cellular) { return .cellular }
        if path.usesInterfaceType(.wiredEthernet) { return .wired }
        if path.usesInterfaceType(.loopback) { return .loopback }
        return .other
    }

    public static func describe(_ path: NWPath) -> [String: Any] {
        [
            "status": String(describing: path.status),
            "interfaces": path.availableInterfaces.map { "\($0.name) \($0.index) \($0.type)" },
            "ipv4": path.supportsIPv4, "ipv6": path.supportsIPv6, "dns": path.supportsDNS,
            "at": Date(),
        ]
    }
}

extension Network.NWPath.Status {
    public var isOnline: Bool {
        switch self {
        case .satisfied: true
        case .unsatisfied, .requiresConnection: false
        @unknown default: false
        }
    }
}

struct Memory {
    weak var monitor: NWPathMonitor?

    func isOf(_ other: NWPathMonitor) -> Bool { monitor === other }
}

let interfaceTypes: [NWInterface.InterfaceType: String] = [.wifi: "Wi-Fi", .cellular: "Mobile"]
let interfaces: Set<NWInterface> = []
