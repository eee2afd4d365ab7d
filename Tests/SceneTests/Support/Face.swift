// SPDX-License-Identifier: Apache-2.0

import TestScenes
import TestTopology

/// A way in which programs are told of changes. Two faces may be in one driver.
struct Face: Hashable, Sendable {
    /// As drivers name it.
    let name: String
    /// What it tells.
    let tells: Set<Field>
    /// What must differ for it to tell.
    let notices: Set<Field>
    /// Whether it begins with the present state.
    let tellsFirst: Bool

    /// What a callback tells is the flags alone, but another interface makes it tell the same flags again.
    static func callback(_ name: String, tellsFirst: Bool) -> Face {
        Face(name: name, tells: [.flags], notices: [.flags, .interface], tellsFirst: tellsFirst)
    }
}

/// What a question is made of.
enum Part: CaseIterable, Sendable {
    case defaultPath, address, scopedAddress, pair
    case interface, missingInterface, source, mark, user, transport, port
    /// The programs are refused netlink sockets.
    case refusal

    private static let options: [Substring: Part] = [
        "interface": .interface, "source": .source, "mark": .mark, "uid": .user, "transport": .transport, "port": .port,
    ]

    /// The parts of "TARGET [OPTION=VALUE]…".
    static func of(_ question: String, _ place: String) throws -> Set<Part> {
        let words = question.split(separator: " ")
        let target: Part =
            words[0] == "default"
            ? .defaultPath : words[0].contains(",") ? .pair : words[0].contains("%") ? .scopedAddress : .address
        let used = try words.dropFirst().map { word in
            guard let part = options[word.prefix { $0 != "=" }] else {
                throw Scene.Mistake(description: "\(place): no such option: \(word)")
            }
            return part
        }
        return Set(used + [target])
    }
}

/// A program, and what it can express. This table is all that is said about faces: scenes say nothing of them.
struct Driver: Hashable, Sendable {
    let name: String
    let faces: [Face]
    /// What its answers to questions have.
    let answers: Set<Field>
    /// Whether it names no interface where a connection is required first.
    var isSilentOfDormantLinks = false
    /// What it cannot ask, and what it cannot watch besides.
    var cannotAsk: Set<Part> = []
    var cannotWatch: Set<Part> = []
    /// What it needs of the machine.
    var needs: [Need] = []

    static let all = [kit, c, network, systemConfiguration, systemConfigurationC, python, glib, commandLine]

    /// What it answers where this is the answer.
    func answer(_ whole: Answer) -> Answer {
        var answer = whole
        let isDormant = whole.fields[.status] == "requiresConnection"
        if isSilentOfDormantLinks, isDormant, whole.fields[.interface] != nil { answer.fields[.interface] = "none" }
        return answer
    }

    private static let explanation: Set<Field> = [.flags, .code, .interface, .gateway, .source]

    static let kit = Driver(
        name: "scene-kit",
        // A callback on a queue tells changes only, as Apple's does.
        faces: [
            .callback("queue", tellsFirst: false), .callback("observation", tellsFirst: true),
            .callback("watcher", tellsFirst: true), .callback("sequence", tellsFirst: true),
        ], answers: explanation)

    static let c = Driver(name: "scene-c", faces: [.callback("c", tellsFirst: true)], answers: explanation)

    static let python = Driver(
        name: "scene-python",
        faces: [.callback("python", tellsFirst: true), .callback("asyncio", tellsFirst: true)],
        answers: explanation, needs: [.capability(.python)])

    private static let path: Set<Field> = [.status, .interface, .gateway, .interfaces, .gateways]
    /// It knows the default path alone.
    static let network = Driver(
        name: "scene-network", faces: [Face(name: "monitor", tells: path, notices: path, tellsFirst: true)],
        answers: path, cannotAsk: Set(Part.allCases).subtracting([.defaultPath, .refusal]))

    /// Apple's functions know no routing keys, and only an interface that is there.
    static let systemConfiguration = Driver(
        name: "scene-systemconfiguration",
        faces: [.callback("SC-queue", tellsFirst: false), .callback("SC-loop", tellsFirst: false)],
        answers: [.flags, .interface], isSilentOfDormantLinks: true,
        cannotAsk: [.missingInterface, .source, .mark, .user, .transport, .port])

    /// From C it asks by socket addresses alone.
    static let systemConfigurationC = Driver(
        name: "scene-systemconfiguration-c", faces: [.callback("SC-thread", tellsFirst: false)],
        answers: systemConfiguration.answers, isSilentOfDormantLinks: true,
        cannotAsk: systemConfiguration.cannotAsk.union([.interface]))

    /// GNetworkMonitor with the GIO module asks about addresses and the default path. Its signal does not say what has changed:
    /// the program asks again about everything, and tells what is another answer.
    static let glib = Driver(
        name: "scene-glib",
        faces: [Face(name: "GLib", tells: [.reachable], notices: [.reachable], tellsFirst: false)],
        answers: [.reachable],
        cannotAsk: Set(Part.allCases).subtracting([.defaultPath, .address, .scopedAddress, .refusal]),
        needs: [.capability(.glib)])

    /// The options of a command are those of all its targets, and the fence's route does not lead over the interface of a
    /// question.
    static let commandLine = Driver(
        name: "reachability",
        faces: [
            Face(name: "reachability", tells: explanation, notices: [.flags, .interface, .gateway], tellsFirst: true)
        ], answers: explanation, cannotAsk: [.port], cannotWatch: [.interface])

    /// Those that this machine can run. The others are recorded by name. Python, and what gcc builds, cannot load a library
    /// that is sanitized.
    static let present = all.filter { driver in
        Need.areMet(driver.needs, of: "scenes by \(driver.name)") && (driver.needs.isEmpty || !Sanitizer.isOn)
    }
}
