// SPDX-License-Identifier: Apache-2.0

/// A way in which programs are told of changes. Two faces may be in one driver.
struct Face: Hashable, Sendable {
    /// As drivers name it.
    let name: String
    /// What it tells.
    let tells: Set<Field>
    /// What must differ for it to tell, unless the target is unreachable before and after.
    let notices: Set<Field>
    /// Whether it begins with the present state.
    let tellsFirst: Bool
}

/// A program, and what it can express. This table is all that is said about faces: scenes say nothing of them.
struct Driver: Hashable, Sendable {
    let name: String
    let faces: [Face]
    /// What its answers to questions have.
    let answers: Set<Field>
    let knowsOnlyDefault: Bool

    private static let all: Set<Field> = [.flags, .code, .interface, .gateway, .source]
    /// What a callback tells is the flags alone, but another interface makes it tell the same flags again.
    private static func callback(_ name: String, tellsFirst: Bool) -> Face {
        Face(name: name, tells: [.flags], notices: [.flags, .interface], tellsFirst: tellsFirst)
    }

    static let kit = Driver(
        name: "scene-kit",
        // A callback on a queue tells changes only, as Apple's does.
        faces: [
            callback("queue", tellsFirst: false), callback("watcher", tellsFirst: true),
            callback("sequence", tellsFirst: true),
        ], answers: all, knowsOnlyDefault: false)

    static let c = Driver(
        name: "scene-c", faces: [callback("c", tellsFirst: true)], answers: all, knowsOnlyDefault: false)

    private static let path: Set<Field> = [.status, .interface, .gateway, .interfaces]
    static let network = Driver(
        name: "scene-network", faces: [Face(name: "monitor", tells: path, notices: path, tellsFirst: true)],
        answers: path, knowsOnlyDefault: true)

    static let commandLine = Driver(
        name: "reachability",
        faces: [
            Face(name: "reachability", tells: all, notices: [.flags, .interface, .gateway], tellsFirst: true)
        ], answers: all, knowsOnlyDefault: false)

    /// Whether it can be asked this.
    func canAsk(_ question: String) -> Bool { !knowsOnlyDefault || question == "default" }

    /// Whether it can watch this. The options of a command are those of all its targets, and the fence's route does not lead
    /// over the interface of a question.
    func canWatch(_ question: String) -> Bool {
        canAsk(question) && !(self == .commandLine && question.contains("interface="))
    }
}
