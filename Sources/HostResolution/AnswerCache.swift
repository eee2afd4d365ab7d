// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// Answers until they expire, at most so many. Nothing here wakes anybody: what has expired goes when room is needed.
struct AnswerCache: Sendable {
    /// A program that asks for more names than this asks some of them again.
    static let capacity = 4096

    private var answers: [HostName: Resolution] = [:]

    var count: Int { answers.count }

    subscript(name: HostName) -> Resolution? { answers[name] }

    mutating func store(_ resolution: Resolution, at now: BootTime) {
        guard resolution.expires > now else { return }
        if answers.count >= Self.capacity, answers[resolution.name] == nil { makeRoom(at: now) }
        answers[resolution.name] = resolution
    }

    mutating func removeAll() {
        answers.removeAll()
    }

    /// Drops what has expired, or else the eighth that expires first, so that this is rarely done.
    private mutating func makeRoom(at now: BootTime) {
        answers = answers.filter { $0.value.expires > now }
        guard answers.count >= Self.capacity else { return }
        let limit = answers.values.map(\.expires).sorted()[Self.capacity / 8]
        var spare = Self.capacity / 8
        answers = answers.filter { entry in
            guard spare > 0, entry.value.expires <= limit else { return true }
            spare -= 1
            return false
        }
    }
}
