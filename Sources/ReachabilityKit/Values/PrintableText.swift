// SPDX-License-Identifier: Apache-2.0

extension StringProtocol {
    /// The text as one line that a terminal shows and does nothing else with.
    ///
    /// An argument, a file name or the name of an interface may hold any character: the kernel forbids an interface's
    /// name no more than white space, `/` and `:` (dev_valid_name in net/core/dev.c). So control characters, those of
    /// invisible formatting, and the separators of lines are written as escapes, `\u{1b}`. Those from U+0080 to U+009F are
    /// control characters too: U+009B begins a control sequence (ECMA-48 5.3).
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
