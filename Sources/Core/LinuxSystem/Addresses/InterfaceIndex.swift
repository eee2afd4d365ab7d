// SPDX-License-Identifier: Apache-2.0

/// The kernel's index of a network interface; never zero (netdevice(7)).
package struct InterfaceIndex: Hashable, Comparable, Sendable {
    package let rawValue: UInt32

    /// Nil for 0, which the kernel uses for "no interface".
    package init?(_ rawValue: UInt32) {
        guard rawValue != 0 else { return nil }
        self.rawValue = rawValue
    }

    /// Written out so that other modules inline it. They would call the synthesized one through a witness table, several
    /// times for each answer.
    @inlinable package static func == (left: InterfaceIndex, right: InterfaceIndex) -> Bool {
        left.rawValue == right.rawValue
    }

    package static func < (left: InterfaceIndex, right: InterfaceIndex) -> Bool {
        left.rawValue < right.rawValue
    }
}
