// SPDX-License-Identifier: Apache-2.0

import Glibc

@_implementationOnly import CLinux

/// The one policy of the package for calling into libc: `errno` is read at once, an interrupted call is made again,
/// and a descriptor or pointer that is plainly wrong is our own mistake and traps.
@inline(__always)
func valueOrErrno<Value: SignedInteger>(
    _ call: FaultInjection.Call, _ body: () -> Value
) throws(Errno) -> Value {
    while true {
        try FaultInjection.check(call)
        let value = body()
        if value != -1 { return value }
        let error = Errno.current
        if error == .interrupted { continue }
        precondition(error.rawValue != EFAULT, "bad address passed to \(call)")
        throw error
    }
}
