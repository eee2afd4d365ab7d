// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The floors of `Sources`: Core, Kit, Apple, Bindings, Programs, and Testing, which nothing else uses. The code of a floor imports only what is on the same floor or
/// below it.
@Suite struct FloorTests {
    private static let floors = ["Core", "Kit", "Apple", "Bindings", "Programs", "Testing"]

    /// The number of the floor of each target, as Package.swift places it.
    private static func targets() throws -> [String: Int] {
        var found: [String: Int] = [:]
        let place = /"(\w+)",\s*(?:at|path): "Sources\/(\w+)\/\w+"/
        for match in try PackageFiles.text("Package.swift").matches(of: place) {
            found[String(match.1)] = floors.firstIndex(of: String(match.2))
        }
        return found
    }

    @Test func `are all there is in Sources, with at most 30 targets`() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: PackageFiles.path("Sources"))
        #expect(folders.sorted() == Self.floors.sorted())
        let targets = try Self.targets().keys.sorted()
        #expect((15...30).contains(targets.count), "\(targets)")
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
