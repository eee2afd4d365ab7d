// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// What the main thread sleeps for: messages, one timer, signals, and the end of whoever reads the results.
///
/// Nothing here runs inside a signal handler, so nothing can come at a bad moment.
final class MainLoop {
    enum Event: Equatable {
        case messages
        case time
        /// The window has another size.
        case windowChanged
        /// The program was stopped and goes on: others have written on the screen since.
        case resumed
    }

    private let epoll: Epoll
    private let timer: TimerDescriptor
    private let signals: SignalDescriptor
    private let atInterruption: () -> Void
    private var signalled: [Event] = []

    private enum Token: UInt64 {
        case messages, timer, signals, output
    }

    /// Begins to collect signals, so it has to be made before any thread is started.
    ///
    /// - Parameters:
    ///   - arrival: the descriptor of an inbox.
    ///   - atInterruption: runs when the program is told to end, right before it does.
    init(arrival: Int32, atInterruption: @escaping () -> Void = {}) throws(Errno) {
        epoll = try Epoll()
        timer = try TimerDescriptor()
        signals = try SignalDescriptor(SignalDescriptor.Signal.allCases)
        self.atInterruption = atInterruption
        try epoll.add(arrival, .readable, token: Token.messages.rawValue)
        try epoll.add(timer.rawDescriptor, .readable, token: Token.timer.rawValue)
        try epoll.add(signals.rawDescriptor, .readable, token: Token.signals.rawValue)
    }

    /// Has the program end as soon as its reader has gone, not only at the next result.
    func watchOutput() {
        // Asked for nothing, epoll reports the end of a pipe's reader or of a terminal. A file has no such thing.
        try? epoll.add(StandardStream.output.rawValue, [], token: Token.output.rawValue)
    }

    /// One `.time` will come, this much later.
    func armTimer(after duration: Duration) {
        timer.arm(at: SystemTime().now().advanced(by: duration))
    }

    /// Sleeps until something has come.
    func next() -> [Event] {
        var events: [Event] = []
        while events.isEmpty {
            do throws(Errno) {
                try epoll.wait(timeoutMilliseconds: -1) { event in
                    switch Token(rawValue: event.token) {
                    case .messages: events.append(.messages)
                    case .timer:
                        timer.drain()
                        events.append(.time)
                    case .signals: readSignals()
                    case .output: Output.endUnheard(.brokenPipe)
                    case nil: break
                    }
                }
            } catch {
                // epoll_wait(2) fails only for arguments that are wrong by construction.
                preconditionFailure("epoll_wait: \(error)")
            }
            events += signalled
            signalled = []
        }
        return events
    }

    /// Prints at once, and can be interrupted while a reader takes nothing.
    func print(_ text: String) {
        do throws(Errno) {
            try StandardStream.output.write(text, whileWatching: signals.rawDescriptor) { readSignals() }
        } catch {
            Output.endUnheard(error)
        }
    }

    private func readSignals() {
        while let signal = signals.next() {
            switch signal {
            case .interrupt, .terminate:
                atInterruption()
                exitNow(.interrupted)
            case .windowChange: signalled.append(.windowChanged)
            case .resume: signalled.append(.resumed)
            }
        }
    }
}
