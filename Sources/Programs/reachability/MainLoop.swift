// SPDX-License-Identifier: Apache-2.0

import ReachabilityCommandLine
import ReachabilityKit
import ReachabilityLinuxSystem

/// The events the main thread waits for: messages, one timer, signals, and the end of the reader of the results.
///
/// Signals are read from a descriptor, so nothing runs inside a signal handler.
final class MainLoop<Message: QueuedMessage>: PrintingLoop {
    enum Event: Equatable {
        case messages
        case time
        /// The terminal window has another size.
        case windowChanged
        /// The descriptor of `watchFile` is readable.
        case file
        /// The descriptor of `watchRoom` can be written to.
        case room
        /// The program was stopped and continues. Other programs may have written on the screen.
        case resumed
    }

    /// What other threads tell the main thread.
    let messages: MessageQueue<Message>
    private let epoll: Epoll
    private let timer: TimerDescriptor
    private let signals: SignalDescriptor
    private let keepsComplaints: Bool
    private let atInterruption: () -> Void
    private var signalled: [Event] = []
    /// When the timer will ring.
    private var armed: BootTime?

    private enum Token: UInt64 {
        case messages, timer, signals, output, file, room
    }

    /// Blocks the signals, so it has to be made before any thread is started.
    ///
    /// - Parameters:
    ///   - keepsComplaints: whether an error waits until standard error has room. Otherwise one for which there is none is dropped,
    ///     as the program has something else to do.
    ///   - atInterruption: called right before a signal ends the program. Must not block.
    init(keepsComplaints: Bool = false, atInterruption: @escaping () -> Void = {}) throws(ReachabilityError) {
        self.keepsComplaints = keepsComplaints
        self.atInterruption = atInterruption
        do throws(Errno) {
            messages = try MessageQueue()
            epoll = try Epoll()
            timer = try TimerDescriptor()
            signals = try SignalDescriptor()
            try epoll.add(messages.rawDescriptor, .readable, token: Token.messages.rawValue)
            try epoll.add(timer.rawDescriptor, .readable, token: Token.timer.rawValue)
            try epoll.add(signals.rawDescriptor, .readable, token: Token.signals.rawValue)
        } catch {
            throw .kernel("wait for changes", "", error)
        }
        unsafe Output.loop = self
    }

    /// Makes the program end as soon as its reader is gone, and not only at the next result.
    func watchOutput() {
        // Without any events to wait for, epoll still reports the end of a pipe's reader or of a terminal.
        try? epoll.add(StandardStream.output.rawValue, [], token: Token.output.rawValue)
    }

    /// Causes `.file` events while a descriptor, such as that of an inotify instance, is readable.
    func watchFile(_ descriptor: Int32) {
        try? epoll.add(descriptor, .readable, token: Token.file.rawValue)
    }

    /// Causes `.room` events while a descriptor can be written to, until it is closed.
    func watchRoom(_ descriptor: Int32) {
        try? epoll.add(descriptor, .writable, token: Token.room.rawValue)
    }

    /// Causes one `.time` event at this moment, and none before; nil for none at all.
    func armTimer(at moment: BootTime?) {
        guard moment != armed else { return }
        armed = moment
        timer.arm(at: moment)
    }

    /// Waits for the next events.
    func next() -> [Event] {
        // Signals may have come during `print`.
        var events = signalled
        signalled = []
        while events.isEmpty {
            do throws(Errno) {
                try epoll.wait(timeoutMilliseconds: -1) { event in
                    switch Token(rawValue: event.token) {
                    case .messages: events.append(.messages)
                    case .timer:
                        armTimer(at: nil)
                        events.append(.time)
                    case .signals: readSignals()
                    case .file: events.append(.file)
                    case .room: events.append(.room)
                    case .output: Output.exitWithoutReader(.brokenPipe)
                    case nil: break
                    }
                }
            } catch {
                // A filter of system calls refuses epoll_wait(2).
                Output.complaint(ReachabilityError.kernel("wait for changes", "", error).description)
                exitNow(.undetermined)
            }
            events += signalled
            signalled = []
        }
        return events
    }

    /// Prints at once. Signals are handled while the reader takes nothing.
    func print(_ text: String) {
        var text: String? = text
        print {
            defer { text = nil }
            return text
        }
    }

    /// Prints one text after the other, until there is none. Each is asked for when the reader has room for it, so that it is what
    /// is true then, however long the reader has taken nothing. Signals are handled meanwhile.
    func print(_ next: () -> String?) {
        while true {
            StandardStream.output.waitForRoom(whileWatching: signals.rawDescriptor) { readSignals() }
            guard let text = next() else { return }
            do throws(Errno) {
                try StandardStream.output.write(text, whileWatching: signals.rawDescriptor) { readSignals() }
            } catch {
                Output.exitWithoutReader(error)
            }
        }
    }

    /// Prints an error, or drops it.
    func complain(_ text: String) {
        guard keepsComplaints else { return StandardStream.error.offer(text) }
        // A failure to print an error cannot be reported.
        try? StandardStream.error.write(text, whileWatching: signals.rawDescriptor) { readSignals() }
    }

    private func readSignals() {
        while let signal = signals.next() {
            switch signal {
            case .hangUp: end(.hungUp)
            case .interrupt: end(.interrupted)
            case .terminate: end(.terminated)
            case .windowChange: note(.windowChanged)
            case .resume: note(.resumed)
            }
        }
    }

    private func note(_ event: Event) {
        if !signalled.contains(event) { signalled.append(event) }
    }

    private func end(_ status: ExitStatus) -> Never {
        atInterruption()
        exitNow(status)
    }
}

/// What another thread tells the main thread.
protocol QueuedMessage: Sendable {
    associatedtype Subject: Hashable & Sendable
    /// What it is about. A newer message replaces one about the same subject that was not taken yet.
    var subject: Subject { get }
    /// Takes over what must not be lost of the message that this one replaces.
    mutating func replace(_ older: Self)
}

extension QueuedMessage {
    mutating func replace(_ older: Self) {}
}

/// Messages from other threads to the main thread, and a descriptor that is readable while there are any.
///
/// The main thread takes none while the reader of its output stalls. So there is one for each subject at most, the newest.
final class MessageQueue<Message: QueuedMessage>: Sendable {
    private struct State {
        var messages: [Message.Subject: (number: UInt64, message: Message)] = [:]
        var count: UInt64 = 0
    }

    private let state = Lock(State())
    private let event: EventDescriptor

    init() throws(Errno) {
        event = try EventDescriptor()
    }

    var rawDescriptor: Int32 { event.rawDescriptor }

    /// Called from any thread.
    func append(_ message: Message) {
        state.withLock { state in
            var message = message
            if let older = state.messages[message.subject] { message.replace(older.message) }
            state.count += 1
            state.messages[message.subject] = (state.count, message)
        }
        event.signal()
    }

    /// Returns all messages, in the order in which they came. The descriptor is reset first, so that it signals a message that
    /// comes in between.
    func removeAll() -> [Message] {
        event.drain()
        let messages = state.withLock { state in
            defer { state.messages = [:] }
            return state.messages
        }
        return messages.values.sorted { $0.number < $1.number }.map(\.message)
    }
}
