// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityReferences

/// Tells each change of the system's values.
///
/// Everything but `init` and `cancel` happens on the engine's thread.
final class SystemFeed: @unchecked Sendable {
    private let files: MachineFiles
    private let proxies: ProxySettings
    private let engine: EngineAccess
    private let changed: Handler
    private var subscription: CancellationToken?
    private var watch: MachineWatch?
    private var network: NetworkState?
    private var retry: LoopTimer?
    private var known: [String: PropertyValue]

    typealias Handler = @Sendable (_ old: [String: PropertyValue], _ new: [String: PropertyValue]) -> Void

    /// - Parameters:
    ///   - proxies: what the environment says at this moment. It is not read again: nothing announces a change of it.
    ///   - known: the values of this moment. Changes count from here on.
    ///   - changed: called with the values before and after a change.
    init(
        _ source: PathSource, _ files: MachineFiles, _ proxies: ProxySettings, known: [String: PropertyValue],
        changed: @escaping Handler
    ) throws(ReachabilityError) {
        self.files = files
        self.proxies = proxies
        self.known = known
        self.changed = changed
        engine = try source.engine()
        engine.loop.enqueue { [weak self] in
            guard let self else { return }
            watch = MachineWatch(files, on: engine.loop) { [weak self] in self?.look() }
        }
        subscription = try source.observeAll { [self] in take($0) }
    }

    /// Whether nothing follows, as the engine has failed.
    var hasFailed: Bool { engine.loop.failure != nil }

    /// Ends it. A call may be under way.
    func cancel() {
        subscription?.cancel()
        // Holds this object, and with it the engine, until the watch has ended.
        engine.loop.enqueue { [self] in
            watch?.end()
            watch = nil
        }
    }

    private func take(_ observed: ObservedPath) {
        let new = NetworkState(
            path: observed.path, inventory: observed.inventory, searchDomains: observed.searchDomains)
        guard observed.refusal == nil, new != network else { return }
        network = new
        watch?.lookWithoutEvents()
        look()
    }

    private func look() {
        guard let network else { return }
        let values: [String: PropertyValue]
        do throws(ReachabilityError) {
            values = try StoreSnapshot(network, files, proxies).values
        } catch {
            // Nothing announces that there are descriptors again.
            guard retry == nil else { return }
            retry = engine.loop.schedule(at: engine.loop.now().advanced(by: .seconds(1))) { [weak self] in
                self?.retry = nil
                self?.look()
            }
            return
        }
        guard values != known else { return }
        let old = known
        known = values
        changed(old, values)
    }
}
