// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// Watched addresses as sorted ranges that do not touch: IPv4 addresses, or the first 64 bits of IPv6 addresses, which are
/// enough to distinguish nearly all routes.
struct WatchedRanges {
    struct Range {
        var low: UInt64
        var high: UInt64
    }

    private(set) var ranges: [Range] = []

    init(_ keys: [UInt64]) {
        for key in keys.sorted() {
            if let last = ranges.last, key <= last.high || key == last.high &+ 1 {
                ranges[ranges.count - 1].high = max(last.high, key)
            } else {
                ranges.append(Range(low: key, high: key))
            }
        }
    }

    var count: Int { ranges.count }

    /// At least `count` of the widest gaps, the widest first. Does not sort all gaps, as there may be a hundred thousand.
    private static func widest(_ gaps: [UInt64], atLeast count: Int) -> [UInt64] {
        var ofBitWidth = [Int](repeating: 0, count: 65)
        for gap in gaps { ofBitWidth[64 - gap.leadingZeroBitCount] += 1 }
        var bits = 64
        var found = ofBitWidth[64]
        while found < count, bits > 0 {
            bits -= 1
            found += ofBitWidth[bits]
        }
        return gaps.filter { 64 - $0.leadingZeroBitCount >= bits }.sorted(by: >)
    }

    /// At most `limit` ranges that cover these. Keeps the widest gaps, so that the fewest addresses are added.
    func joined(to limit: Int) -> WatchedRanges {
        guard ranges.count > limit else { return self }
        let gaps = (1..<ranges.count).map { ranges[$0].low - ranges[$0 - 1].high }
        let widest = Self.widest(gaps, atLeast: limit - 1)
        let narrowestKept = limit > 1 ? widest[limit - 2] : .max
        // How many gaps of the same width as the narrowest one kept may stay.
        var spare = limit > 1 ? limit - 1 - widest.prefix(limit - 1).count { $0 > narrowestKept } : 0
        var result = self
        result.ranges = [ranges[0]]
        for (position, gap) in gaps.enumerated() {
            var keeps = gap > narrowestKept
            if gap == narrowestKept, spare > 0 {
                spare -= 1
                keeps = true
            }
            if keeps {
                result.ranges.append(ranges[position + 1])
            } else {
                result.ranges[result.ranges.count - 1].high = ranges[position + 1].high
            }
        }
        return result
    }
}

/// A range of 32-bit words, for one level of the filter's search.
struct WordRange {
    var low: UInt32
    var high: UInt32
    /// The ranges of the next word, if this range is a single word. Empty means all values.
    var next: [WordRange] = []
}

extension WatchedRanges {
    /// For keys of 32 bits.
    var singleWords: [WordRange] {
        ranges.map { WordRange(low: UInt32($0.low), high: UInt32($0.high)) }
    }

    /// For keys of 64 bits. A range that spans several first words is widened to all second words.
    var twoWords: [WordRange] {
        var words: [WordRange] = []
        for range in ranges {
            let low = UInt32(range.low >> 32)
            let high = UInt32(range.high >> 32)
            let second = WordRange(
                low: UInt32(truncatingIfNeeded: range.low), high: UInt32(truncatingIfNeeded: range.high))
            guard let last = words.last, last.high == low else {
                words.append(WordRange(low: low, high: high, next: low == high ? [second] : []))
                continue
            }
            if low == high, !last.next.isEmpty {
                words[words.count - 1].next.append(second)
            } else {
                words[words.count - 1] = WordRange(low: last.low, high: high)
            }
        }
        return words
    }
}
