// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem
package import NetworkFacts

extension Resolver {
    /// Finds the addresses of a name, on the calling thread, until `deadline` at the latest.
    ///
    /// At the deadline the answer is what is known by then. If only one family has addresses, and the other has not
    /// answered within `secondFamilyTimeout`, `enough` decides whether to return without it. So if both families answer
    /// in time, the caller asks the kernel about the addresses only once. `enough` is called with no lock held.
    package func resolve(
        _ name: HostName, deadline: BootTime, enough: @escaping @Sendable ([IPAddress]) -> Bool
    ) -> Resolution {
        if let known = known(name), known.isUsable(at: environment.time.now(), enough) { return known }
        var caller = Caller(deadline: deadline, enough: enough)
        while true {
            let configuration = self.configuration
            if let answer = configuration.localAnswer(name) { return answer }
            if let refusal = refusal(name, configuration) { return refusal }
            if let lookups = lookups(resolving: name), let answer = wait(for: name, lookups, caller) { return answer }
            switch join(name, configuration) {
            case .known(let answer): return answer
            case .lookup(let lookup, let isFirst):
                if let answer = waitOrDrive(lookup, isFirst: isFirst, &caller) { return answer }
            }
        }
    }

    /// What one caller brings to a lookup.
    private struct Caller {
        let deadline: BootTime
        let enough: @Sendable ([IPAddress]) -> Bool
        var seenVersion = 0
        /// When to call `enough`. Nil if no addresses are known, and after the call.
        var checkTime: BootTime?

        var limit: BootTime { min(deadline, checkTime ?? deadline) }
    }

    /// Waits for a lookup, and drives its channel if no other thread does. Returns nil if the configuration has changed
    /// and a new lookup is needed.
    private func waitOrDrive(_ lookup: SharedLookup, isFirst: Bool, _ caller: inout Caller) -> Resolution? {
        var driven: AresChannel?
        (caller.seenVersion, caller.checkTime) = (0, nil)
        if isFirst {
            do throws(Errno) {
                let channel = try takeChannel(lookup.configuration)
                lookup.lock.withLock { $0.progress }.ask(channel)
                driven = channel
            } catch {
                return fail(lookup, error)
            }
        }
        while true {
            let (progress, version, ending) = lookup.lock.withLock { state in
                if driven == nil, state.ending == nil { swap(&driven, &state.idleChannel) }
                return (state.progress, state.version, state.ending)
            }
            switch ending {
            case .answered(let resolution): return resolution
            case .outdated: return nil
            case nil: break
            }
            let now = environment.time.now()
            if version != caller.seenVersion {
                caller.seenVersion = version
                if caller.checkTime == nil, !progress.addresses.isEmpty {
                    caller.checkTime = now.advanced(by: Self.secondFamilyTimeout)
                }
            }
            if let checkTime = caller.checkTime, checkTime <= now {
                caller.checkTime = nil
                if caller.enough(progress.addresses) { return leave(lookup, progress, driven, .notAwaited, now) }
            }
            guard now < caller.deadline else { return leave(lookup, progress, driven, .deadlinePassed, now) }
            let limit = caller.limit.duration(since: now)
            if let channel = driven {
                if !drive(channel, lookup, atMost: limit) { driven = nil }
            } else {
                lookup.lock.wait(atMost: limit) { state in
                    state.version == version && state.idleChannel == nil && state.ending == nil
                }
            }
        }
    }

    /// Waits once, and records what came. Returns false when the lookup is over; the channel is then returned too.
    private func drive(_ channel: AresChannel, _ lookup: SharedLookup, atMost limit: Duration) -> Bool {
        channel.process(waitingAtMost: min(limit, channel.timeout ?? limit))
        let answers = channel.takeAnswers()
        // This is checked after every wait, and so at the latest before the next attempt.
        let isOutdated = !lookup.configuration.isCurrent
        guard isOutdated || !answers.isEmpty else { return true }
        let now = environment.time.now()
        var next: LookupProgress?
        var finished: Resolution?
        lookup.lock.withLock { state in
            for answer in answers where state.progress.record(answer) { next = state.progress }
            state.version += 1
            if state.progress.isFinished {
                finished = lookup.resolution(state.progress, missing: .cancelled, at: now)
            }
        }
        if let finished {
            store(finished)
            end(lookup, .answered(finished))
            giveBack(channel)
            return false
        }
        if isOutdated {
            end(lookup, .outdated)
            return false
        }
        next?.ask(channel)
        lookup.lock.broadcast()
        return true
    }

    private func end(_ lookup: SharedLookup, _ ending: SharedLookup.Ending) {
        remove(lookup)
        lookup.lock.withLock { $0.ending = ending }
        lookup.lock.broadcast()
    }

    /// Ends one caller's wait with what is known. The channel stays for the callers that have more time.
    private func leave(
        _ lookup: SharedLookup, _ progress: LookupProgress, _ channel: AresChannel?, _ missing: FamilyOutcome,
        _ now: BootTime
    ) -> Resolution {
        let resolution = lookup.resolution(progress, missing: missing, at: now)
        store(resolution)
        if leave(lookup) {
            // A caller that left before may have put the channel there.
            let idle = lookup.lock.withLock { $0.idleChannel.take() }
            for channel in [channel, idle] { channel.map(giveBack) }
        } else if let channel {
            lookup.lock.withLock { $0.idleChannel = channel }
            lookup.lock.broadcast()
        }
        return resolution
    }

    /// Ends a lookup for which no channel can be made.
    private func fail(_ lookup: SharedLookup, _ error: Errno) -> Resolution {
        let progress = lookup.lock.withLock { $0.progress }
        let resolution = lookup.resolution(progress, missing: .couldNotAsk(error), at: environment.time.now())
        end(lookup, .answered(resolution))
        return resolution
    }

    /// Waits for a lookup on an event loop. Returns nil if no answer comes in time, which happens only if the loop was
    /// stopped.
    private func wait(for name: HostName, _ lookups: AsyncLookups, _ caller: Caller) -> Resolution? {
        let answer = ConditionLock<Resolution?>(nil)
        let token = lookups.start(name, self, deadline: caller.deadline, enough: caller.enough) { resolution in
            answer.withLock { $0 = resolution }
            answer.broadcast()
        }
        let limit = caller.deadline.duration(since: environment.time.now())
        answer.wait(atMost: limit + Self.secondFamilyTimeout) { $0 == nil }
        token.cancel()
        return answer.withLock { $0 }
    }
}
