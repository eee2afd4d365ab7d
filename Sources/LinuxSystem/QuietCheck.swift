// SPDX-License-Identifier: Apache-2.0

import Glibc

@_implementationOnly import CLinux

/// Whether nothing is queued on a descriptor, for any number of threads that ask at once.
///
/// epoll_wait(2) that does not wait is the cheapest way to ask, but not with company: to report what is ready it takes
/// that off the instance's list for a moment, and who looks at the list just then, which is done without its lock, may
/// find nothing (`ep_events_available` in fs/eventpoll.c, Linux 5.0 and later; seen on 6.1). So an instance is asked by
/// one thread at a time. There are a few, that threads seldom meet, and who finds one taken asks poll(2), which looks at
/// the descriptor itself and costs nearly twice as much.
package struct QuietCheck: ~Copyable, Sendable {
    private let instances: QuietInstances<Epoll>
    private let descriptor: Int32

    package init(_ descriptor: Int32) {
        instances = QuietInstances { try? Self.instance(descriptor) }
        self.descriptor = descriptor
    }

    private static func instance(_ descriptor: Int32) throws(Errno) -> Epoll {
        let epoll = try Epoll()
        try epoll.add(descriptor, .readable, token: 0)
        return epoll
    }

    /// Whether nothing is queued now; false where that cannot be told, which is the safe side.
    @inline(__always)
    package var isQuiet: Bool {
        instances.isQuiet ?? isQuietByPoll
    }

    /// The same, without epoll.
    package var isQuietByPoll: Bool { Self.isQuietByPoll(descriptor) }

    @inline(never)
    package static func isQuietByPoll(_ descriptor: Int32) -> Bool {
        var question = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return withoutCancellation { unsafe poll(&question, 1, 0) == 0 }
    }
}
