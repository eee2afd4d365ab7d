// SPDX-License-Identifier: Apache-2.0

@_implementationOnly import CReachabilityLinux

/// A Linux error number.
package struct Errno: Error, Hashable, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// `errno` of the calling thread. Valid only directly after a failed call.
    package static var current: Errno { Errno(rawValue: errno) }

    package static let notPermitted = Errno(rawValue: EPERM)
    package static let noSuchFile = Errno(rawValue: ENOENT)
    package static let interrupted = Errno(rawValue: EINTR)
    package static let badDescriptor = Errno(rawValue: EBADF)
    package static let wouldBlock = Errno(rawValue: EAGAIN)
    package static let outOfMemory = Errno(rawValue: ENOMEM)
    package static let permissionDenied = Errno(rawValue: EACCES)
    package static let fileExists = Errno(rawValue: EEXIST)
    package static let notADirectory = Errno(rawValue: ENOTDIR)
    package static let noSuchDevice = Errno(rawValue: ENODEV)
    package static let deviceFailed = Errno(rawValue: EIO)
    package static let busy = Errno(rawValue: EBUSY)
    package static let noSuchAddress = Errno(rawValue: ENXIO)
    package static let outOfRange = Errno(rawValue: ERANGE)
    package static let invalidArgument = Errno(rawValue: EINVAL)
    package static let tooManyOpenFiles = Errno(rawValue: EMFILE)
    package static let tooManyOpenFilesInSystem = Errno(rawValue: ENFILE)
    package static let noSpace = Errno(rawValue: ENOSPC)
    package static let badMessage = Errno(rawValue: EBADMSG)
    package static let notSupported = Errno(rawValue: EOPNOTSUPP)
    package static let notImplemented = Errno(rawValue: ENOSYS)
    package static let noSuchOption = Errno(rawValue: ENOPROTOOPT)
    package static let notASocket = Errno(rawValue: ENOTSOCK)
    package static let protocolNotSupported = Errno(rawValue: EPROTONOSUPPORT)
    package static let addressFamilyNotSupported = Errno(rawValue: EAFNOSUPPORT)
    package static let addressNotAvailable = Errno(rawValue: EADDRNOTAVAIL)
    package static let networkDown = Errno(rawValue: ENETDOWN)
    package static let networkUnreachable = Errno(rawValue: ENETUNREACH)
    package static let hostUnreachable = Errno(rawValue: EHOSTUNREACH)
    package static let noBufferSpace = Errno(rawValue: ENOBUFS)
    package static let timedOut = Errno(rawValue: ETIMEDOUT)
    package static let connectionRefused = Errno(rawValue: ECONNREFUSED)
    package static let connectionReset = Errno(rawValue: ECONNRESET)
    package static let cancelled = Errno(rawValue: ECANCELED)
    package static let isConnected = Errno(rawValue: EISCONN)
    package static let notConnected = Errno(rawValue: ENOTCONN)
    package static let noMoreData = Errno(rawValue: ENODATA)
    package static let brokenPipe = Errno(rawValue: EPIPE)
    package static let inProgress = Errno(rawValue: EINPROGRESS)
    package static let fileTooLarge = Errno(rawValue: EFBIG)
    /// A pipe, a folder or a device in the place of a file. No call that opens a file returns this number.
    package static let notAFile = Errno(rawValue: EMEDIUMTYPE)
    /// The functions of c-ares are those of another library, which this package cannot use.
    package static let unsuitableLibrary = Errno(rawValue: ELIBBAD)
    /// The program was built without c-ares.
    package static let withoutAres = Errno(rawValue: ELIBACC)
}

extension Errno {
    /// Whether a call failed because descriptors or memory were exhausted, or because a device did not answer, so that it may
    /// succeed later. The error then says nothing about the object of the call.
    package var isShortage: Bool {
        [.tooManyOpenFiles, .tooManyOpenFilesInSystem, .outOfMemory, .noBufferSpace, .deviceFailed].contains(self)
    }
}

extension Errno {
    /// Whether a call is permanently refused to this process: by a seccomp filter or a security module, or because the kernel is
    /// a substitute for Linux (gVisor) that does not have the call.
    package var isRefusal: Bool {
        let refusals: [Errno] = [
            .notPermitted, .permissionDenied, .notImplemented, .addressFamilyNotSupported, .protocolNotSupported,
            .notSupported, .noSuchOption,
        ]
        return refusals.contains(self)
    }
}

extension Errno: CustomStringConvertible {
    /// The text that libc has for this error.
    package var description: String {
        switch self {
        case .notAFile: return "it is a pipe, a folder or a device, and not a file"
        case .unsuitableLibrary:
            return "the c-ares that this program exports is not version 1.18 or a later 1.x, or not all of it"
        case .withoutAres: return "the program was built without c-ares (traits: []), so no name server can be asked"
        default: break
        }
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
            guard unsafe clinux_error_text(rawValue, buffer.baseAddress, buffer.count) == 0 else {
                return "error \(rawValue)"
            }
            return unsafe String(cString: buffer.baseAddress!)
        }
    }
}

/// Calls libc, repeats an interrupted call, and throws `errno` if the call fails.
///
/// EFAULT traps: a pointer that the kernel cannot access is a mistake of this package. EBADF does not, because the
/// descriptor may be the client's.
@inline(__always)
package func valueOrErrno<Value: SignedInteger>(
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
