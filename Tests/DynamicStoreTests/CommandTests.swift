// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SystemConfigurationCore

@Suite("A command of scutil's session")
struct CommandTests {
    @Test(
        "is split into words",
        arguments: [
            ("show State:/Network/Global/IPv4", ["show", "State:/Network/Global/IPv4"]),
            ("  d.add\tkey   \"two words\"  ", ["d.add", "key", "two words"]),
            ("a\\ b \\\"c \"d\\\"e\" f\\g", ["a b", "\"c", "d\"e", "f\\g"]),
            ("\"open", ["open"]), ("\"\"", [""]), ("", []), ("   ", []), ("a\"b c", ["a\"b", "c"]),
            ("end\\", ["end\\"]),
        ])
    func words(_ line: String, _ words: [String]) {
        #expect(CommandWords.split(line) == words)
    }

    @Test(
        "is recognized in upper and lower case",
        arguments: [
            ("LIST", StoreCommand.list(pattern: ".*")), ("list x.*", .list(pattern: "x.*")), ("q", .quit),
            ("Exit", .quit),
            ("show a", .show("a", isPattern: false)), ("show a pattern", .show("a", isPattern: true)),
            ("# comment", .nothing), ("", .nothing), ("n.add k", .watch("k", isPattern: false)),
            ("n.watch verbose", .startWatching), ("open temporary", .open),
            ("set k", .write), ("add k temporary", .write), ("remove k", .write), ("notify k", .write),
            ("show", .complaint("show: too few arguments")), ("get a b", .complaint("get: too many arguments")),
            ("frob", .complaint("frob: unknown, type \"help\" for command info")),
            ("d.add a b", .complaint("d.add: unknown, type \"help\" for command info")),
            ("Lock", .complaint("Lock: not offered on Linux")), ("n.file", .complaint("n.file: not offered on Linux")),
        ])
    func recognized(_ line: String, _ command: StoreCommand) {
        #expect(StoreCommand(line) == command)
    }
}
