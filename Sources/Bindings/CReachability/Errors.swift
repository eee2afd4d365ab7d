// SPDX-License-Identifier: Apache-2.0

import CReachabilityHeaders
import ReachabilityKit

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
        default: REACHABILITY_OTHER
        }
    }
}

/// Runs `body`. If it throws, fills the caller's error and returns its number.
func reporting(
    to error: UnsafeMutablePointer<reachability_error>?, _ body: () throws(ReachabilityError) -> Void
) -> Int32 {
    do throws(ReachabilityError) {
        try body()
        return Int32(REACHABILITY_OK)
    } catch let failure {
        let code = Int32(failure.code.number)
        if let error = unsafe error { unsafe error.pointee.set(code, failure) }
        return code
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
