// SPDX-License-Identifier: Apache-2.0

import Glibc

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
