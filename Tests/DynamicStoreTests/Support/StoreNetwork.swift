// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestTopology

@testable import SystemConfigurationCore

/// A network namespace with its own /etc, and files with the names of the machine and its user.
final class StoreNetwork: Sendable {
    let topology: Machine
    let files: MachineFiles
    private let folder = TemporaryFolder()

    init() throws {
        topology = try .withOwnFiles()
        for name in ["seats", "sessions"] {
            try FileManager.default.createDirectory(
                atPath: "\(folder.path)/systemd/\(name)", withIntermediateDirectories: true)
        }
        var files = MachineFiles()
        files.machineInfo = "\(folder.path)/machine-info"
        files.hostName = "\(folder.path)/hostname"
        files.logind = "\(folder.path)/systemd"
        files.userFolders = "\(folder.path)/user"
        self.files = files
    }

    func ip(_ commands: String) throws { try topology.ip(commands) }

    /// Replaces one of the machine's files, as programs do that change them.
    func write(_ file: String, _ text: String) throws {
        try text.write(toFile: "\(folder.path)/\(file)", atomically: true, encoding: .utf8)
    }

    func remove(_ file: String) throws {
        try FileManager.default.removeItem(atPath: "\(folder.path)/\(file)")
    }

    /// The keys that the client is told of while `change` runs.
    func keys(told client: StoreClient, of change: () throws -> Void) throws -> Set<String> {
        try change()
        try topology.settle()
        try client.calls.finishDeliveries()
        return Set(try client.calls.next(client.calls.untaken).joined())
    }
}
