// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityReferences

/// The inside of an `SCDynamicStore`, in Swift and in C: the values of the system, and notifications of their changes.
///
/// A function that fails stores its status (`LegacyStatus.last`) and returns nil or false.
package final class StoreSession: Sendable {
    package typealias Callout = @Sendable (_ owner: AnyObject, _ keys: [String]) -> Void

    struct State {
        var watched = WatchedKeys([], patterns: [])!
        /// Watches the system, while keys are watched.
        var feed: SystemFeed?
        /// The keys that have changed since the client was told last.
        var changed: Set<String> = []
        var schedule = Schedule.idle
        /// Raised with each schedule, so that a delivery for an earlier one is dropped.
        var scheduleNumber = 0
        var delivery = Delivery.none
        /// The owner, while scheduled.
        var keptAlive: Owner?
    }

    /// How far the client has been called for the changed keys.
    enum Delivery: Equatable {
        case none
        /// A call is on its way, for the schedule with this number.
        case claimed(schedule: Int)
        /// The client is being called. It may have been scheduled elsewhere meanwhile, and is called there after this.
        case calling
    }

    enum Schedule {
        case idle
        case onQueue(CallbackPlace)
        case onRunLoops(StoreSource)
    }

    private let epoch = ForkEpoch()
    private let source: PathSource
    private let files: MachineFiles
    let callout: Callout?
    /// The client's context, released with the session.
    private let context: ContextBox?
    let owner = WeakOwner()
    let state = Lock(State())
    private let released = EndOfRelease()

    /// Opens a session for the calling thread's network namespace.
    package init(
        files: MachineFiles = MachineFiles(), context: ContextBox? = nil, callout: Callout? = nil
    ) {
        source = PathSource()
        self.files = files
        self.context = context
        self.callout = callout
    }

    deinit {
        EndOfRelease.begin()
        guard epoch.isCurrent else { return }
        state.withLock { $0.feed.take() }?.cancel()
    }

    /// Sets the object that clients hold, once.
    package func belong(to owner: AnyObject) {
        self.owner.current = Owner(object: owner)
    }

    // MARK: Reading

    /// CopyValue.
    package func value(of key: String) -> PropertyValue? {
        guard let wanted = WatchedKeys([key], patterns: []), let values = values(of: wanted) else { return nil }
        return values[key] ?? LegacyStatus.fail(.noKey)
    }

    /// CopyMultiple. Nil if a pattern is no regular expression.
    package func values(of keys: [String], matching patterns: [String]) -> [String: PropertyValue]? {
        guard let wanted = WatchedKeys(keys, patterns: patterns) else { return LegacyStatus.fail(.failed) }
        return values(of: wanted)
    }

    /// CopyKeyList, in alphabetical order. Nil if the pattern is no regular expression.
    package func keys(matching pattern: String) -> [String]? {
        guard let wanted = WatchedKeys([], patterns: [pattern]) else { return LegacyStatus.fail(.failed) }
        return values(of: wanted)?.keys.sorted()
    }

    /// Nil, with a status, if the values cannot be read. The kernel is asked for what it knows only, and a file is read for its own
    /// keys: names of the computer are there without a network, and proxies without a descriptor.
    private func values(of wanted: WatchedKeys) -> [String: PropertyValue]? {
        LegacyStatus.record(otherwise: .failed) { () throws(ReachabilityError) in
            let network = wanted.concernNetwork ? try source.currentState() : NetworkState()
            let snapshot = try StoreSnapshot(network, files, .present, for: wanted)
            return snapshot.values.filter { wanted.contains($0.key) }
        }
    }
}

// MARK: - Watching

extension StoreSession {
    /// SetNotificationKeys. Changes count from this call on.
    package func watch(_ keys: [String], patterns: [String]) -> Bool {
        guard let watched = WatchedKeys(keys, patterns: patterns) else { return LegacyStatus.fail(.invalidArgument) }
        guard mayWatch else { return false }
        guard !watched.isEmpty else {
            let feed = state.withLock { state in
                state.watched = watched
                return state.feed.take()
            }
            feed?.cancel()
            return true
        }
        return LegacyStatus.record(otherwise: .failed) { () throws(ReachabilityError) in
            try beginWatching(watched)
        } != nil
    }

    private func beginWatching(_ watched: WatchedKeys) throws(ReachabilityError) {
        // The values that the client can know at this moment.
        let proxies = ProxySettings.present
        let known = try StoreSnapshot(try source.currentState(), files, proxies).values
        let (old, hasFeed) = state.withLock { state in
            defer { state.watched = watched }
            return (state.watched, state.feed?.hasFailed == false)
        }
        guard !hasFeed else { return }
        do throws(ReachabilityError) {
            let feed = try SystemFeed(source, files, proxies, known: known) { [weak self] in
                self?.systemChanged(from: $0, to: $1)
            }
            let surplus = state.withLock { state in
                // Another thread may have begun too.
                guard state.feed?.hasFailed ?? true else { return feed as SystemFeed? }
                defer { state.feed = feed }
                return state.feed
            }
            surplus?.cancel()
        } catch {
            state.withLock { $0.watched = old }
            throw error
        }
    }

    /// Called on the engine's thread.
    private func systemChanged(from old: [String: PropertyValue], to new: [String: PropertyValue]) {
        state.withLock { state in state.changed.formUnion(state.watched.changes(from: old, to: new)) }
        deliverChanges()
    }

    /// CopyNotifiedKeys: the keys that have changed since this was called last, in alphabetical order.
    package func takeChangedKeys() -> [String] {
        guard mayWatch else { return [] }
        return state.withLock { state in
            defer { state.changed = [] }
            return state.changed.sorted()
        }
    }

    /// Returns false and stores a status in the child of a fork: what the parent's session watches stays the parent's, and its
    /// locks may be held for good.
    var mayWatch: Bool { epoch.isCurrent || LegacyStatus.fail(.failed) }
}

/// The functions of SCDynamicStoreCopySpecific.h.
extension StoreSession {
    package var computerName: String? { member("ComputerName", of: StoreKey.computerName)?.string }
    package var localHostName: String? { member("LocalHostName", of: StoreKey.hostNames)?.string }

    /// The configured name of the host, which may differ from its present one.
    package var hostName: String? { member("HostName", of: StoreKey.computerName)?.string }

    package var consoleUser: ConsoleUser? {
        guard let value = value(of: StoreKey.consoleUser), let name = value["Name"]?.string,
            let userID = value["UID"]?.number
        else { return nil }
        return ConsoleUser(
            name: name, userID: UInt32(truncatingIfNeeded: userID),
            groupID: value["GID"]?.number.map { UInt32(truncatingIfNeeded: $0) })
    }

    /// Empty if there are no proxies. Nil if the system's values cannot be read.
    package var proxies: [String: PropertyValue]? {
        guard let values = values(of: [StoreKey.proxies], matching: []) else { return nil }
        if case .dictionary(let members)? = values[StoreKey.proxies] { return members }
        return [:]
    }

    private func member(_ name: String, of key: String) -> PropertyValue? {
        guard let value = value(of: key) else { return nil }
        return value[name] ?? LegacyStatus.fail(.noKey)
    }
}

/// The keys that a session wants to be notified of.
struct WatchedKeys: Sendable {
    private let keys: Set<String>
    private let patterns: [KeyPattern]

    /// Nil if a pattern is no regular expression.
    init?(_ keys: [String], patterns: [String]) {
        let compiled = patterns.compactMap(KeyPattern.init)
        guard compiled.count == patterns.count else { return nil }
        self.keys = Set(keys)
        self.patterns = compiled
    }

    var isEmpty: Bool { keys.isEmpty && patterns.isEmpty }

    /// Whether one of them may have a value of the network. What a pattern matches is known only when there are keys.
    var concernNetwork: Bool { !patterns.isEmpty || keys.contains(where: StoreKey.mayBeOfNetwork) }

    func contains(_ key: String) -> Bool {
        keys.contains(key) || patterns.contains { $0.matches(key) }
    }

    /// The watched keys whose values differ.
    func changes(from old: [String: PropertyValue], to new: [String: PropertyValue]) -> Set<String> {
        let changed = new.filter { old[$0.key] != $0.value }.keys + old.keys.filter { new[$0] == nil }
        return Set(changed.filter(contains))
    }
}
