// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityNetlink
import ReachabilityResolverFiles
import TestTopology
import Testing

@testable import ReachabilityHostResolution
@testable import ReachabilityReferences
@testable import ReachabilityRoutes

/// Where sockets are connected, connect(2) to one address may be refused while others are not: by a policy of XFRM, as here, or by
/// a BPF program on a control group. Each test is a process of its own.
@Suite("A target that is refused", .timeLimit(.minutes(10)), .needs(.namespaces))
struct RefusedTargetTests {
    private static let block = "xfrm policy add dir out dst 192.0.2.1/32 action block"
    private static let allow = "xfrm policy delete dir out dst 192.0.2.1/32"

    /// Nothing can be asked over netlink from now on. Announcements still come.
    private static func forbidQuestions() { FaultInjection.fail(.send, with: .permissionDenied, times: .max) }

    private static func waitUntilNoLookIsDue(_ engine: Engine) throws {
        try ProcessState.wait("no look is due") {
            try engine.afterwards { [core = engine.core] in core.agenda.announced.isEmpty }
        }
    }

    private static func waitUntilRefused(_ address: String, _ reference: ReachabilityRef, _ engine: Engine) throws {
        try ProcessState.wait("\(address) is refused") {
            try engine.afterwards { [core = engine.core] in
                core.watch(of: .address(IPAddress(text: address)), reference.keysOfWatch)?.isRefused == true
            }
        }
    }

    @Test func `is an error for itself, silences no other, and is asked about again with the next change`() async {
        await #expect(processExitsWith: .success) {
            let network = try WatchedNetwork("10.0.0.1/24", "route add default via 10.0.0.254", Self.block)
            let (refused, other) = (try network.reference("192.0.2.1"), try network.reference("192.0.2.2"))
            Self.forbidQuestions()
            try #require(try other.getFlags() == .reachable)
            try #require(other.statistics.lookupMethod == .udp)
            let error = try #require(throws: ReachabilityError.self) { try refused.getFlags() }
            try #require(error.code == .kernelUnavailable && error.errno == Errno.notPermitted.rawValue)
            let (ofRefused, ofOther) = (ReceivedValues<ReachabilityFlags>(), ReceivedValues<ReachabilityFlags>())
            let refusals = ReceivedValues<ReachabilityFlags>()
            let tokens = try [(refused, ofRefused), (other, ofOther)].map { reference, values in
                try reference.observe { ($0.isRefused ? refusals : values).record($0.observation.flags) }
            }
            try #require(try ofOther.next() == .reachable)
            try network.topology.ip("route add unreachable 192.0.2.2\nroute replace default via 10.0.0.253")
            try #require(try ofOther.next() == [])
            try Self.waitUntilNoLookIsDue(network.engine)
            try #require(ofRefused.all == [])
            // Once, although it was looked at again.
            try #require(refusals.all == [[]])
            try network.topology.ip(
                "\(Self.allow)\nroute del unreachable 192.0.2.2\nroute replace default via 10.0.0.254")
            try #require(try ofOther.next() == .reachable)
            try #require(try ofRefused.next() == .reachable)
            // Who comes while it is refused is not told what was known before.
            try network.topology.ip("\(Self.block)\nroute add 192.0.2.0/24 via 10.0.0.253")
            try Self.waitUntilRefused("192.0.2.1", refused, network.engine)
            try #require(refusals.all == [[], []])
            let (late, lateRefusals) = (ReceivedValues<ReachabilityFlags>(), ReceivedValues<Bool>())
            let lateToken = try refused.observe { state in
                if state.isRefused { lateRefusals.record(true) } else { late.record(state.observation.flags) }
            }
            try #require(try lateRefusals.next())
            try #require(late.all == [])
            try network.topology.ip("\(Self.allow)\nroute del 192.0.2.0/24")
            try #require(try late.next() == .reachable)
            try #require(ofRefused.all == [.reachable])
            for token in tokens + [lateToken] { token.cancel() }
        }
    }

    @Test func `that is the default path, or has a mark, leaves the others their answers`() async {
        await #expect(processExitsWith: .success) {
            let network = try WatchedNetwork("10.0.0.1/24", "route add default via 10.0.0.254")
            let marked = try network.reference("192.0.2.1") { $0.mark = 7 }
            let other = try network.reference("192.0.2.2")
            let (ofMarked, ofOther) = (ReceivedValues<ReachabilityFlags>(), ReceivedValues<ReachabilityFlags>())
            let tokens = try [(marked, ofMarked), (other, ofOther)].map { reference, values in
                try reference.observe { if !$0.isRefused { values.record($0.observation.flags) } }
            }
            try #require(try ofMarked.next() == .reachable)
            try #require(try ofOther.next() == .reachable)
            let obstacles = ReceivedValues<[RequestGate.Obstacle]>()
            let gate = try RequestGate(to: marked).observe { if let view = $0 { obstacles.record(view.obstacles) } }
            try #require(try obstacles.next() == [])
            let paths = PathRecorder()
            let following = try PathSource(of: other.namespace).observe(paths.record)
            let first = try paths.next()
            try #require(first.view().status == .satisfied)
            let refusals = ReceivedValues<Int32?>()
            let observing = try PathSource(of: other.namespace).observe(refused: { refusals.record($0.errno) }) { _ in }
            // The address that is asked about for the default path.
            try network.topology.ip("xfrm policy add dir out dst 198.41.0.4/32 action block")
            Self.forbidQuestions()
            // Not without a default route: what leads nowhere is unreachable before it can be refused.
            try network.topology.ip("route add unreachable 192.0.2.2\nroute replace default via 10.0.0.253")
            try #require(try ofOther.next() == [])
            try Self.waitUntilNoLookIsDue(network.engine)
            try #require(ofMarked.all == [.reachable])
            // Nothing is known of its host any more.
            try #require(try obstacles.next() == [.unknown])
            try #require(paths.all.last == first)
            try #require(refusals.all == [Errno.notPermitted.rawValue])
            let late = PathRecorder()
            let lateRefusals = ReceivedValues<Int32?>()
            let lateTokens = [
                try PathSource(of: other.namespace).observe(late.record),
                try PathSource(of: other.namespace).observe(refused: { lateRefusals.record($0.errno) }) { _ in },
            ]
            try #require(try lateRefusals.next() == Errno.notPermitted.rawValue)
            try network.topology.ip(
                "xfrm policy delete dir out dst 198.41.0.4/32\nroute del unreachable 192.0.2.2\n"
                    + "route replace default via 10.0.0.254")
            try #require(try ofOther.next() == .reachable)
            // Without netlink it has no gateway.
            try paths.next { $0 != first && $0.view().status == .satisfied }
            // Who came while it was refused is told, too.
            try late.next { $0.view().status == .satisfied }
            try #require(refusals.all.count == 1 && lateRefusals.all.count == 1)
            for token in tokens + lateTokens + [gate, following, observing] { token.cancel() }
        }
    }

    @Test func `is refused anew after an answer`() {
        let watch = WatchedTarget(target: .address(IPAddress(text: "192.0.2.1")), keys: RoutingKeys())
        for _ in 0..<2 {
            let isNews = [watch.take(nil), watch.take(nil)]
            #expect(isNews == [true, false])
            #expect(watch.isRefused && watch.answer == nil)
            #expect(watch.take(Observation(flags: [])))
            #expect(!watch.isRefused && watch.version == 1)
        }
    }

    /// Nothing is known about its fate then.
    @Test func `is an error for the fate of a connection to it`() async {
        await #expect(processExitsWith: .success) {
            let network = try WatchedNetwork("10.0.0.1/24", "route add default via 10.0.0.254")
            let socket = network.topology.run { ConnectedSocket(to: "192.0.2.1", user: nil) }
            _ = socket.connect()
            let fate = try network.topology.run { try SocketFate(of: socket.descriptor) }
            Self.forbidQuestions()
            try #require(try fate.current().fate == .viable)
            try network.topology.ip(Self.block)
            let error = try #require(throws: ReachabilityError.self) { try fate.current() }
            try #require(error.errno == Errno.notPermitted.rawValue)
            try network.topology.ip(Self.allow)
            try #require(try fate.current().fate == .viable)
        }
    }

    @Test func `is no better than the other addresses of its name`() async {
        await #expect(processExitsWith: .success) {
            let network = try NamedNetwork(NamedNetwork.answering("192.0.2.1"))
            // An address of this machine that comes after the other one in every order.
            try network.topology.ip("address add 198.18.0.1/32 dev eth0")
            network.fixture.write("hosts", "192.0.2.1 both.test\n198.18.0.1 both.test\n")
            let reference = try network.reference("both.test")
            let (found, refusals) = (ReceivedValues<ReachabilityFlags>(), ReceivedValues<ReachabilityError?>())
            let token = try reference.observe { state in
                guard state.isRefused else { return found.record(state.observation.flags) }
                // What was resolved is asked about.
                refusals.record(Result { () throws(ReachabilityError) in try reference.verdict(after: state) }.failure)
            }
            try #require(try found.next() == .reachable)
            let engine = try #require(network.namespace.sharedEngine.present)
            Self.forbidQuestions()
            try network.topology.ip("route add 192.0.2.0/24 via 10.0.0.253")
            try ProcessState.wait("sockets are connected") { reference.statistics.lookupMethod == .udp }
            try Self.waitUntilNoLookIsDue(engine)
            try network.topology.ip("\(Self.block)\nroute del 192.0.2.0/24")
            try #require(try found.next { $0 != .reachable } == [.reachable, .isLocalAddress, .isDirect])
            try #require(try reference.getFlags() == [.reachable, .isLocalAddress, .isDirect])
            try #require(try reference.explain().flags == [.reachable, .isLocalAddress, .isDirect])
            try #require(refusals.all.isEmpty)
            // Now only the refused address might be reachable.
            try network.topology.ip("route add unreachable 198.18.0.2")
            network.fixture.write("hosts", "192.0.2.1 both.test\n198.18.0.2 both.test\n")
            try #require(throws: ReachabilityError.self) { try reference.getFlags() }
            try #require(throws: ReachabilityError.self) { try reference.explain() }
            try #require(try refusals.next()?.errno == Errno.notPermitted.rawValue)
            token.cancel()
            network.server.stop()
        }
    }
}

extension Result {
    fileprivate var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}
