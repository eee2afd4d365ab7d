// SPDX-License-Identifier: Apache-2.0

@_implementationOnly import CLinux

/// The program that a process runs.
package enum ProcessImage {
    /// Runs another program in this process (execvp(3)). All our descriptors are close-on-exec, and other threads end.
    ///
    /// - Parameter words: the last arguments of this program, which may be any bytes: the program to run, which is looked for
    ///   in PATH if it has no slash, and its own arguments.
    /// - Returns: why that was not possible.
    package static func replace(by words: [String]) -> Errno {
        var count: Int32 = 0
        if let all = unsafe clinux_arguments(&count), case let first = Int(count) - words.count, first > 0 {
            unsafe execvp(all[first]!, all + first)
            return .current
        }
        // Without glibc they are not known.
        var arguments = unsafe words.map { unsafe strdup($0) }
        unsafe arguments.append(nil)
        defer { unsafe arguments.forEach { unsafe free($0) } }
        guard let name = unsafe arguments[0] else { return .invalidArgument }
        unsafe execvp(name, arguments)
        return .current
    }
}
