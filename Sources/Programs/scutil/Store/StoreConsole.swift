// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import ReachabilityKit
import SystemConfigurationCore

/// `scutil` without a command: a session with the dynamic store, by lines of standard input (scutil.c, configd-1405).
///
/// It is used on the main thread only. Notifications are printed on a thread of their own.
final class StoreConsole {
    private var session: StoreSession?
    /// What `get` has returned; an empty dictionary at first.
    private var current = PropertyValue.dictionary([:])
    private var keys: [String] = []
    private var patterns: [String] = []
    private var isWatching = false
    /// The files that `f.read` is reading.
    private var nesting = 0
    private static let deepestNesting = 16

    init() {
        openSession()
    }

    /// Reads standard input until `quit` or its end.
    func run() {
        do throws(Errno) {
            var input = try LineReader.standardInput()
            let isTerminal = input.isTerminal
            while true {
                if isTerminal { try? StandardStream.output.write("> ") }
                guard let line = input.next(), perform(StoreCommand(line)) else { return }
            }
        } catch {
            Output.complaint("scutil: standard input: \(error)")
        }
    }

    /// Performs a command. Returns false for `quit`.
    private func perform(_ command: StoreCommand) -> Bool {
        switch command {
        case .nothing: break
        case .help: Output.line(StoreCommand.helpText)
        case .readFile(let path): return read(path)
        case .quit: return false
        case .complaint(let text): Output.line(text.printable)
        case .emptyDictionary: current = .dictionary([:])
        case .showDictionary: show(current)
        case .open: openSession()
        case .close: closeSession()
        case .list, .get, .show: use(command)
        case .write: printStatus(.accessError)
        case .listWatched, .watch, .unwatch, .changes, .startWatching, .cancelWatching: watch(command)
        }
        return true
    }

    private func read(_ path: String) -> Bool {
        guard nesting < Self.deepestNesting else {
            Output.line("f.read: files are nested too deep.")
            return true
        }
        nesting += 1
        defer { nesting -= 1 }
        do throws(Errno) {
            var file = try LineReader.file(path)
            while let line = file.next() {
                Output.line("\(nesting)> \(line)".printable)
                guard perform(StoreCommand(line)) else { return false }
            }
        } catch {
            Output.line("f.read: could not open file (\(error)).")
        }
        return true
    }

    // MARK: Sessions

    private func openSession() {
        closeSession()
        session = StoreSession { owner, keys in
            let address = String(UInt(bitPattern: ObjectIdentifier(owner)), radix: 16)
            Output.line("notification callback (store address = 0x\(address)).")
            WatchPrinter.print(keys, otherwise: "  no changed key's.")
        }
        session.map { $0.belong(to: $0) }
    }

    private func closeSession() {
        if isWatching { _ = session?.setQueue(nil) }
        isWatching = false
        (keys, patterns) = ([], [])
        session = nil
    }

    private func show(_ value: PropertyValue) {
        // Each line by itself: values may contain control characters.
        for line in value.description.split(separator: "\n", omittingEmptySubsequences: false) {
            Output.line(String(line).printable)
        }
    }

    private func printStatus(_ status: LegacyStatus = LegacyStatus.last) { Output.line("  \(status.text)") }

    // MARK: Values

    private func use(_ command: StoreCommand) {
        // As in Apple's program, these work with a temporary session if none is open.
        let session = session ?? StoreSession()
        switch command {
        case .list(let pattern):
            guard let keys = session.keys(matching: pattern) else { return printStatus() }
            if keys.isEmpty { Output.line("  no keys.") }
            for (number, key) in keys.enumerated() { Output.line("  subKey [\(number)] = \(key)".printable) }
        case .show(let key, isPattern: false):
            guard let value = session.value(of: key) else { return printStatus() }
            show(value)
        case .show(let key, isPattern: true):
            guard let values = session.values(of: [], matching: [key]) else { return printStatus() }
            show(.dictionary(values))
        case .get(let key):
            guard let value = session.value(of: key) else { return printStatus() }
            current = value
        default: break
        }
    }

    // MARK: Notifications

    private func watch(_ command: StoreCommand) {
        guard let session else { return printStatus(.noStoreSession) }
        func watched(_ arePatterns: Bool) -> [String] { arePatterns ? patterns : keys }
        switch command {
        case .listWatched(let arePatterns):
            let list = watched(arePatterns).sorted()
            let word = arePatterns ? "pattern" : "key"
            if list.isEmpty { Output.line("  no notifier \(word)s.") }
            for (number, key) in list.enumerated() { Output.line("  notifier \(word) [\(number)] = \(key)".printable) }
        case .watch(let key, let isPattern):
            guard !watched(isPattern).contains(key) else { return printStatus(.keyExists) }
            setWatched(watched(isPattern) + [key], arePatterns: isPattern, session)
        case .unwatch(let key, let isPattern):
            guard watched(isPattern).contains(key) else { return printStatus(.noKey) }
            setWatched(watched(isPattern).filter { $0 != key }, arePatterns: isPattern, session)
        case .changes: WatchPrinter.print(session.takeChangedKeys(), otherwise: "  no changedKey's.")
        case .startWatching:
            guard !isWatching else { return Output.line("already active") }
            guard let thread = try? CallbackThread(), session.setQueue(.target(thread)) else { return printStatus() }
            isWatching = true
        case .cancelWatching:
            guard isWatching else { return }
            if !session.setQueue(nil) { printStatus() }
            isWatching = false
        default: break
        }
    }

    /// A pattern that is no regular expression is not kept.
    private func setWatched(_ list: [String], arePatterns: Bool, _ session: StoreSession) {
        let (keys, patterns) = arePatterns ? (keys, list) : (list, patterns)
        guard session.watch(keys, patterns: patterns) else { return printStatus() }
        (self.keys, self.patterns) = (keys, patterns)
    }
}

/// Prints changed keys as Apple's tool does (notifications.c, configd-1405), with the time and how long after the last ones
/// they came.
enum WatchPrinter {
    private static let last = Lock<BootTime?>(nil)

    static func print(_ keys: [String], otherwise none: String) {
        if keys.isEmpty { Output.line(none) }
        for (number, key) in keys.enumerated() {
            Output.line("  \(TimeOfDay.now)\(elapsed()) changedKey [\(number)] = \(key)".printable)
        }
    }

    /// ` (+1.234)`; empty the first time.
    private static func elapsed() -> String {
        let now = SystemTime().now()
        let before = last.withLock { last in
            defer { last = now }
            return last
        }
        guard let before else { return "" }
        let milliseconds = (now.nanoseconds - before.nanoseconds) / 1_000_000
        return " (+\(milliseconds / 1000).\("\(milliseconds % 1000)".padded(to: 3)))"
    }
}

/// `scutil -w KEY -t SECONDS`: waits until a key has a value (do_wait in tests.c, configd-1405).
struct WaitCommand {
    let key: String
    /// Zero waits for ever.
    let seconds: Int

    /// Returns 0 if the key is there, and 1 if the time is up.
    func run() -> Int32 {
        let isTold = ConditionLock(false)
        let session = StoreSession { _, _ in
            isTold.withLock { $0 = true }
            isTold.broadcast()
        }
        session.belong(to: session)
        guard session.watch([key], patterns: []), let thread = try? CallbackThread(),
            session.setQueue(.target(thread))
        else {
            Output.complaint("SCDynamicStoreSetNotificationKeys() failed: \(LegacyStatus.last.text)")
            return 1
        }
        defer { _ = session.setQueue(nil) }
        if session.value(of: key) != nil { return 0 }
        isTold.wait(atMost: seconds > 0 ? .seconds(seconds) : nil) { !$0 }
        return isTold.withLock(\.self) ? 0 : 1
    }
}
