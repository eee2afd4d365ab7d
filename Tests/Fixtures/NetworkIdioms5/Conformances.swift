// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Client code, in the form clients write it.

import struct Network.NWInterface
import struct Network.NWPath

// Clients add what the module leaves out. If the module had these, they could not.

extension NWInterface.InterfaceType: CaseIterable {
    public static let allCases: [NWInterface.InterfaceType] = [.other, .wifi, .cellular, .loopback, .wiredEthernet]
}

extension NWPath.Status: CustomStringConvertible {
    public var description: String {
        switch self {
        case .satisfied: "online"
        case .unsatisfied: "offline"
        case .requiresConnection: "waiting"
        @unknown default: "unknown"
        }
    }
}
