// SPDX-License-Identifier: Apache-2.0

@_implementationOnly import CLinux

/// Calls libc, repeats an interrupted call, and throws `errno` if the call fails.
///
/// EFAULT traps: a pointer that the kernel cannot access is a mistake of this package. EBADF does not, because the
/// descriptor may be the client's.
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
