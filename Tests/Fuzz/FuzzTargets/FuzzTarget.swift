// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The code that is given arbitrary bytes, by libFuzzer or by a test with a fixed seed. A violation stops the process.
package enum FuzzTarget: String, CaseIterable, Sendable {
    /// Netlink messages.
    case messages
    /// Targets, addresses and name servers as text.
    case targets
    /// The hosts file and resolv.conf.
    case files
    /// A registration, compared with a model of what a client is promised.
    case registration
    /// The bytes from a system bus.
    case bus
    /// Answers of name servers.
    case answers
    /// What a program in C passes to the library: texts, options, addresses.
    case program
    /// Patterns of the dynamic store's keys, and proxies.
    case patterns

    package func run(_ bytes: [UInt8]) {
        switch self {
        case .messages: readMessages(bytes)
        case .targets: readTarget(bytes)
        case .files: readFiles(bytes)
        case .registration: playRegistration(bytes)
        case .bus: readBus(bytes)
        case .answers: readAnswer(bytes)
        case .program: callAsProgram(bytes)
        case .patterns: readPattern(bytes)
        }
    }
}

func require(_ condition: Bool, _ promise: @autoclosure () -> String) {
    guard condition else { fatalError(promise()) }
}

extension FuzzTarget {
    /// Shows that a violation is noticed.
    package static func breakOnPurpose() {
        require(false, "a broken promise")
    }
}

/// The target that the environment names.
private let chosen: FuzzTarget = {
    let name = unsafe getenv("FUZZ_TARGET").map { unsafe String(cString: $0) } ?? ""
    guard let target = FuzzTarget(rawValue: name) else {
        fatalError("FUZZ_TARGET is one of \(FuzzTarget.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return target
}()

/// The function that libFuzzer calls (https://llvm.org/docs/LibFuzzer.html).
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    chosen.run(unsafe Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}
