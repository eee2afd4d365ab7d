// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import NetworkFacts

@_implementationOnly import CAres

/// The only owner of a c-ares channel. One thread at a time uses it.
///
/// All settings are passed to c-ares (servers, timeouts, no search domains), so that it reads no file. It is asked only
/// for absolute names in DNS, one family at a time: asked for both, version 1.18 reports nothing before the slower one
/// is done. It cannot cancel one question, so the caller drops unwanted answers by their ticket.
///
/// It is Sendable without a lock of its own: it passes from thread to thread under its owner's lock, and only the
/// thread that took it uses it.
@safe final class AresChannel: @unchecked Sendable {
    struct Answer {
        let ticket: UInt64
        let outcome: FamilyOutcome
    }

    let configuration: ResolverConfiguration
    /// The process that made it. The child of a fork must not use its sockets.
    let forkEpoch: UInt64
    private let handle: OpaquePointer
    private let sockets: AresSockets
    private let inbox = Inbox()

    /// Holds the answers until the call into c-ares has returned, so that no other code of ours runs inside c-ares.
    final class Inbox {
        var answers: [Answer] = []
        var pending = 0
    }

    /// c-ares' one-time initialisation.
    private static let libraryStatus = ares_library_init(CInt(ARES_LIB_INIT_ALL))

    /// Fails if memory or descriptors are exhausted.
    init(_ configuration: ResolverConfiguration) throws(Errno) {
        ForkEpoch.observe()
        forkEpoch = ForkEpoch.current
        let sockets = try AresSockets(configuration.environment, servers: configuration.servers)
        guard Self.libraryStatus == ARES_SUCCESS.status, let handle = unsafe Self.open(configuration, sockets) else {
            throw .outOfMemory
        }
        self.configuration = configuration
        self.sockets = sockets
        unsafe self.handle = handle
        unsafe sockets.install(in: handle)
        guard unsafe Self.setServers(configuration.servers, in: handle) else { throw .outOfMemory }
    }

    deinit {
        // Calls back every open question, which frees its memory.
        unsafe ares_destroy(handle)
    }

    private static func open(_ configuration: ResolverConfiguration, _ sockets: AresSockets) -> OpaquePointer? {
        let environment = configuration.environment
        let resolvConf = configuration.resolvConf
        var options = unsafe ares_options()
        unsafe options.flags = ARES_FLAG_NOSEARCH.status | (resolvConf.usesTCP ? ARES_FLAG_USEVC.status : 0)
        let wanted = resolvConf.timeoutSeconds.map { min(.seconds($0), environment.attemptTimeout) }
        unsafe options.timeout = (wanted ?? environment.attemptTimeout).wholeMilliseconds
        unsafe options.tries = CInt(clamping: resolvConf.attempts ?? environment.attempts)
        unsafe options.ndots = 1
        var mask =
            ARES_OPT_FLAGS.status | ARES_OPT_TIMEOUTMS.status | ARES_OPT_TRIES.status | ARES_OPT_NDOTS.status
            | ARES_OPT_SERVERS.status | ARES_OPT_DOMAINS.status | ARES_OPT_LOOKUPS.status | ARES_OPT_SORTLIST.status
            | ARES_OPT_SOCK_STATE_CB.status
        mask |= resolvConf.rotates ? ARES_OPT_ROTATE.status : ARES_OPT_NOROTATE.status
        unsafe sockets.setStateCallback(in: &options)
        var handle: OpaquePointer?
        let status = unsafe "b".withCString { lookups in
            unsafe options.lookups = UnsafeMutablePointer(mutating: lookups)
            return unsafe ares_init_options(&handle, &options, mask)
        }
        return unsafe status == ARES_SUCCESS.status ? handle : nil
    }

    private static func setServers(_ servers: [ServerAddress], in handle: OpaquePointer) -> Bool {
        var nodes = unsafe servers.map { server in
            var node = unsafe ares_addr_port_node()
            unsafe node.family = server.address.family == .v4 ? AF_INET : AF_INET6
            unsafe withUnsafeMutableBytes(of: &node.addr) { unsafe $0.copyBytes(from: server.address.bytes) }
            unsafe node.udp_port = CInt(server.port)
            unsafe node.tcp_port = CInt(server.port)
            return unsafe node
        }
        return unsafe nodes.withUnsafeMutableBufferPointer { buffer in
            for index in buffer.indices.dropFirst() {
                unsafe buffer[index - 1].next = buffer.baseAddress! + index
            }
            return unsafe ares_set_servers_ports(handle, buffer.isEmpty ? nil : buffer.baseAddress)
                == ARES_SUCCESS.status
        }
    }

    // MARK: Asking

    /// Questions without an answer.
    var pendingCount: Int { inbox.pending }

    /// Asks for the addresses of an absolute name in one family.
    func ask(_ name: String, _ family: AddressFamily, ticket: UInt64) {
        inbox.pending += 1
        let question = unsafe Unmanaged.passRetained(Question(ticket: ticket, family: family, inbox: inbox))
        var hints = ares_addrinfo_hints()
        // Not sorted, since c-ares would open a socket for each address to sort them.
        hints.ai_flags = ARES_AI_NOSORT.status
        hints.ai_family = family == .v4 ? AF_INET : AF_INET6
        unsafe ares_getaddrinfo(handle, name, nil, &hints, receiveAresAnswer, question.toOpaque())
    }

    /// The answers that have come since the last call.
    func takeAnswers() -> [Answer] {
        guard !inbox.answers.isEmpty else { return [] }
        defer { inbox.answers = [] }
        guard let shortage = sockets.shortage else { return inbox.answers }
        // If a socket cannot be made, c-ares reports that the server cannot be reached.
        return inbox.answers.map { answer in
            guard case .failed = answer.outcome else { return answer }
            return Answer(ticket: answer.ticket, outcome: .couldNotAsk(shortage))
        }
    }

    // MARK: Driving

    /// Readable when one of c-ares' sockets is ready.
    var rawDescriptor: Int32 { sockets.rawDescriptor }

    /// How long until the next attempt is due. Nil if no question is open.
    var timeout: Duration? {
        var time = timeval()
        guard unsafe ares_timeout(handle, nil, &time) != nil else { return nil }
        return .seconds(time.tv_sec) + .microseconds(time.tv_usec)
    }

    /// Waits at most `limit`, unless there are answers already. Then c-ares handles what is ready or overdue.
    func process(waitingAtMost limit: Duration) {
        // If a question could not be sent, `ask` has left an answer.
        guard inbox.answers.isEmpty else { return }
        let ready = sockets.wait(milliseconds: limit.wholeMilliseconds)
        for event in ready where sockets.isCurrent(event) {
            unsafe ares_process_fd(
                handle, event.isReadable ? event.descriptor : AresSockets.none,
                event.isWritable ? event.descriptor : AresSockets.none)
        }
        // Handles overdue attempts.
        if ready.isEmpty { unsafe ares_process_fd(handle, AresSockets.none, AresSockets.none) }
    }
}

// c-ares' functions take and return `int`. Its constants are macros up to 1.22, and members of an enumeration later.
extension Int32 {
    var status: CInt { self }
}

extension RawRepresentable<UInt32> {
    var status: CInt { CInt(bitPattern: rawValue) }
}
