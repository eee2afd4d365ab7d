// SPDX-License-Identifier: Apache-2.0

/// The program that a process runs.
package enum ProcessImage {
    /// Runs another program in this process (execvp(3)). All our descriptors are close-on-exec, and other threads end.
    ///
    /// - Parameter words: the program, which is looked for in PATH if it has no slash, and its arguments.
    /// - Returns: why that was not possible.
    package static func replace(by words: [String]) -> Errno {
        var arguments = unsafe words.map { unsafe strdup($0) }
        unsafe arguments.append(nil)
        defer { unsafe arguments.forEach { unsafe free($0) } }
        guard let name = unsafe arguments[0] else { return .invalidArgument }
        unsafe execvp(name, arguments)
        return .current
    }
}
