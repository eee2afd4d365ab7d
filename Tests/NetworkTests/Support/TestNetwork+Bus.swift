// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import TestBus
import TestTopology

/// The system bus of a test network.
extension TestNetwork {
    private static let directory = "/run/dbus"
    private static let socket = "\(directory)/system_bus_socket"

    /// Mounts an empty directory over that of the bus.
    func hideBus() throws {
        try execute("mkdir -p \(Self.directory) && mount -t tmpfs tmpfs \(Self.directory)")
    }

    /// - Parameter listener: belongs to the namespace of its maker; nil for one that belongs to this network.
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

    /// Starts dbus-daemon with a configuration that permits everything.
    func realBus(_ daemon: String) throws -> RunningProgram {
        try hideBus()
        // It accepts known users only, and /etc is empty here.
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
        let words = [daemon, "--config-file=\(Self.directory)/conf", "--nofork", "--nopidfile", "--print-address=2"]
        let server = try RunningProgram(words, in: topology)
        try server.waitForOutput("unix:")
        return server
    }

    /// A client of the bus that owns NetworkManager's name.
    func standInManager(_ model: ManagerModel) throws -> StandInManager {
        try topology.run { try StandInManager(onBusAt: Self.socket, model: model) }
    }
}
