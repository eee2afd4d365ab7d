// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import TestBus
import TestHosts
import TestTopology

/// A system bus of a test's own, where one is looked for.
extension Surroundings {
    private static let directory = "/run/dbus"
    private static let socket = "\(directory)/system_bus_socket"

    /// Puts an empty directory where the bus would be.
    func hideBus() throws {
        try execute("mkdir -p \(Self.directory) && mount -t tmpfs tmpfs \(Self.directory)")
    }

    /// - Parameter listener: belongs to the namespace of whoever made it; nil makes one that belongs to these surroundings.
    func scriptedBus(
        _ manner: ScriptedBus.Manner = .obliging, listener: UnixListener? = nil, model: ManagerModel
    ) throws -> ScriptedBus {
        try hideBus()
        let listener = try topology.run { () throws(Errno) in
            let listener = listener ?? UnixListener()
            try listener.listen(at: .path(Array(Self.socket.utf8)))
            return listener
        }
        return try ScriptedBus(listener, manner, model: model)
    }

    /// Starts the reference implementation of a bus, on which anybody may do anything.
    func realBus(_ daemon: String) throws -> ChildProcess {
        try hideBus()
        // It lets in whom it finds among the users, and the /etc of these surroundings is empty.
        try execute(
            """
            echo 'root:x:0:0:root:/:/bin/sh' > /etc/passwd
            echo 'root:x:0:' > /etc/group
            cat > \(Self.directory)/conf << END
            <busconfig>
              <listen>unix:path=\(Self.socket)</listen>
              <auth>EXTERNAL</auth>
              <policy context="default">
                <allow user="*"/><allow own="*"/><allow send_type="method_call"/><allow eavesdrop="false"/>
                <allow send_requested_reply="true" send_type="method_return"/>
                <allow send_requested_reply="true" send_type="error"/>
                <allow send_type="signal"/><allow receive_type="signal"/>
              </policy>
            </busconfig>
            END
            """)
        let server = try topology.run {
            try ChildProcess(
                daemon, ["--config-file=\(Self.directory)/conf", "--nofork", "--nopidfile", "--print-address=2"])
        }
        try server.waitForOutput("unix:")
        return server
    }

    /// One who takes NetworkManager's name there.
    func standInManager(_ model: ManagerModel) throws -> StandInManager {
        try topology.run { try StandInManager(onBusAt: Self.socket, model: model) }
    }
}
