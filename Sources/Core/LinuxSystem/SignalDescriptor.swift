// SPDX-License-Identifier: Apache-2.0

@_implementationOnly import CLinux

/// A descriptor from which signals are read (signalfd(2)), so that no signal handler is needed.
package struct SignalDescriptor: ~Copyable, Sendable {
    /// The signals that matter to a program on a terminal.
    package enum Signal: Int32, Sendable, CaseIterable {
        /// The terminal is gone.
        case hangUp = 1
        /// Ctrl-C.
        case interrupt = 2
        /// A request to end (kill(1)).
        case terminate = 15
        /// The program runs again after it was stopped.
        case resume = 18
        /// The window has another size.
        case windowChange = 28
    }

    private let descriptor: OwnedDescriptor

    /// Blocks these signals in the calling thread and in all threads that it starts later. Call before starting threads.
    ///
    /// A signal that was ignored when the program began stays ignored, as for a background job of a shell.
    package init(_ signals: [Signal]) throws(Errno) {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for signal in signals where clinux_is_ignored(signal.rawValue) == 0 {
            unsafe sigaddset(&set, signal.rawValue)
        }
        // Blocked before the descriptor exists: a signal that comes in between stays pending and is read.
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
        descriptor = try OwnedDescriptor(.signalDescriptor) {
            unsafe signalfd(-1, &set, Int32(SFD_CLOEXEC) | Int32(SFD_NONBLOCK))
        }
    }

    package var rawDescriptor: Int32 { descriptor.rawValue }

    /// The next signal; nil if none is pending.
    package func next() -> Signal? {
        var record = signalfd_siginfo()
        let size = MemoryLayout<signalfd_siginfo>.size
        guard unsafe read(descriptor.rawValue, &record, size) == size else { return nil }
        return Signal(rawValue: Int32(record.ssi_signo))
    }
}
