// SPDX-License-Identifier: Apache-2.0

import TestTopology

/// What ended a row early.
struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// Runs shell commands to the end, or to the first that fails. What they leave behind in the background has to have its
/// output elsewhere.
func shell(_ commands: String) throws {
    try CallingThread.execute(["sh", "-e", "-c", commands])
}
