// SPDX-License-Identifier: Apache-2.0

@_implementationOnly import CLinux

/// The environment of the process (environ(7)).
package enum EnvironmentVariable {
    /// The value of a variable. Nil if there is none, or if the program has privileges that its caller lacks
    /// (secure_getenv(3)).
    package static func value(of name: String) -> String? {
        unsafe clinux_environment(name).map { unsafe String(cString: $0) }
    }
}
