// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import ReachabilityKit

/// `reachability wait`: sleeps until all targets are reachable at the same time.
struct Wait {
    let arguments: Arguments
    let references: [(text: String, reference: ReachabilityRef)]

    private struct Message: Sendable {
        let position: Int
        let sighting: ObservedState
    }

    func run() -> ExitStatus {
        do throws(Errno) {
            let inbox = try Inbox<Message>()
            let loop = try MainLoop(arrival: inbox.rawDescriptor)
            do throws(ReachabilityError) {
                return try wait(inbox, loop)
            } catch {
                Output.complaint(error.description)
            }
        } catch {
            Output.complaint("cannot wait for changes: \(error)")
        }
        return .undetermined
    }

    private func wait(_ inbox: Inbox<Message>, _ loop: MainLoop) throws(ReachabilityError) -> ExitStatus {
        if let timeout = arguments.timeout { loop.armTimer(after: timeout) }
        var subscriptions: [CancellationToken] = []
        for position in references.indices { subscriptions.append(try observe(position, inbox)) }
        var sightings: [ObservedState?] = Array(repeating: nil, count: references.count)
        while true {
            for event in loop.next() {
                switch event {
                case .messages:
                    for message in inbox.take() { sightings[message.position] = message.sighting }
                case .time: return try lastLook(sightings)
                case .windowChanged, .resumed: break
                }
            }
            guard sightings.allSatisfy({ $0?.observation.flags.isReachable == true }) else { continue }
            // ObservedStates come one after the other, and one may be old news by now. So all are asked about once more,
            // and one that disagrees is seen anew: its engine may never have noticed so short a change.
            var isReachable = true
            for position in references.indices where try !isReachableNow(position, sightings[position]) {
                isReachable = false
                sightings[position] = nil
                subscriptions[position].cancel()
                subscriptions[position] = try observe(position, inbox)
            }
            if isReachable { return .allReachable }
        }
    }

    private func observe(_ position: Int, _ inbox: Inbox<Message>) throws(ReachabilityError) -> CancellationToken {
        try references[position].reference.observe { sighting in
            inbox.deliver(Message(position: position, sighting: sighting))
        }
    }

    /// A name that has not been resolved yet is not known to be reachable.
    private func isReachableNow(_ position: Int, _ sighting: ObservedState?) throws(ReachabilityError) -> Bool {
        let reference = references[position].reference
        if let sighting { return try reference.flags(after: sighting).isReachable }
        return try reference.isName ? false : reference.getFlags().isReachable
    }

    /// The time is up. What counts is how things stand now, so that a wait of no time is a mere question.
    private func lastLook(_ sightings: [ObservedState?]) throws(ReachabilityError) -> ExitStatus {
        var status = ExitStatus.allReachable
        for position in references.indices where try !isReachableNow(position, sightings[position]) {
            status = .notAllReachable
            let (text, reference) = references[position]
            let state = reference.isName && sightings[position] == nil ? "not resolved" : "not reachable"
            Output.complaint("'\(text)' was \(state) when the time was up")
        }
        return status
    }
}
