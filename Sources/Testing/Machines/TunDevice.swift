// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem

@_implementationOnly import CReachabilityTesting

/// A link that a test controls like the driver of a modem or a tunnel (tuntap.rst in the kernel's documentation). It disappears
/// when it is closed.
package final class TunDevice: Sendable {
    package let name: String
    private let descriptor: Lock<Int32?>

    /// Makes a device that is up.
    ///
    /// - Parameter type: the type in linux/if_arp.h; nil for a device of Ethernet frames (tap). Most VPNs have ARPHRD_NONE.
    package init(
        _ name: String, type: UInt16? = 65534, _ addresses: [LinkAddress], on machine: Machine, carrier: Bool = true
    ) throws(MachineError) {
        self.name = name
        let descriptor = try machine.run { () throws(MachineError) in
            let opened = unsafe reachability_testing_open_tun(name, type == nil ? 1 : 0, carrier ? 1 : 0)
            guard opened >= 0 else { throw .last("make the link \(name) of \(machine.name) from /dev/net/tun") }
            return opened
        }
        self.descriptor = Lock(descriptor)
        // The type can be changed only while the link is down (EBUSY otherwise).
        if let type, reachability_testing_set_link_type(descriptor, Int32(type)) != 0 {
            throw .last("set the type of \(name) to \(type)")
        }
        try machine.bringUp(name, addresses)
    }

    deinit {
        close()
    }

    /// Sets the carrier.
    package func setCarrier(_ isOn: Bool) throws(MachineError) {
        let failure: MachineError? = descriptor.withLock { descriptor in
            guard let descriptor else { return .system("set the carrier of \(name)", .badDescriptor) }
            return reachability_testing_set_carrier(descriptor, isOn ? 1 : 0) == 0
                ? nil : .last("set the carrier of \(name)")
        }
        if let failure { throw failure }
    }

    /// Deletes the device, as happens when a process that holds one ends.
    package func close() {
        descriptor.withLock { descriptor in
            if let descriptor { _ = OwnedDescriptor(owning: descriptor) }
            descriptor = nil
        }
    }
}
