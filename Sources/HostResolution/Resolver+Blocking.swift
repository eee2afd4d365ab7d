// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem
package import NetworkFacts

extension Resolver {
    /// Finds the addresses of a name, on the calling thread, until `deadline` at the latest.
    ///
    /// At the deadline the answer is what is known by then. Once `enough` says that the addresses known are, the other
    /// family is waited for `secondFamilyPatience` only. It is called with no lock held.
    package func resolve(
        _ name: HostName, deadline: BootTime, enough: @escaping @Sendable ([IPAddress]) -> Bool
    ) -> Resolution {
        if let known = known(name), known.isUsable(at: environment.time.now(), enough) { return known }
        var visit = Visit(deadline: deadline, enough: enough)
        while true {
            let configuration = self.configuration
            if let answer = configuration.localAnswer(name) { return answer }
            if let refusal = refusal(name, configuration) { return refusal }
            if let part = loopResolving(name), let answer = wait(for: name, part, visit) { return answer }
            let (flight, begins) = board(name, configuration)
            if let answer = takePart(in: flight, begins: begins, &visit) { return answer }
        }
    }

    /// What one caller brings to a lookup.
    private struct Visit {
        let deadline: BootTime
        let enough: @Sendable ([IPAddress]) -> Bool
        var seen = 0
        /// Until when this caller waits, once it has enough.
        var patience: BootTime?

        var limit: BootTime { min(deadline, patience ?? deadline) }
    }

    /// The answer, or nil where the configuration has changed and it is all to be done again.
    private func takePart(in flight: SharedLookup, begins: Bool, _ visit: inout Visit) -> Resolution? {
        var mine: AresChannel?
        visit.seen = 0
        if begins {
            do throws(Errno) {
                let channel = try takeChannel(flight.configuration)
                flight.lock.withLock { $0.progress }.ask(channel)
                mine = channel
            } catch {
                return giveUp(flight, error)
            }
        }
        while true {
            let (progress, version, ending) = flight.lock.withLock { state in
                if mine == nil, state.ending == nil { swap(&mine, &state.parked) }
                return (state.progress, state.version, state.ending)
            }
            switch ending {
            case .answered(let resolution): return resolution
            case .outdated: return nil
            case nil: break
            }
            if version != visit.seen {
                visit.seen = version
                notice(progress.addresses, &visit)
            }
            let now = environment.time.now()
            let limit = visit.limit
            guard now < limit else { return depart(flight, progress, mine, visit, now) }
            if let channel = mine {
                if !drive(channel, flight, atMost: limit.duration(since: now)) { mine = nil }
            } else {
                flight.lock.wait(atMost: limit.duration(since: now)) { state in
                    state.version == version && state.parked == nil && state.ending == nil
                }
            }
        }
    }

    private func notice(_ addresses: [IPAddress], _ visit: inout Visit) {
        guard visit.patience == nil, !addresses.isEmpty, visit.enough(addresses) else { return }
        visit.patience = environment.time.now().advanced(by: Self.secondFamilyPatience)
    }

    /// One wait and what it brought. False once the lookup is over, and the channel with it.
    private func drive(_ channel: AresChannel, _ flight: SharedLookup, atMost limit: Duration) -> Bool {
        channel.process(waitingAtMost: min(limit, channel.timeout ?? limit))
        let answers = channel.takeAnswers()
        // Looked at in every round, thus at the latest before an attempt is made again.
        let isOutdated = !flight.configuration.isCurrent
        guard isOutdated || !answers.isEmpty else { return true }
        let now = environment.time.now()
        var next: LookupProgress?
        var finished: Resolution?
        flight.lock.withLock { state in
            for answer in answers where state.progress.record(answer) { next = state.progress }
            state.version += 1
            if state.progress.isFinished {
                finished = flight.resolution(state.progress, missing: .cancelled, at: now)
            }
        }
        if let finished {
            store(finished)
            end(flight, .answered(finished))
            giveBack(channel)
            return false
        }
        if isOutdated {
            end(flight, .outdated)
            return false
        }
        next?.ask(channel)
        flight.lock.broadcast()
        return true
    }

    private func end(_ flight: SharedLookup, _ ending: SharedLookup.Ending) {
        remove(flight)
        flight.lock.withLock { $0.ending = ending }
        flight.lock.broadcast()
    }

    /// Goes with what is known; the channel stays for those who have more time.
    private func depart(
        _ flight: SharedLookup, _ progress: LookupProgress, _ channel: AresChannel?, _ visit: Visit, _ now: BootTime
    ) -> Resolution {
        let missing: FamilyOutcome = visit.patience.map { $0 <= now } == true ? .notAwaited : .deadlinePassed
        let resolution = flight.resolution(progress, missing: missing, at: now)
        store(resolution)
        if leave(flight) {
            // Also one that somebody parked who left before.
            let parked = flight.lock.withLock { $0.parked.take() }
            for channel in [channel, parked] { channel.map(giveBack) }
        } else if let channel {
            flight.lock.withLock { $0.parked = channel }
            flight.lock.broadcast()
        }
        return resolution
    }

    /// Ends a lookup for which c-ares cannot be had.
    private func giveUp(_ flight: SharedLookup, _ error: Errno) -> Resolution {
        let progress = flight.lock.withLock { $0.progress }
        let resolution = flight.resolution(progress, missing: .couldNotAsk(error), at: environment.time.now())
        end(flight, .answered(resolution))
        return resolution
    }

    /// Waits for a lookup that a loop is busy with; nil where that does not answer in time, which only a loop that was
    /// stopped does.
    private func wait(for name: HostName, _ part: AsyncLookups, _ visit: Visit) -> Resolution? {
        let answer = ConditionLock<Resolution?>(nil)
        let ticket = part.begin(name, self, deadline: visit.deadline, enough: visit.enough) { resolution in
            answer.withLock { $0 = resolution }
            answer.broadcast()
        }
        let limit = visit.deadline.duration(since: environment.time.now())
        answer.wait(atMost: limit + Self.secondFamilyPatience) { $0 == nil }
        ticket.cancel()
        return answer.withLock { $0 }
    }
}
