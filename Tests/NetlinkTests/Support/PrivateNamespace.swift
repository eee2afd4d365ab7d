// SPDX-License-Identifier: Apache-2.0

import CTestTopology
import Glibc
import LinuxSystem
import Synchronization
import TestWaiting

/// unshare(2) is a GNU extension, which Swift's Glibc module lacks.
@_silgen_name("unshare") private func unshareContexts(_ flags: Int32) -> Int32

/// A network namespace on a thread that ends with the call.
enum PrivateNamespace {
    struct Failure: Error {
        let step: String
        let code: Int32
    }

    private final class Outcome<Value: Sendable>: Sendable {
        let result = Mutex<Result<Value, any Error>?>(nil)
    }

    /// CLONE_NEWNET of linux/sched.h.
    private static let newNetwork: Int32 = 0x4000_0000

    static func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) throws -> Value {
        let outcome = Outcome<Value>()
        let thread = try TestThread("namespace", stackBytes: 4 << 20) {
            let result = Result {
                guard unshareContexts(newNetwork) == 0 else { throw Failure(step: "unshare", code: errno) }
                return try body()
            }
            outcome.result.withLock { $0 = result }
        }
        try thread.join()
        return try outcome.result.withLock { $0! }.get()
    }

    /// Runs a command line in the calling thread's namespace, which a new process inherits.
    static func shell(_ command: String) throws {
        var process = pid_t()
        var arguments: [UnsafeMutablePointer<CChar>?] = unsafe [strdup("sh"), strdup("-ec"), strdup(command), nil]
        defer { unsafe arguments.forEach { unsafe free($0) } }
        let code = unsafe posix_spawn(&process, "/bin/sh", nil, nil, &arguments, environ)
        guard code == 0 else { throw Failure(step: command, code: code) }
        let status = topology_wait_for_child(process)
        guard status == 0 else { throw Failure(step: command, code: status) }
    }
}
