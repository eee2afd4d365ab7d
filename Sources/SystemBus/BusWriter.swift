// SPDX-License-Identifier: Apache-2.0

/// Writes values in D-Bus's wire format.
package struct BusWriter {
    package private(set) var bytes: [UInt8] = []
    private let isBigEndian: Bool

    package init(isBigEndian: Bool = false) {
        self.isBigEndian = isBigEndian
    }

    package mutating func align(to size: Int) {
        while bytes.count % size != 0 { bytes.append(0) }
    }

    package mutating func byte(_ value: UInt8) {
        bytes.append(value)
    }

    package mutating func uint32(_ value: UInt32) {
        align(to: 4)
        bytes += parts(of: value)
    }

    package mutating func string(_ value: String) {
        uint32(UInt32(value.utf8.count))
        bytes += value.utf8
        byte(0)
    }

    package mutating func signature(_ value: String) {
        byte(UInt8(value.utf8.count))
        bytes += value.utf8
        byte(0)
    }

    /// An array with the given alignment of its elements. Its length includes neither itself nor the padding after it.
    package mutating func array(alignment: Int, _ elements: (inout BusWriter) -> Void) {
        uint32(0)
        let position = bytes.count - 4
        align(to: alignment)
        let start = bytes.count
        elements(&self)
        bytes.replaceSubrange(position..<position + 4, with: parts(of: UInt32(bytes.count - start)))
    }

    private func parts(of value: UInt32) -> [UInt8] {
        let shifts: [UInt32] = isBigEndian ? [24, 16, 8, 0] : [0, 8, 16, 24]
        return shifts.map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}
