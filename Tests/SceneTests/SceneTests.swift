// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import TestTopology
import Testing

/// Plays the scenes of Tests/Scenes. Each file is one test and each scene a case of it, with every driver in its network.
@Suite("A scene", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct SceneTests {
    private static let folder = #filePath.prefix(upTo: #filePath.firstRange(of: "/SceneTests/")!.lowerBound) + "/Scenes"

    private static func read(_ topics: String...) throws -> [Scene] {
        Scene.playable(try topics.flatMap { try Scene.read("\(folder)/\($0).scenes") })
    }

    @Test(arguments: try read("questions")) func `of questions`(scene: Scene) throws { try Play(scene).perform() }

    @Test(arguments: try read("routes")) func `of routes`(scene: Scene) throws { try Play(scene).perform() }

    @Test(arguments: try read("rules")) func `of rules`(scene: Scene) throws { try Play(scene).perform() }

    @Test(arguments: try read("links")) func `of links`(scene: Scene) throws { try Play(scene).perform() }

    @Test(arguments: try read("ipv6")) func `of IPv6`(scene: Scene) throws { try Play(scene).perform() }
}
