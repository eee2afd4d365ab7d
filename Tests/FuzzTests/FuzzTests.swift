// SPDX-License-Identifier: Apache-2.0

import Foundation
import FuzzTargets
import ReachabilityLinuxSystem
import TestHosts
import Testing

/// The same as `make fuzz`, but short and from a fixed seed.
@Suite("Arbitrary input")
struct FuzzTests {
    private static let corpus = #filePath.replacing("FuzzTests/FuzzTests.swift", with: "Fuzz/Corpus")

    private static func seeds(_ target: FuzzTarget) throws -> [[UInt8]] {
        let directory = "\(corpus)/\(target.rawValue)"
        return try FileManager.default.contentsOfDirectory(atPath: directory).sorted().map {
            try Files.contents(of: "\(directory)/\($0)")
        }
    }

    @Test(arguments: FuzzTarget.allCases)
    func `breaks no promise`(target: FuzzTarget) throws {
        let seeds = try Self.seeds(target)
        try #require(!seeds.isEmpty)
        for seed in seeds { target.run(seed) }
        var random = SeededGenerator(seed: 2026)
        for _ in 0..<1_000 {
            var bytes = Array(seeds.randomElement(using: &random)!.prefix(Int.random(in: 0...256, using: &random)))
            random.damage(&bytes, upTo: 8)
            target.run(bytes)
        }
    }

    @Test func `that breaks a promise stops the process`() async {
        await #expect(processExitsWith: .failure) {
            FuzzTarget.breakOnPurpose()
        }
    }
}
