// SPDX-License-Identifier: Apache-2.0

@_implementationOnly import CLinux

/// What is known of how the program was built.
package enum BuildFacts {
    /// The commit, if `Scripts/install` linked the program in a clone of the repository.
    package static var commit: String? {
        let text = unsafe clinux_commit().map { unsafe String(cString: $0) } ?? ""
        return text.isEmpty ? nil : text
    }
}
