// SPDX-License-Identifier: Apache-2.0

import CTestTopology
import ReachabilityLinuxSystem
import Synchronization

/// A link that a test controls, like the driver of a modem or a tunnel (tuntap.rst in the kernel's documentation). It
/// vanishes when it is closed.
package final class TunDevice: Sendable {
    package let name: String
    private let descriptor: Mutex<Int32?>

    fileprivate init(name: String, descriptor: Int32) {
        self.name = name
        self.descriptor = Mutex(descriptor)
    }

    deinit {
        close()
    }

    /// Sets the carrier.
    package func setCarrier(_ isOn: Bool) throws(TopologyError) {
        let failure: TopologyError? = descriptor.withLock { descriptor in
            guard let descriptor else { return .system("set the carrier of \(name)", .badDescriptor) }
            return topology_set_carrier(descriptor, isOn ? 1 : 0) == 0 ? nil : .last("set the carrier of \(name)")
        }
        if let failure { throw failure }
    }

    /// Deletes the device, as the end of the process that holds it does.
    package func close() {
        descriptor.withLock { descriptor in
            if let descriptor { _ = OwnedDescriptor(owning: descriptor) }
            descriptor = nil
        }
    }
}

extension Topology {
    /// The kind of a tun device.
    package enum TunKind: Sendable {
        /// Packets (tun): point-to-point, of the given type of linux/if_arp.h.
        case packets(hardwareType: UInt16)
        /// Ethernet frames (tap).
        case frames

        /// ARPHRD_NONE, as WireGuard and most VPNs.
        package static let tunnel = TunKind.packets(hardwareType: 65534)
        /// ARPHRD_PPP: like a pppd's link in everything but its kind (measured against a real one).
        package static let ppp = TunKind.packets(hardwareType: 512)
        /// ARPHRD_RAWIP, as a mobile modem's link.
        package static let rawIP = TunKind.packets(hardwareType: 519)
    }

    /// Makes a tun or tap device that is up. Needs `Capability.tun`.
    package func tun(
        _ name: String, _ kind: TunKind = .tunnel, address addresses: String..., carrier: Bool = true
    ) throws -> TunDevice {
        let device = try run { () throws(TopologyError) -> TunDevice in
            var layer2: Int32 = 0
            if case .frames = kind { layer2 = 1 }
            let descriptor = unsafe topology_open_tun(name, layer2, carrier ? 1 : 0)
            guard descriptor >= 0 else { throw .last("make \(name) of /dev/net/tun") }
            let device = TunDevice(name: name, descriptor: descriptor)
            // The type can be changed only while the link is down (EBUSY otherwise).
            if case .packets(let type) = kind, topology_set_link_type(descriptor, Int32(type)) != 0 {
                throw .last("set the type of \(name) to \(type)")
            }
            return device
        }
        try bringUp(name, addresses)
        if carrier { try waitForOwn(addresses) }
        return device
    }
}
