// SPDX-License-Identifier: Apache-2.0

import Glibc

@_implementationOnly import CLinux

/// The one policy of the package for calling into libc: `errno` is read at once, an interrupted call is made again, a
/// cancelled thread does not end in it, and a pointer that the kernel cannot read or write (EFAULT) is our own mistake and
/// traps. Everything else is an error for the caller, a wrong descriptor (EBADF) too: it may be the client's.
@inline(__always)
func valueOrErrno<Value: SignedInteger>(
    _ call: FaultInjection.Call, _ body: () -> Value
) throws(Errno) -> Value {
    while true {
        try FaultInjection.check(call)
        let value = withoutCancellation(body)
        if value != -1 { return value }
        let error = Errno.current
        if error == .interrupted { continue }
        precondition(error.rawValue != EFAULT, "bad address passed to \(call)")
        throw error
    }
}

/// The same for a call that was made by a function of ours in C, which makes an interrupted one again itself: its result, or
/// the error that a negative one is.
@inline(__always)
func resultOrErrno(_ result: Int) throws(Errno) -> Int {
    if result >= 0 { return result }
    let error = Errno(rawValue: Int32(-result))
    precondition(error.rawValue != EFAULT, "bad address passed to a system call")
    throw error
}
