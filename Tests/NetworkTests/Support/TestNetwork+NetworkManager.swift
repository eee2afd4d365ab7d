// SPDX-License-Identifier: Apache-2.0

import TestTopology

/// The real NetworkManager in a test network. It sees only that network, and a /etc, /run and state of its own.
extension TestNetwork {
    /// Starts it with an Ethernet connection "wire0" of eth0, and so on, which it checks with the web server at 10.0.1.254.
    ///
    /// - Parameter metered: NMMetered of each connection, as in its file.
    func networkManager(metered: Int...) throws -> RunningProgram {
        // Without a writable /sys it does not wait for udev, which knows nothing of these links. Radios have no namespace.
        try execute(
            """
            mount -o remount,bind,ro /sys
            mount -t tmpfs tmpfs /var/lib/NetworkManager
            mkdir -p /run/NetworkManager /etc/NetworkManager/system-connections
            if [ -e /dev/rfkill ]; then mount --bind /dev/null /dev/rfkill; fi
            cat > /etc/NetworkManager/NetworkManager.conf << END
            [main]
            plugins=keyfile
            dhcp=internal
            dns=none
            rc-manager=unmanaged
            systemd-resolved=false
            hostname-mode=none
            auth-polkit=false
            no-auto-default=*
            [connectivity]
            uri=http://10.0.1.254/check
            END
            """)
        for (number, metered) in metered.enumerated() {
            try execute(
                """
                file=/etc/NetworkManager/system-connections/wire\(number).nmconnection
                cat > $file << END
                [connection]
                id=wire\(number)
                uuid=5d4f0e5c-0000-4000-8000-00000000000\(number)
                type=ethernet
                interface-name=eth\(number)
                metered=\(metered)
                [ipv4]
                method=manual
                address1=10.0.\(number + 1).1/24
                gateway=10.0.\(number + 1).254
                [ipv6]
                method=disabled
                END
                chmod 600 $file
                """)
        }
        return try RunningProgram(["/usr/sbin/NetworkManager", "--no-daemon"], in: topology)
    }

    /// Runs NetworkManager's own client.
    func nmcli(_ arguments: String) throws { try execute("nmcli --wait 60 \(arguments)") }
}
