// SPDX-License-Identifier: Apache-2.0

import TestTopology

/// Why a row ended early.
struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// Runs shell commands until the last, or the first that fails. The output of background programs must go elsewhere.
func shell(_ commands: String) throws {
    try CallingThread.execute(["sh", "-e", "-c", commands])
}
