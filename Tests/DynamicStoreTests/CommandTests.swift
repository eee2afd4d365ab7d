// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import DynamicStore

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
            ("n.watch verbose", .startWatching), ("open", .open(isTemporary: false)),
            ("show", .complaint("show: too few arguments")), ("get a b", .complaint("get: too many arguments")),
            ("frob", .complaint("frob: unknown, type \"help\" for command info")),
            ("Lock", .complaint("Lock: not offered on Linux")), ("n.file", .complaint("n.file: not offered on Linux")),
        ])
    func recognized(_ line: String, _ command: StoreCommand) {
        #expect(StoreCommand(line) == command)
    }

    @Test("edits a dictionary")
    func dictionary() throws {
        var edit = DictionaryEdit()
        try edit.add("string", ["text"])
        try edit.add("strings", ["a", "b"])
        try edit.add("one", ["*", "a"])
        try edit.add("none", ["*"])
        try edit.add("number", ["#", "-12x"])
        try edit.add("numbers", ["*", "#", "1", "2"])
        try edit.add("yes", ["?", "TRUE"])
        try edit.add("no", ["?", "n"])
        try edit.add("bytes", ["%", "00fF"])
        try edit.add("dash", ["-", "#"])
        #expect(
            edit.value == [
                "string": "text", "strings": ["a", "b"], "one": ["a"], "none": .array([]), "number": -12,
                "numbers": [1, 2], "yes": true, "no": false, "bytes": .data([0, 255]), "dash": "#",
            ])
        try edit.remove("string")
        try edit.remove("string")
        #expect(edit.value["string"] == nil)
    }

    @Test(
        "complains of values that make no sense",
        arguments: [
            (["#", "x"], "d.add: invalid data."), (["#", "1-2"], ""), (["?", "maybe"], "d.add: invalid data."),
            (["%", "123"], "d.add: not enough bytes."), (["%", "xy"], "d.add: invalid data."),
            (["%", "+1"], "d.add: invalid data."), (["#"], "d.add: no values."), (["-"], "d.add: no values."),
            (["#", "99999999999999999999"], "d.add: invalid data."), (["%", "üü"], "d.add: invalid data."),
        ])
    func complaints(_ words: [String], _ text: String) {
        var edit = DictionaryEdit()
        if text.isEmpty {
            #expect(throws: Never.self) { try edit.add("key", words) }
        } else {
            #expect(throws: DictionaryEdit.Complaint(text: text)) { try edit.add("key", words) }
            #expect(edit.value == .dictionary([:]))
        }
    }

    @Test("cannot edit what is no dictionary")
    func other() {
        var edit = DictionaryEdit()
        edit.value = "text"
        #expect(throws: DictionaryEdit.Complaint.self) { try edit.add("key", ["value"]) }
        #expect(throws: DictionaryEdit.Complaint.self) { try edit.remove("key") }
    }
}
