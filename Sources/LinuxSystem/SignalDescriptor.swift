// SPDX-License-Identifier: Apache-2.0

import Glibc

@_implementationOnly import CLinux

/// Signals that are read like anything else (signalfd(2)), so that nothing has to be done inside a handler.
package struct SignalDescriptor: ~Copyable, Sendable {
    /// The signals a program on a terminal has to do with.
    package enum Signal: Int32, Sendable, CaseIterable {
        /// Ctrl-C.
        case interrupt = 2
        /// The polite end.
        case terminate = 15
        /// Running again after having been stopped.
        case resume = 18
        /// The window has another size.
        case windowChange = 28
    }

    private let descriptor: OwnedDescriptor

    /// Takes these signals away from the calling thread and from all that it starts later; so it comes before them.
    ///
    /// A signal that was ignored when the program began stays ignored, as for a job that a shell put in the background.
    package init(_ signals: [Signal]) throws(Errno) {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for signal in signals where clinux_is_ignored(signal.rawValue) == 0 {
            unsafe sigaddset(&set, signal.rawValue)
        }
        // First blocked, then read: one that comes in between stays pending and is read.
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
        descriptor = try OwnedDescriptor(
            owning: valueOrErrno(.signalDescriptor) {
                unsafe signalfd(-1, &set, Int32(SFD_CLOEXEC) | Int32(SFD_NONBLOCK))
            })
    }

    package var rawDescriptor: Int32 { descriptor.rawValue }

    /// The next signal that has come; nil where there is none.
    package func next() -> Signal? {
        var record = signalfd_siginfo()
        let size = MemoryLayout<signalfd_siginfo>.size
        guard unsafe read(descriptor.rawValue, &record, size) == size else { return nil }
        return Signal(rawValue: Int32(record.ssi_signo))
    }
}
