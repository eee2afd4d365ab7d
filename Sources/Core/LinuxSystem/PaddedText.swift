// SPDX-License-Identifier: Apache-2.0

extension String {
    /// The text, with enough of these characters before it that it has this width.
    package func padded(to width: Int, with character: Character = "0") -> String {
        String(repeating: character, count: max(0, width - count)) + self
    }
}
