// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Finds what was built beside these tests.
package enum BuiltProduct {
    /// The path of an executable. It lies beside the tests' bundle, which is the running program itself or one of its
    /// words.
    package static func path(_ name: String) -> String {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = unsafe buffer.withUnsafeMutableBytes { bytes in
            unsafe readlink("/proc/self/exe", bytes.baseAddress!.assumingMemoryBound(to: CChar.self), bytes.count)
        }
        let own = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
        let bundle = ([own] + CommandLine.arguments).first { $0.hasSuffix(".xctest") } ?? own
        let folders = bundle.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        return folders.joined(separator: "/") + "/" + name
    }
}
