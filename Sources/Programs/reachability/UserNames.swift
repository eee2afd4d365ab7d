// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem

/// The users of /etc/passwd (passwd(5)). getpwnam(3) would need shared libraries, which a static program cannot load.
enum UserNames {
    static func number(of name: String) -> UInt32? {
        guard let bytes = try? Files.contents(of: "/etc/passwd", limit: 16 << 20) else { return nil }
        return number(of: name, in: String(decoding: bytes, as: UTF8.self))
    }

    static func number(of name: String, in text: String) -> UInt32? {
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            if fields.count > 2, fields[0] == name { return UInt32(fields[2]) }
        }
        return nil
    }
}
