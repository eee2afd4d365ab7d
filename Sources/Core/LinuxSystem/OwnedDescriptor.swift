// SPDX-License-Identifier: Apache-2.0

@_implementationOnly import CReachabilityLinux

/// A file descriptor with exactly one owner, which is closed when the owner's life ends. In the child of a fork, an inherited one
/// is not closed.
package struct OwnedDescriptor: ~Copyable, Sendable {
    package let rawValue: Int32
    private let epoch = ForkEpoch()

    /// Takes over a descriptor, which the caller must not close any more.
    package init(owning rawValue: Int32) {
        precondition(rawValue >= 0, "not a descriptor")
        self.rawValue = rawValue
    }

    /// Opens a descriptor. It is never 0, 1 or 2, even if the program has closed these: its later output to standard output must
    /// not go into a socket of this package.
    package init(_ call: FaultInjection.Call, open: () -> Int32) throws(Errno) {
        self.init(owning: try valueOrErrno(call) { clinux_above_standard_streams(open()) })
    }

    deinit {
        // close(2) closes the descriptor even if it returns EINTR, so it is not repeated. The last reference to an object may be
        // released anywhere, even under a lock, so the calling thread must not end here.
        let value = rawValue
        if epoch.isCurrent { undisturbed { _ = close(value) } }
    }

    /// Makes a system call with the descriptor (see `valueOrErrno`).
    @inline(__always)
    package func call<Value: SignedInteger>(
        _ call: FaultInjection.Call, _ body: (Int32) -> Value
    ) throws(Errno) -> Value {
        let rawValue = rawValue
        return try valueOrErrno(call) { body(rawValue) }
    }

    /// Sets an option of a socket (setsockopt(2)).
    package func setOption(_ level: Int32, _ name: Int32, to value: some BitwiseCopyable) throws(Errno) {
        _ = try call(.setOption) { descriptor in
            unsafe withUnsafeBytes(of: value) { bytes in
                unsafe setsockopt(descriptor, level, name, bytes.baseAddress, socklen_t(bytes.count))
            }
        }
    }

    /// Gives the descriptor up. The caller must close it.
    package consuming func release() -> Int32 {
        let value = rawValue
        discard self
        return value
    }
}
