// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
package import ReachabilityKit

/// Where preferences come from.
package enum PreferencesOrigin: Hashable, Sendable {
    /// This machine, as it is now.
    case machine
    /// A property list, for programs with preferences of their own.
    case file(String)

    /// - Parameter identifier: the client's; nil for the machine's. Nil is returned for one that leads out of the folder.
    package init?(identifier: String?) {
        guard let identifier, identifier != "preferences.plist" else {
            self = .machine
            return
        }
        guard !identifier.isEmpty, !identifier.split(separator: "/").contains("..") else {
            LegacyStatus.last = .invalidArgument
            return nil
        }
        let folder = EnvironmentVariable.value(of: "SCPREFERENCES_DIRECTORY") ?? "/etc/SystemConfiguration"
        self = .file(identifier.hasPrefix("/") ? identifier : "\(folder)/\(identifier)")
    }
}

/// The inside of an `SCPreferences`, in Swift and in C: a session of the dynamic store whose values have one more key, that of
/// the preferences. Nothing can be written.
package final class PreferencesSession: Sendable {
    package typealias Callout = @Sendable (_ owner: AnyObject) -> Void

    private let store: StoreSession
    /// The preferences as objects of CoreFoundation's, from the first call that reads them until `synchronize`.
    private let known = Lock<Owner?>(nil)
    private let callout = CalloutSlot()

    private final class CalloutSlot: Sendable { let value = Lock<Callout?>(nil) }

    package init(_ origin: PreferencesOrigin) {
        var files = MachineFiles()
        files.preferences = origin
        store = StoreSession(files: files) { [callout] owner, _ in callout.value.withLock(\.self)?(owner) }
    }

    /// Sets the object that clients hold, once.
    package func belong(to owner: AnyObject) { store.belong(to: owner) }

    /// - Parameter make: makes objects from a dictionary, from the bytes of a file, or from nil if there is no file. Its
    ///   second argument differs if the preferences do.
    package func tree<Tree: AnyObject>(_ make: (PropertyValue?, _ signature: [UInt8]) -> Tree?) -> Tree? {
        if let known = known.withLock(\.self) { return known.object as? Tree }
        guard let value = store.lookUp(StoreKey.preferences) else { return nil }
        let signature = ServiceIdentifier(interface: value?.description ?? "").description
        guard let tree = make(value, Array(signature.utf8)) else { return nil }
        let owner = Owner(object: tree)
        // Another thread may have read them too. Clients use what the session keeps.
        let kept = known.withLock { known -> Owner in
            let kept = known ?? owner
            known = kept
            return kept
        }
        return kept.object as? Tree
    }

    /// The objects are released outside the lock.
    package func synchronize() { withExtendedLifetime(known.withLock { $0.take() }) {} }

    /// What a path leads to. A dictionary with the member `__LINK__` stands for what that path leads to (SCPPath.c, configd).
    ///
    /// - Parameter member: a member of a dictionary; nil for anything else.
    package static func find<Object>(
        _ path: String, in root: Object, member: (Object, String) -> Object?, text: (Object) -> String?
    ) -> Object? {
        var rest = path.hasPrefix("/") ? path.split(separator: "/")[...] : []
        var object = root
        var links = 0
        while links <= 8, let name = rest.popFirst(), let next = member(object, String(name)) {
            if let link = member(next, "__LINK__").flatMap(text) {
                links += 1
                rest = link.split(separator: "/") + rest
                object = root
            } else if rest.isEmpty {
                return next
            } else {
                object = next
            }
        }
        LegacyStatus.last = links > 8 ? .tooManyLinks : .noKey
        return nil
    }

    package func setCallback(_ new: Callout?) {
        guard store.mayWatch else { return }
        let old = callout.value.withLock { callout in
            defer { callout = new }
            return callout
        }
        // It is released outside the lock, because it may call the client's `release`.
        withExtendedLifetime(old) {}
    }

    package func setQueue(_ place: CallbackPlace?) -> Bool {
        guard place != nil else { return store.setQueue(nil) && watch(false) }
        return watch(true) && store.setQueue(place)
    }

    package func schedule(in pair: LoopAndMode?, of system: any RunLoopSystem) -> Bool {
        guard let pair else { return StoreSession.refuse(.invalidArgument) }
        guard watch(true), let source = store.runLoopSource(order: 0, of: system) else { return false }
        system.add(source, to: pair)
        return true
    }

    package func unschedule(from pair: LoopAndMode?, of system: any RunLoopSystem) -> Bool {
        guard let pair, store.mayWatch, case .onRunLoops(let source) = store.state.withLock({ $0.schedule }),
            source.loops.contains(where: { source.isSame($0, pair) })
        else { return StoreSession.refuse(.invalidArgument) }
        system.remove(source.object, from: pair)
        return source.loops.count > 1 || watch(false)
    }

    private func watch(_ isWatching: Bool) -> Bool {
        store.watch(isWatching ? [StoreKey.preferences] : [], patterns: [])
    }
}
