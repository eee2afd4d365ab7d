// SPDX-License-Identifier: Apache-2.0

@_implementationOnly import CLinux

/// What the process was told in words (environ(7)).
package enum EnvironmentVariable {
    /// The value of a variable; nil where there is none, and for a program that runs with privileges its caller lacks
    /// (secure_getenv(3)).
    package static func value(of name: String) -> String? {
        unsafe clinux_environment(name).map { unsafe String(cString: $0) }
    }
}
