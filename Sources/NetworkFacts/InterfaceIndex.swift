// SPDX-License-Identifier: Apache-2.0

/// The kernel's number of a network interface; never zero (netdevice(7)).
package struct InterfaceIndex: Hashable, Comparable, Sendable {
    package let rawValue: UInt32

    /// Nil for 0, with which the kernel says "no interface".
    package init?(_ rawValue: UInt32) {
        guard rawValue != 0 else { return nil }
        self.rawValue = rawValue
    }

    /// Written out, and inlined into other modules: the compiler's own would be called through a table of functions, and
    /// every answer is compared with an interface's number several times.
    @inlinable package static func == (left: InterfaceIndex, right: InterfaceIndex) -> Bool {
        left.rawValue == right.rawValue
    }

    package static func < (left: InterfaceIndex, right: InterfaceIndex) -> Bool {
        left.rawValue < right.rawValue
    }
}
