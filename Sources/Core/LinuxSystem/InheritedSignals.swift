// SPDX-License-Identifier: Apache-2.0

/// The signal mask and the treatment of SIGPIPE that a program was started with. Both outlive execve(2), so a program
/// that becomes another one has to restore them.
package struct InheritedSignals: Sendable {
    private let mask: sigset_t
    private let ignoresBrokenPipes: Bool

    /// To be made before the program changes either.
    package init() {
        var mask = sigset_t()
        unsafe pthread_sigmask(SIG_BLOCK, nil, &mask)
        self.mask = mask
        var action = sigaction()
        unsafe sigaction(SIGPIPE, nil, &action)
        // SIG_IGN is the number 1 in the place of a function.
        ignoresBrokenPipes = unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    }

    /// Gives the calling thread's mask and SIGPIPE back.
    package func restore() {
        var mask = mask
        unsafe pthread_sigmask(SIG_SETMASK, &mask, nil)
        _ = signal(SIGPIPE, ignoresBrokenPipes ? SIG_IGN : SIG_DFL)
    }

    /// Ends the process by a signal. Returns if the signal does not end it: the kernel protects the first process of a
    /// PID namespace (pid_namespaces(7)).
    package static func raise(_ number: Int32) {
        _ = signal(number, SIG_DFL)
        var set = sigset_t()
        unsafe sigemptyset(&set)
        unsafe sigaddset(&set, number)
        unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
        _ = LinuxSystem.raise(number)
    }
}
