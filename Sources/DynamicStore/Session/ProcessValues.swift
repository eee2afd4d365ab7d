// SPDX-License-Identifier: Apache-2.0

import LegacyReachability
import LinuxSystem
import Synchronization

/// The values that the clients of this process have set. All sessions of the process share them, and no other process sees
/// them.
final class ProcessValues: Sendable {
    static let shared = ProcessValues()

    private struct Entry {
        var value: PropertyValue
        /// The session with which a temporary value ends.
        var session: ObjectIdentifier?
    }

    private struct State {
        var entries: [String: Entry] = [:]
        var sessions: [ObjectIdentifier: WeakSession] = [:]
    }

    private struct WeakSession {
        weak var session: StoreSession?
    }

    private let state = Mutex(State())

    /// A change of one or several values. Either all of it is made or none.
    struct Change {
        var set: [String: PropertyValue] = [:]
        var remove: [String] = []
        /// Keys that count as changed although their values are not.
        var notify: [String] = []
        /// The session with which the values end; nil if they are to stay.
        var session: ObjectIdentifier?
        /// The keys must be new.
        var mustAdd = false
        /// The keys to remove must exist.
        var mustExist = false
    }

    var values: [String: PropertyValue] {
        guard Self.isUsable else { return [:] }
        return state.withLock { $0.entries.mapValues(\.value) }
    }

    func value(of key: String) -> PropertyValue? {
        guard Self.isUsable else { return nil }
        return state.withLock { $0.entries[key]?.value }
    }

    /// Makes a change, and notifies the sessions that watch its keys.
    func apply(_ change: Change) -> LegacyStatus {
        guard Self.isUsable else { return .noStoreServer }
        let keys = Array(change.set.keys) + change.remove + change.notify
        guard !keys.contains(where: StoreKey.belongsToSystem) else { return .accessError }
        guard !keys.contains("") else { return .invalidArgument }
        let (status, changed, sessions) = state.withLock { state -> (LegacyStatus, Set<String>, [StoreSession]) in
            if change.mustAdd, change.set.keys.contains(where: { state.entries[$0] != nil }) {
                return (.keyExists, [], [])
            }
            if change.mustExist, change.remove.contains(where: { state.entries[$0] == nil }) { return (.noKey, [], []) }
            var changed = Set(change.notify)
            for (key, value) in change.set {
                let old = state.entries.updateValue(Entry(value: value, session: change.session), forKey: key)
                if old?.value != value { changed.insert(key) }
            }
            for key in change.remove where state.entries.removeValue(forKey: key) != nil { changed.insert(key) }
            return (.ok, changed, changed.isEmpty ? [] : state.sessions.values.compactMap(\.session))
        }
        for session in sessions { session.note(changed) }
        return status
    }

    func add(_ session: StoreSession) {
        guard Self.isUsable else { return }
        state.withLock { $0.sessions[ObjectIdentifier(session)] = WeakSession(session: session) }
    }

    /// Ends a session, and its temporary values.
    func remove(_ identifier: ObjectIdentifier) {
        guard Self.isUsable else { return }
        let temporary = state.withLock { state in
            state.sessions[identifier] = nil
            return state.entries.filter { $0.value.session == identifier }.map(\.key)
        }
        if !temporary.isEmpty { _ = apply(Change(remove: temporary)) }
    }

    /// False in the child of a fork, where another thread of the parent may hold the lock for good.
    private static var isUsable: Bool { ForkEpoch.current == 0 }
}
