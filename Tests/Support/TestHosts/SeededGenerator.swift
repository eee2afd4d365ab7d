// SPDX-License-Identifier: Apache-2.0

/// The same numbers in every run, so that a failure can be run again (SplitMix64, Steele et al. 2014).
package struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Inserts, removes or replaces at most this many bytes.
    package mutating func damage(_ bytes: inout [UInt8], upTo most: Int) {
        for _ in 0..<Int.random(in: 0...most, using: &self) {
            let byte = UInt8.random(in: 0...255, using: &self)
            switch Int.random(in: 0..<3, using: &self) {
            case 0 where !bytes.isEmpty: bytes[Int.random(in: 0..<bytes.count, using: &self)] = byte
            case 1 where !bytes.isEmpty: bytes.remove(at: Int.random(in: 0..<bytes.count, using: &self))
            default: bytes.insert(byte, at: Int.random(in: 0...bytes.count, using: &self))
            }
        }
    }
}
