// SPDX-License-Identifier: Apache-2.0

package import TestScenes
import TestTopology
import Testing

/// Plays the scenes of Tests/Scenes. Each file is one test and each scene a case of it, with every driver in its network.
@Suite("A scene", .timeLimit(.minutes(20)), .needs(.namespaces, .settings))
struct SceneTests {
    /// Those that this machine can play.
    private static func read(_ topics: String...) throws -> [Scene] {
        try topics.flatMap { try SceneFile($0).scenes }.filter { Need.areMet($0.needs, of: "scene \"\($0.name)\"") }
    }

    @Test(arguments: try read("routes")) func `of routes`(scene: Scene) throws { try Play(scene).perform() }

    @Test(arguments: try read("rules")) func `of rules`(scene: Scene) throws { try Play(scene).perform() }

    @Test(arguments: try read("links")) func `of links`(scene: Scene) throws { try Play(scene).perform() }

    @Test(arguments: try read("ipv6")) func `of IPv6`(scene: Scene) throws { try Play(scene).perform() }

    @Test(arguments: try read("flags")) func `of flags`(scene: Scene) throws { try Play(scene).perform() }

    @Test(arguments: try read("keys")) func `of keys of routing`(scene: Scene) throws { try Play(scene).perform() }

    @Test(arguments: try read("tunnels")) func `of tunnels`(scene: Scene) throws { try Play(scene).perform() }

    @Test(arguments: try read("refused")) func `without netlink`(scene: Scene) throws { try Play(scene).perform() }

    @Test(arguments: try read("changes")) func `of changes that make compare compares`(scene: Scene) throws {
        try Play(scene).perform()
    }
}

extension Scene: CustomTestStringConvertible {
    package var testDescription: String { name }
}
