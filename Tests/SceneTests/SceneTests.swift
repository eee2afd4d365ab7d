// SPDX-License-Identifier: Apache-2.0

import Foundation
package import TestScenes
import TestTopology
import Testing

/// Plays the scenes of Tests/Scenes, with every driver in the network of each.
@Suite("A scene", .timeLimit(.minutes(20)), .needs(.namespaces, .settings))
struct SceneTests {
    /// Those that this machine can play.
    private static func scenes() throws -> [Scene] {
        let names = try FileManager.default.contentsOfDirectory(atPath: SceneFile.folder).sorted()
        return try names.filter { $0.hasSuffix(".scenes") }.flatMap { try SceneFile($0).scenes }
            .filter { Need.areMet($0.needs, of: "scene \"\($0.name)\"") }
    }

    @Test(arguments: try scenes()) func `is played`(scene: Scene) throws { try Play(scene).perform() }
}

extension Scene: CustomTestStringConvertible {
    package var testDescription: String { name }
}
