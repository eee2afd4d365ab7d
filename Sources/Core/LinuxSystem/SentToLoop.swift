// SPDX-License-Identifier: Apache-2.0

/// A value that is used on one event loop's thread only, for closures that must be `@Sendable`.
///
/// The compiler does not check the confinement. A thread may also make a value and pass it to the loop, if it keeps no
/// reference to it.
package struct SentToLoop<Value>: @unchecked Sendable {
    package var value: Value

    package init(_ value: Value) {
        self.value = value
    }
}
