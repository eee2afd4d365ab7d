// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem

extension Resolver {
    /// The network is another one: what servers have answered is forgotten, and what is being asked on the loop is
    /// asked once more, since an answer to the old source address would never arrive.
    package func startOver(on loop: EventLoop) {
        emptyCache()
        part(on: loop).startOver(self)
    }

    /// Lets go of a loop that is about to end.
    package func forget(_ loop: EventLoop) {
        removePart(on: loop)?.close()
    }
}
