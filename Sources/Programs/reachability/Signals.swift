// SPDX-License-Identifier: Apache-2.0

import CReachabilityLinux
import ReachabilityLinuxSystem

/// A descriptor from which signals are read (signalfd(2)), so that no signal handler is needed.
struct SignalDescriptor: ~Copyable, Sendable {
    /// The signals that matter to a program on a terminal.
    enum Signal: Int32, Sendable, CaseIterable {
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
    init() throws(Errno) {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for signal in Signal.allCases where clinux_is_ignored(signal.rawValue) == 0 {
            unsafe sigaddset(&set, signal.rawValue)
        }
        // Blocked before the descriptor exists: a signal that comes in between stays pending and is read.
        var before = sigset_t()
        unsafe pthread_sigmask(SIG_BLOCK, &set, &before)
        do throws(Errno) {
            descriptor = try OwnedDescriptor(.signalDescriptor) {
                unsafe signalfd(-1, &set, Int32(SFD_CLOEXEC) | Int32(SFD_NONBLOCK))
            }
        } catch {
            // Nobody would read them.
            unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
            throw error
        }
    }

    var rawDescriptor: Int32 { descriptor.rawValue }

    /// The next signal; nil if none is pending.
    func next() -> Signal? {
        var record = signalfd_siginfo()
        let size = MemoryLayout<signalfd_siginfo>.size
        guard unsafe read(descriptor.rawValue, &record, size) == size else { return nil }
        return Signal(rawValue: Int32(record.ssi_signo))
    }
}

/// The signal mask and the treatment of SIGPIPE that a program was started with. Both outlive execve(2), so a program
/// that becomes another one has to restore them.
struct InheritedSignals: Sendable {
    private let mask: sigset_t
    private let ignoresBrokenPipes: Bool

    /// To be made before the program changes either.
    init() {
        var mask = sigset_t()
        unsafe pthread_sigmask(SIG_BLOCK, nil, &mask)
        self.mask = mask
        var action = sigaction()
        unsafe sigaction(SIGPIPE, nil, &action)
        // SIG_IGN is the number 1 in the place of a function.
        ignoresBrokenPipes = unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    }

    /// Gives the calling thread's mask and SIGPIPE back.
    func restore() {
        var mask = mask
        unsafe pthread_sigmask(SIG_SETMASK, &mask, nil)
        _ = signal(SIGPIPE, ignoresBrokenPipes ? SIG_IGN : SIG_DFL)
    }

    /// Ends the process by a signal. Returns if the signal does not end it: the kernel protects the first process of a
    /// PID namespace (pid_namespaces(7)).
    static func raise(_ number: Int32) {
        _ = signal(number, SIG_DFL)
        var set = sigset_t()
        unsafe sigemptyset(&set)
        unsafe sigaddset(&set, number)
        unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
        _ = ReachabilityLinuxSystem.raise(number)
    }
}
