// SPDX-License-Identifier: Apache-2.0

import Network
import ReachabilityKit

extension Row {
    /// Programs that give a machine its address and its names: dhclient, and systemd-resolved. Both talk to dnsmasq, at the
    /// other end of a wire.
    static let daemons = [dhclient, resolved]

    private static let server = """
        ip netns add server
        ip link add eth0 type veth peer name cable netns server
        ip -n server addr add 10.0.0.254/24 dev cable
        ip -n server link set cable up
        serve() {
            ip netns exec server dnsmasq --conf-file=/dev/null --user=root --group=root --pid-file=/run/dnsmasq.pid \
                --no-resolv --no-hosts --bind-interfaces --interface=cable "$@"
        }

        """

    private static let dhclient = Row(
        name: "dhclient",
        given: server + """
            serve --port=0 --dhcp-range=10.0.0.50,10.0.0.60,1h --dhcp-option=option:router,10.0.0.254 --no-ping \
                --dhcp-leasefile=/run/leases
            """,
        steps: [
            Step(
                "a lease", ask, calls: [.reachable], path: .wired("eth0"),
                answers: ["10.0.0.254": .direct, "default": .reachable]),
            Step("given back", "dhclient -r \(files) > /tmp/log 2>&1", calls: [[]], answers: ["10.0.0.254": []]),
            Step("another", ask, calls: [.reachable], path: .wired("eth0")),
            Step("the wire is cut", "ip -n server link set cable down", calls: [[]]),
            Step("and mended", "ip -n server link set cable up", calls: [.reachable], path: .wired("eth0")),
        ])

    private static let files = "-lf /run/lease -pf /run/dhclient.pid eth0"
    /// Returns when the lease is there. Its script has then set the address and the route.
    private static let ask = "dhclient -1 \(files) > /tmp/log 2>&1 || { cat /tmp/log >&2; exit 1; }"

    /// /etc/resolv.conf is the usual link to the file that systemd-resolved writes, which names 127.0.0.53.
    private static let resolved = Row(
        name: "resolved", watched: "far.lab",
        given: server + """
            serve --local-ttl=3600 --local=/lab/ --address=/far.lab/192.0.2.1 --address=/near.lab/10.0.0.254
            ip addr add 10.0.0.1/24 dev eth0
            ip link set eth0 up
            ip route add default via 10.0.0.254
            cp -a /etc /run/etc
            mount --bind /run/etc /etc
            ln -sf ../run/systemd/resolve/stub-resolv.conf /etc/resolv.conf
            mkdir -p /etc/systemd /run/systemd/resolve
            chown systemd-resolve:systemd-resolve /run/systemd/resolve
            cat > /etc/systemd/resolved.conf << CONF
            [Resolve]
            DNS=10.0.0.254
            FallbackDNS=
            DNSSEC=no
            LLMNR=no
            MulticastDNS=no
            CONF
            """,
        steps: [
            // The first answer about a name is always called back.
            Step("not started", ":", calls: [[]], path: .wired("eth0"), answers: ["near.lab": []]),
            // It listens before it writes the file.
            Step(
                "starts", "systemd-resolved > /tmp/log 2>&1 & echo $! > /run/resolved.pid",
                calls: [.reachable], path: .wired("eth0"),
                answers: [
                    "near.lab": .direct, "nowhere.lab": [], "localhost": .own,
                    // A name that it answers itself.
                    "_gateway": .direct,
                ]),
            Step("no default route", "ip route del default", calls: [[]], answers: ["near.lab": .direct]),
            Step("a default route", "ip route add default via 10.0.0.254", calls: [.reachable], path: .wired("eth0")),
            // The known addresses stay in use. No server is left that could give others.
            Step("ends", "kill $(cat /run/resolved.pid)", calls: [], path: .wired("eth0"), answers: ["other.lab": []]),
        ])
}
