// SPDX-License-Identifier: Apache-2.0

extension Array {
    /// The position of the first element that meets the condition. All elements after it must meet it, too. Public, so that it
    /// can be inlined into its callers (see `Lock`).
    @inlinable
    public func partitionPoint(where holds: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if holds(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
