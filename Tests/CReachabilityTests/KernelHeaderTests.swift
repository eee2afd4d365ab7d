// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestTopology
import Testing

/// `kernel.h` of `CLinux` declares what the package uses of the kernel's headers. Here the compiler sees both.
@Suite("declarations of the kernel")
struct KernelHeaderTests {
    private static func header() throws -> String {
        try String(contentsOfFile: "\(BuiltProduct.package)/Sources/Core/CLinux/include/kernel.h", encoding: .utf8)
    }

    /// A program that includes the kernel's headers, has `header` with other names, and compares all that it declares.
    private static func comparison(_ header: String) -> String {
        let headers = header.matches(of: /\/\* ((?:linux|asm-generic)\/[a-z_]+\.h)/).map { String($0.1) }
        let macros = header.matches(of: /(?m)^#define ([A-Z][A-Z0-9_]+) \S/).map { String($0.1) }
        let members = header.matches(of: /\b([A-Z][A-Z0-9_]+) = \d+/).map { String($0.1) }
        let structures = header.matches(of: /(?s)struct clinux_([a-z_]+) {(.*?)}/).map { match in
            (name: String(match.1), fields: match.2.matches(of: /(\w+);/).map { String($0.1) })
        }
        #expect(headers.count > 9 && macros.count > 40 && members.count > 40 && structures.count == 7)
        var lines = ["#include <stddef.h>", "#include <sys/socket.h>", "#include <sys/ioctl.h>"]
        lines += headers.map { "#include <\($0)>" }
        // The kernel's value under another name; then its name is free, or is ours.
        lines += (macros + members).map { "enum { kernel_\($0) = (long)(\($0)) };\n#undef \($0)" }
        lines += members.map { "#define \($0) our_\($0)" }
        lines.append(header)
        lines += (macros + members).map { "_Static_assert((long)(\($0)) == kernel_\($0), \"\($0)\");" }
        for (name, fields) in structures {
            lines.append("_Static_assert(sizeof(struct clinux_\(name)) == sizeof(struct \(name)), \"\(name)\");")
            for field in fields {
                for part in ["offsetof(struct %, \(field))", "sizeof(((struct % *)0)->\(field))"] {
                    let (ours, kernels) = (part.replacing("%", with: "clinux_" + name), part.replacing("%", with: name))
                    lines.append("_Static_assert(\(ours) == \(kernels), \"\(name).\(field)\");")
                }
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func compile(_ header: String) throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "kernel-\(UUID()).c")
        defer { try? FileManager.default.removeItem(at: file) }
        try comparison(header).write(to: file, atomically: false, encoding: .utf8)
        _ = try CallingThread.execute(["cc", "-std=gnu17", "-fsyntax-only", "-Werror", file.path])
    }

    @Test func `are those of its headers`() throws {
        try Self.compile(Self.header())
    }

    @Test(arguments: [
        ("RTM_GETROUTE = 26", "RTM_GETROUTE = 27"), ("NLM_F_DUMP 0x300", "NLM_F_DUMP 0x100"),
        ("uint32_t nlmsg_seq", "uint64_t nlmsg_seq"),
    ])
    func `a wrong one is noticed`(right: String, wrong: String) throws {
        let header = try Self.header()
        #expect(header.contains(right))
        #expect(throws: (any Error).self) { try Self.compile(header.replacing(right, with: wrong)) }
    }
}
