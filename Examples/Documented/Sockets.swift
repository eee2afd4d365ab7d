// SPDX-License-Identifier: Apache-2.0

// The code about connections and gates in comments and pages, compiled here.

import ReachabilityKit

func fate(_ descriptor: Int32) throws {
    let fate = try SocketFate(of: descriptor)
    switch try fate.current().fate {
    case .viable: break
    case .unviable(let obstacle): print("its packets cannot leave now: \(obstacle)")
    case .dead(let end): print("make a new connection: \(end)")
    }
}

func drop(_ descriptor: Int32) async throws {
    let fate = try SocketFate(of: descriptor)
    for try await state in fate.changes {
        if state.fate != .viable || state.betterPath != nil { print("take no new work: \(state)") }
    }
}

func gate() async throws {
    let gate = RequestGate(to: try ReachabilityRef(hostname: "backup.example"), .init(allowsExpensive: false))
    try await gate.pass(timeout: .seconds(3600))
}

func told(_ gate: RequestGate) async throws {
    for try await obstacles in gate.obstacles {
        if obstacles.isEmpty { break }
        print(obstacles)
    }
}
