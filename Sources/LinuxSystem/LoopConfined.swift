// SPDX-License-Identifier: Apache-2.0

/// A value that is used on one event loop's thread only, for closures that must be `@Sendable`.
///
/// The compiler does not check the confinement; whoever makes the box promises it. To hand over something that is not
/// `Sendable` from the thread that made it to the loop is a use on one thread too, as the maker keeps nothing.
package struct LoopConfined<Value>: @unchecked Sendable {
    package var value: Value

    package init(_ value: Value) {
        self.value = value
    }
}
