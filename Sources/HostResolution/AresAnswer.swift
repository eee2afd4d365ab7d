// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import NetworkFacts

@_implementationOnly import CAres

/// A question that c-ares holds until it calls back. It calls back exactly once.
final class Question {
    let ticket: UInt64
    let family: AddressFamily
    let inbox: AresChannel.Inbox

    init(ticket: UInt64, family: AddressFamily, inbox: AresChannel.Inbox) {
        self.ticket = ticket
        self.family = family
        self.inbox = inbox
    }
}

/// The callback of ares_getaddrinfo(3). Reads and frees the result.
func receiveAresAnswer(
    _ argument: UnsafeMutableRawPointer?, _ status: CInt, _ timeouts: CInt,
    _ result: UnsafeMutablePointer<ares_addrinfo>?
) {
    let question = unsafe Unmanaged<Question>.fromOpaque(argument!).takeRetainedValue()
    let outcome = unsafe FamilyOutcome(status: status, result: result, family: question.family)
    if let result = unsafe result { unsafe ares_freeaddrinfo(result) }
    question.inbox.pending -= 1
    question.inbox.answers.append(AresChannel.Answer(ticket: question.ticket, outcome: outcome))
}

extension FamilyOutcome {
    /// Reads c-ares' answer. Only addresses of the requested family count.
    fileprivate init(status: CInt, result: UnsafeMutablePointer<ares_addrinfo>?, family: AddressFamily) {
        switch status {
        case ARES_SUCCESS.status:
            let found = unsafe Self.addresses(in: result, family)
            self = found.isEmpty ? .noData : .addresses(found)
        case ARES_ENODATA.status: self = .noData
        case ARES_ENOTFOUND.status, ARES_EBADNAME.status: self = .noSuchName
        case ARES_ECANCELLED.status, ARES_EDESTRUCTION.status: self = .cancelled
        default: self = .failed(AresStatus(code: status))
        }
    }

    private static func addresses(
        in result: UnsafeMutablePointer<ares_addrinfo>?, _ family: AddressFamily
    ) -> [TimedAddress] {
        guard let result = unsafe result else { return [] }
        // An address is valid only as long as the aliases that led to it (RFC 1034 3.6.2).
        var aliasLimit = UInt32.max
        var alias = unsafe result.pointee.cnames
        while let link = unsafe alias {
            aliasLimit = unsafe min(aliasLimit, UInt32(clamping: link.pointee.ttl))
            unsafe alias = link.pointee.next
        }
        var found: [TimedAddress] = []
        var node = unsafe result.pointee.nodes
        while let entry = unsafe node {
            if let address = unsafe IPAddress(entry.pointee.ai_addr), address.family == family {
                let limit = unsafe min(aliasLimit, UInt32(clamping: entry.pointee.ai_ttl))
                found.append(TimedAddress(address, timeToLive: limit))
            }
            unsafe node = entry.pointee.ai_next
        }
        return found
    }
}

extension IPAddress {
    /// Reads a socket address that c-ares made. It has no scope, as DNS has none.
    fileprivate init?(_ address: UnsafeMutablePointer<sockaddr>?) {
        guard let address = unsafe address else { return nil }
        switch unsafe Int32(address.pointee.sa_family) {
        case AF_INET:
            let inner = unsafe UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self)
            self = .v4(IPv4Address(rawValue: UInt32(bigEndian: inner.sin_addr.s_addr)))
        case AF_INET6:
            // The address follows family, port and flow information (struct sockaddr_in6, ipv6(7)).
            let high = unsafe UnsafeRawPointer(address).loadUnaligned(fromByteOffset: 8, as: UInt64.self)
            let low = unsafe UnsafeRawPointer(address).loadUnaligned(fromByteOffset: 16, as: UInt64.self)
            self = .v6(IPv6Address(high: UInt64(bigEndian: high), low: UInt64(bigEndian: low)))
        default: return nil
        }
    }
}

extension AresStatus {
    package var description: String { unsafe String(cString: ares_strerror(code)) }

    var isTimeout: Bool { code == ARES_ETIMEOUT.status }
}
