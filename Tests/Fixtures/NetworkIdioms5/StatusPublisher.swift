// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Client code, in the form clients write it.

import Network
import Observation

// A monitor wrapped in an object that a view observes, as in many blog posts, with Observation instead of Combine.

@Observable
public final class PathMonitor: @unchecked Sendable {
    public private(set) var status: NWPath.Status

    @ObservationIgnored private let pathMonitor = NWPathMonitor()
    @ObservationIgnored private let pathMonitorQueue = DispatchQueue(label: "NWPathMonitor")

    public init(status: NWPath.Status = .unsatisfied, active: Bool = true) {
        self.status = status
        if active {
            enablePathMonitor()
        } else {
            disablePathMonitor()
        }
    }

    private func enablePathMonitor() {
        pathMonitor.pathUpdateHandler = { path in
            DispatchQueue.main.async {
                self.status = path.status
            }
        }
        pathMonitor.start(queue: pathMonitorQueue)
    }

    public func disablePathMonitor() {
        pathMonitor.cancel()
    }
}

extension NWPath.Status {
    public var message: String {
        switch self {
        case .unsatisfied: "Network not available"
        case .satisfied: "Network available"
        case .requiresConnection: "Network requires connection"
        @unknown default: "Unknown status"
        }
    }

    public var image: String {
        switch self {
        case .unsatisfied: "exclamationmark.triangle"
        case .satisfied: "checkmark.circle"
        case .requiresConnection: "questionmark.circle"
        @unknown default: "questionmark"
        }
    }
}

/// What a view shows in a section of details.
public func details(of path: NWPath) -> [String] {
    [
        "IPv4: \(path.supportsIPv4)", "IPv6: \(path.supportsIPv6)", "DNS: \(path.supportsDNS)",
        "Constrained: \(path.isConstrained)", "Expensive: \(path.isExpensive)",
    ] + path.availableInterfaces.map { "\($0.name): \($0.type)" } + path.gateways.map { "gateway \($0)" }
}
