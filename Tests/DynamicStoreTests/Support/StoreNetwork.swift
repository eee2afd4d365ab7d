// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TestTopology

@testable import SystemConfigurationCore

/// A network namespace with its own /etc, and files with the names of the machine and its user.
final class StoreNetwork: Sendable {
    let topology: Topology
    let files: MachineFiles
    private let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    private let fences = Atomic(0)

    init() throws {
        topology = try Topology(sysfs: true)
        for name in ["seats", "sessions"] {
            try FileManager.default.createDirectory(
                atPath: "\(folder)/systemd/\(name)", withIntermediateDirectories: true)
        }
        var files = MachineFiles()
        files.machineInfo = "\(folder)/machine-info"
        files.hostName = "\(folder)/hostname"
        files.logind = "\(folder)/systemd"
        files.userFolders = "\(folder)/user"
        self.files = files
        try execute("mount -t tmpfs tmpfs /etc")
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Runs a line of shell in the namespace.
    func execute(_ line: String) throws {
        try topology.run { () throws(TopologyError) in _ = try CallingThread.execute(["sh", "-ec", line]) }
    }

    func ip(_ commands: String) throws { try topology.ip(commands) }

    /// Replaces one of the machine's files, as programs do that change them.
    func write(_ file: String, _ text: String) throws {
        try text.write(toFile: "\(folder)/\(file)", atomically: true, encoding: .utf8)
    }

    func remove(_ file: String) throws {
        try FileManager.default.removeItem(atPath: "\(folder)/\(file)")
    }

    /// The key that changes with `fence`.
    static let fenceKey = "State:/Network/Interface/lo/IPv4"

    /// Changes something else. All earlier changes have been looked at when it has.
    func fence() throws {
        let number = fences.add(1, ordering: .relaxed).newValue
        try ip("address add 127.0.1.\(number)/8 dev lo")
    }

    /// The keys that the client is told of while `change` runs.
    func keys(told client: StoreClient, of change: () throws -> Void) throws -> Set<String> {
        try change()
        try fence()
        return try client.keys(until: Self.fenceKey)
    }
}
