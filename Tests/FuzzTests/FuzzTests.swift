// SPDX-License-Identifier: Apache-2.0

import Foundation
import FuzzTargets
import LinuxSystem
import TestHosts
import Testing

/// What `make fuzz` does for minutes, for a moment and from a fixed seed.
@Suite("Arbitrary input")
struct FuzzTests {
    private static let corpus = #filePath.replacing("FuzzTests/FuzzTests.swift", with: "Fuzz/Corpus")

    private static func seeds(_ target: FuzzTarget) throws -> [[UInt8]] {
        let directory = "\(corpus)/\(target.rawValue)"
        return try FileManager.default.contentsOfDirectory(atPath: directory).sorted().map {
            try Files.contents(of: "\(directory)/\($0)")
        }
    }

    @Test("harms nobody who reads it", arguments: FuzzTarget.allCases)
    func mutations(target: FuzzTarget) throws {
        let seeds = try Self.seeds(target)
        try #require(!seeds.isEmpty)
        for seed in seeds { target.run(seed) }
        var random = SeededGenerator(seed: 2026)
        for _ in 0..<1_000 {
            var bytes = Array(seeds.randomElement(using: &random)!.prefix(Int.random(in: 0...256, using: &random)))
            for _ in 0..<Int.random(in: 0...8, using: &random) {
                let byte = UInt8.random(in: 0...255, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0 where !bytes.isEmpty: bytes[Int.random(in: 0..<bytes.count, using: &random)] = byte
                case 1 where !bytes.isEmpty: bytes.remove(at: Int.random(in: 0..<bytes.count, using: &random))
                default: bytes.insert(byte, at: Int.random(in: 0...bytes.count, using: &random))
                }
            }
            target.run(bytes)
        }
    }

    @Test("that breaks a promise is found")
    func findsSomething() async {
        await #expect(processExitsWith: .failure) {
            // A model that expects what is not promised has to stop the process.
            FuzzTarget.breakOnPurpose()
        }
    }
}
