// SPDX-License-Identifier: Apache-2.0

@_implementationOnly import CLinux

/// The arguments after the program's name. With glibc, unlike `CommandLine.arguments`, they do not need /proc.
package enum ProgramArguments {
    /// As text. In a word that is not UTF-8, each byte that is not is written `\\xff`.
    package static var words: [String] {
        var count: Int32 = 0
        guard let arguments = unsafe clinux_arguments(&count) else { return Array(CommandLine.arguments.dropFirst()) }
        return unsafe UnsafeBufferPointer(start: arguments, count: Int(count)).dropFirst()
            .compactMap { word in
                unsafe word.map { unsafe String(validatingCString: $0) ?? String(escapingCString: $0) }
            }
    }
}
