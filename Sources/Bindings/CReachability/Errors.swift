// SPDX-License-Identifier: Apache-2.0

public import CReachabilityHeaders
import ReachabilityKit
import ReachabilityLinuxSystem

extension ReachabilityError.Code {
    /// The number of the header.
    fileprivate var number: Int {
        switch self {
        case .invalidTarget: REACHABILITY_INVALID_TARGET
        case .invalidOption: REACHABILITY_INVALID_OPTION
        case .noSuchInterface: REACHABILITY_NO_SUCH_INTERFACE
        case .kernelUnavailable: REACHABILITY_KERNEL_UNAVAILABLE
        case .scheduling: REACHABILITY_CLOSED
        case .unsupported: REACHABILITY_UNSUPPORTED
        case .invalidSocket: REACHABILITY_INVALID_SOCKET
        default: REACHABILITY_OTHER
        }
    }
}

/// Runs `body`. If it throws, fills the caller's error and returns its number.
func reporting(
    to error: UnsafeMutablePointer<reachability_error>?, _ body: () throws(ReachabilityError) -> Void
) -> Int32 {
    undisturbed {
        do throws(ReachabilityError) {
            try body()
            return Int32(REACHABILITY_OK)
        } catch let failure {
            let code = Int32(failure.code.number)
            if let error = unsafe error { unsafe error.pointee.set(code, failure) }
            return code
        }
    }
}

extension reachability_error {
    fileprivate mutating func set(_ code: Int32, _ failure: ReachabilityError) {
        self.code = code
        system_error = failure.errno ?? 0
        let sentence = Array(failure.description.utf8)
        unsafe withUnsafeMutableBytes(of: &message) { bytes in
            var end = min(sentence.count, bytes.count - 1)
            // Not in the middle of a character: the bytes after its first have the form 10xxxxxx (RFC 3629).
            while end < sentence.count, end > 0, sentence[end] & 0xC0 == 0x80 { end -= 1 }
            unsafe bytes.copyBytes(from: sentence[..<end])
            unsafe bytes[end] = 0
        }
    }
}

/// The codes of reasons in the order of the header's numbers, from 1 on. New ones are added at the end.
let reasonCodes = [
    "this_machine", "on_link", "gateway", "point_to_point", "connectable", "dormant_link", "no_route",
    "unreachable_route", "prohibited", "blackhole", "family_unsupported", "no_route_on_interface",
    "leaves_elsewhere", "interface_missing", "interface_not_named", "no_source_address", "link_down",
    "no_carrier", "lower_layer_down", "device_not_present", "link_testing", "link_gone", "not_our_address",
    "families_differ", "no_address_of_family", "no_such_name", "no_addresses", "impossible_name",
    "no_name_server_reachable", "no_name_server_configured", "no_answer", "name_servers_failed",
]

func number(ofReason code: String) -> Int32 { reasonCodes.firstIndex(of: code).map { Int32($0 + 1) } ?? 0 }

/// Asks for the present flags, and what decided them.
@_cdecl("reachability_target_get_reason")
public func reachability_target_get_reason(
    _ target: OpaquePointer, _ flags: UnsafeMutablePointer<UInt32>?, _ reason: UnsafeMutablePointer<Int32>?,
    _ sentence: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, _ error: UnsafeMutablePointer<reachability_error>?
) -> Int32 {
    unsafe sentence?.pointee = nil
    return unsafe reporting(to: error) { () throws(ReachabilityError) in
        let explanation = try unsafe reference(target).explain()
        if let sentence = unsafe sentence { try unsafe give(explanation.reason, to: sentence) }
        unsafe flags?.pointee = explanation.flags.rawValue
        unsafe reason?.pointee = number(ofReason: explanation.reasonCode)
    }
}

/// Writes flags in words.
@_cdecl("reachability_flags_to_text")
public func reachability_flags_to_text(_ flags: UInt32, _ text: UnsafeMutablePointer<CChar>?, _ size: Int) -> Int {
    let words = Array(ReachabilityFlags(rawValue: flags).description.utf8CString)
    if let text = unsafe text, size > 0 {
        let kept = min(words.count, size) - 1
        _ = unsafe UnsafeMutableBufferPointer(start: text, count: kept).update(fromContentsOf: words[..<kept])
        unsafe text[kept] = 0
    }
    return words.count - 1
}
