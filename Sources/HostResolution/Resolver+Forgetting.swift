// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem

extension Resolver {
    /// Forgets what servers have answered: on another network they may say something else.
    package func forgetAnswers() {
        emptyCache()
    }

    /// Lets go of a loop that is about to end.
    package func forget(_ loop: EventLoop) {
        removePart(on: loop)?.close()
    }
}
