// SPDX-License-Identifier: Apache-2.0

#if Names
import ReachabilityLinuxSystem
import ReachabilityResolverFiles

@_implementationOnly import CReachabilityAres
@_implementationOnly import CReachabilityLinux

/// The c-ares that the program runs with.
package enum AresLibrary {
    package static var version: String { unsafe String(cString: ares_version(nil)) }
}

/// One name server, with the c-ares channel that asks it. One thread at a time uses it.
///
/// c-ares makes messages and sockets, recognises answers, and goes over to TCP for long ones. Versions differ in the
/// rest: in which server they ask next and when, in what they keep, and in which records they believe. So a channel has
/// one server and asks it once for each question. `NameMachine` decides about the next attempt, and `DNSAnswer` reads.
@safe final class AresServer {
    private let sockets: AresSockets
    private let handle: OpaquePointer
    /// Kept until the call into c-ares has returned, so that no other code of ours runs inside c-ares.
    private var endings: [NameServers.Ending] = []
    /// What `cancelAll` has cancelled.
    private var cancelled: [NameMachine.Attempt] = []

    /// An attempt that c-ares holds until it calls back. It calls back exactly once.
    private final class OpenAttempt {
        let attempt: NameMachine.Attempt
        /// Nil while the server is deinitialized.
        weak var server: AresServer?

        init(_ attempt: NameMachine.Attempt, _ server: AresServer) {
            (self.attempt, self.server) = (attempt, server)
        }
    }

    private static let isSuitable = unsafe cares_fits(clinux_are_of_one_object) != 0

    /// c-ares' one-time initialisation.
    private static let libraryStatus = ares_library_init(CInt(ARES_LIB_INIT_ALL))

    /// Fails if memory is exhausted, or if the program has another c-ares than this package can use.
    ///
    /// - Parameter timeout: when c-ares itself gives an attempt up. The question has ended before that.
    init(
        _ server: ServerAddress, _ sockets: AresSockets, usesTCP: Bool, timeout: Duration,
        _ changed: @escaping @Sendable () -> Void
    ) throws(Errno) {
        guard Self.isSuitable else { throw .unsuitableLibrary }
        var handle: OpaquePointer?
        let flags = usesTCP ? ARES_FLAG_USEVC.status : 0
        guard Self.libraryStatus == ARES_SUCCESS.status,
            unsafe cares_open(
                &handle, flags, timeout.wholeMilliseconds, AresSockets.stateChanged, sockets.opaque)
                == ARES_SUCCESS.status,
            let handle = unsafe handle
        else { throw .outOfMemory }
        unsafe self.handle = handle
        self.sockets = sockets
        unsafe sockets.install(in: handle)
        guard unsafe Self.setServer(sockets.nominalAddress, port: server.port, in: handle) else {
            throw .outOfMemory
        }
        sockets.isReady = { [weak self] descriptor, interest in
            self?.process(descriptor, interest)
            changed()
        }
    }

    deinit {
        // Calls back every open attempt, which frees its memory.
        unsafe ares_destroy(handle)
    }

    private static func setServer(_ address: IPAddress, port: UInt16, in handle: OpaquePointer) -> Bool {
        var node = unsafe ares_addr_port_node()
        unsafe node.family = address.family == .v4 ? AF_INET : AF_INET6
        unsafe withUnsafeMutableBytes(of: &node.addr) { unsafe $0.copyBytes(from: address.bytes) }
        unsafe node.udp_port = CInt(port)
        unsafe node.tcp_port = CInt(port)
        return unsafe ares_set_servers_ports(handle, &node) == ARES_SUCCESS.status
    }

    // MARK: Asking

    /// Attempts that c-ares still waits for.
    private(set) var pendingCount = 0

    /// Whether anything was asked since all was cancelled. If so, a socket may be open.
    private(set) var isInUse = false

    /// Asks for the addresses of a full name in one family. If that fails at once, `takeEndings` returns it.
    func ask(_ attempt: NameMachine.Attempt) {
        isInUse = true
        pendingCount += 1
        let argument = unsafe Unmanaged.passRetained(OpenAttempt(attempt, self))
        unsafe ares_query(
            handle, attempt.question, CInt(DNSRecord.internetClass), CInt(attempt.family.recordType), Self.receive,
            argument.toOpaque())
    }

    private static let receive: ares_callback = { argument, status, _, bytes, count in
        let open = unsafe Unmanaged<OpenAttempt>.fromOpaque(argument!).takeRetainedValue()
        guard let server = open.server else { return }
        server.pendingCount -= 1
        if status == ARES_ECANCELLED.status { server.cancelled.append(open.attempt) }
        let buffer = unsafe UnsafeMutableBufferPointer(start: bytes, count: bytes == nil ? 0 : Int(count))
        let message = unsafe Span(_unsafeElements: buffer)
        guard let outcome = FamilyOutcome(status, message, of: open.attempt) else { return }
        server.endings.append((open.attempt, outcome))
    }

    /// If a socket cannot be made, c-ares reports that the server cannot be reached.
    func takeEndings() -> [NameServers.Ending] {
        defer { endings = [] }
        guard let shortage = sockets.shortage else { return endings }
        return endings.map { ($0.attempt, $0.outcome.status == nil ? $0.outcome : .couldNotAsk(shortage)) }
    }

    /// Lets c-ares read from a ready socket, or write to it. 1.18 reads all datagrams that are there, and 1.34 only one,
    /// which would leave the others in the queue while more questions are sent.
    private func process(_ descriptor: Int32, _ interest: Epoll.Interest) {
        let writes = interest.contains(.writable)
        // An error is found by reading.
        let reads = !writes || interest.contains(.readable)
        repeat {
            sockets.mayHaveMore = false
            unsafe cares_process(handle, descriptor, reads ? 1 : 0, writes ? 1 : 0)
        } while sockets.mayHaveMore
    }

    /// Forgets the open attempts, and closes the sockets.
    ///
    /// - Returns: these attempts.
    func cancelAll() -> [NameMachine.Attempt] {
        isInUse = false
        unsafe ares_cancel(handle)
        defer { cancelled = [] }
        return cancelled
    }
}

extension FamilyOutcome {
    /// What a message says, or why there is none. Nil if c-ares gave up waiting or was told to: that is not the server's
    /// answer, and when to ask again is decided elsewhere.
    fileprivate init?(_ status: CInt, _ message: Span<UInt8>, of attempt: NameMachine.Attempt) {
        switch status {
        case ARES_ECANCELLED.status, ARES_EDESTRUCTION.status, ARES_ETIMEOUT.status: return nil
        case ARES_EBADNAME.status: self = .noSuchName
        case _ where message.isEmpty: self = .failed(AresStatus(code: status))
        default:
            do throws(DNSProblem) {
                self.init(try DNSAnswer(reading: message, name: attempt.question, family: attempt.family))
            } catch {
                self = .failed(AresStatus(code: ARES_EBADRESP.status))
            }
        }
    }

    private init(_ answer: DNSAnswer) {
        // The codes are those of RFC 1035, section 4.1.1.
        switch answer.code {
        case 0 where answer.addresses.isEmpty: self = .noData
        case 0: self = .addresses(answer.addresses)
        case 1: self = .failed(AresStatus(code: ARES_EFORMERR.status))
        case 3: self = .noSuchName
        case 4: self = .failed(AresStatus(code: ARES_ENOTIMP.status))
        case 5: self = .failed(AresStatus(code: ARES_EREFUSED.status))
        default: self = .failed(AresStatus(code: ARES_ESERVFAIL.status))
        }
    }
}

extension AresStatus {
    /// No server has answered in time.
    static let timeout = AresStatus(code: ARES_ETIMEOUT.status)

    package var description: String { unsafe String(cString: ares_strerror(code)) }

    var isTimeout: Bool { self == .timeout }

    /// Whether asking once more, or another server, may help. A server that finds the question malformed will find it so
    /// again.
    var mayPass: Bool { code != ARES_EFORMERR.status }
}

// c-ares' functions take and return `int`. Its constants are macros in 1.18, and members of an enumeration later.
extension Int32 {
    fileprivate var status: CInt { self }
}

extension RawRepresentable<UInt32> {
    fileprivate var status: CInt { CInt(bitPattern: rawValue) }
}
#endif
