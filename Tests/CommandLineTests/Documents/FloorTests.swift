// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The floors of `Sources`: Core, Apple, Bindings and Programs. The code of a floor imports only what is on the same floor or
/// below it.
@Suite struct FloorTests {
    private static let floors = ["Core", "Apple", "Bindings", "Programs"]

    /// The number of the floor of each target.
    private static func targets() throws -> [String: Int] {
        var found: [String: Int] = [:]
        for (number, floor) in floors.enumerated() {
            for target in try FileManager.default.contentsOfDirectory(atPath: PackageFiles.path("Sources/\(floor)")) {
                found[target] = number
            }
        }
        return found
    }

    @Test func `are all there is in Sources, with at most 24 targets`() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: PackageFiles.path("Sources"))
        #expect(folders.sorted() == Self.floors.sorted())
        let built = try Self.targets().keys.filter { try PackageFiles.text("Package.swift").contains("\"\($0)\"") }
        #expect((15...24).contains(built.count), "\(built.sorted())")
    }

    @Test func `import nothing from above`() throws {
        let floorOfTarget = try Self.targets()
        var compared = 0
        for (number, floor) in Self.floors.enumerated() {
            for path in PackageFiles.paths(".swift", below: ["Sources/\(floor)"]) {
                for match in try PackageFiles.text(path).matches(of: /\n[@_a-zA-Z ]*import (?:struct |class )?(\w+)/) {
                    guard let imported = floorOfTarget[String(match.1)] else { continue }
                    compared += 1
                    #expect(imported <= number, "\(path) imports \(match.1), which is on a floor above")
                }
            }
        }
        #expect(compared > 200)
    }
}
