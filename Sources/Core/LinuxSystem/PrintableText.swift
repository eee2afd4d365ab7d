// SPDX-License-Identifier: Apache-2.0

extension StringProtocol {
    /// The text as a single line that is safe to print on a terminal.
    ///
    /// Arguments, file names and the names of interfaces may contain any character: in an interface's name, the kernel
    /// forbids only white space, `/` and `:` (dev_valid_name in net/core/dev.c). So control characters, invisible formatting
    /// characters and line separators are written as escapes, such as `\u{1b}`. U+0080 to U+009F are control characters too:
    /// U+009B begins a control sequence (ECMA-48 5.3).
    package var printable: String {
        var text = ""
        for scalar in unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                text += "\\u{\(String(scalar.value, radix: 16))}"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
