// SPDX-License-Identifier: Apache-2.0

/// The texts of `--help`.
enum Help {
    static let version = "reachability 0.1.0"

    static func text(for verb: Arguments.Verb?) -> String {
        switch verb {
        case nil: general
        case .check: [check, targets, options, resolving].joined(separator: "\n\n")
        case .watch: [watch, targets, options, resolving].joined(separator: "\n\n")
        case .wait: [wait, targets, options, server].joined(separator: "\n\n")
        case .path: path
        }
    }

    private static let general = """
        Tells whether a packet to a target would leave this machine, and why: by the kernel's own route lookup and the
        state of the link it would leave by. Sends nothing but questions to name servers about targets that are names.

        usage: reachability [check] [--json | --explain] [OPTIONS] TARGET...   how things stand now
               reachability watch [--json] [OPTIONS] TARGET...                 and every change from then on
               reachability wait [--timeout S] [OPTIONS] TARGET...             sleeps until all are reachable
               reachability path [--watch] [--json]                            the ways out of this machine
               reachability VERB --help                                        more about a verb and its options

        \(targets)

        Exit status: 0 all reachable, 1 not all (wait: not in time), 2 something could not be determined, 64 a bad
        argument, 130 interrupted. "Reachable" here means: reachable, and no connection has to be made first.

          --help, --version
        """

    private static let check = """
        usage: reachability [check] [--json | --explain] [OPTIONS] TARGET...

        Prints `TARGET: WORDS` for each target, in Apple's words and in the order given. Names are all resolved at once.
          --explain         also how the answer came about, step by step, and the reason for each flag
          --json            instead, one JSON object on one line for each target, with the keys target, flags, names,
                            reachable, interface, gateway, source, addresses, answered_by and reason

        Exit status: 0 all reachable, 1 not all, 2 something could not be determined, 64 a bad argument.
        "Reachable" here means: reachable, and no connection has to be made first.
        """

    private static let watch = """
        usage: reachability watch [--json] [OPTIONS] TARGET...

        Shows how each target stands, a name as soon as it is resolved, and then each change of its flags or of the
        interface packets leave by, until Ctrl-C. On a terminal that is a table; elsewhere a line for each change,
        `TIME TARGET: WORDS`, with the time as RFC 3339 writes it.
          --json            instead, one JSON object on one line, with the keys of `check` and `time`

        Exit status: 130 when interrupted, 2 when changes cannot be heard or the results cannot be written, 64 a bad
        argument.
        """

    private static let wait = """
        usage: reachability wait [--timeout S] [OPTIONS] TARGET...

        Sleeps until all targets are reachable at the same time. Prints nothing but complaints.
          --timeout S       the longest to wait, in seconds with decimals; without end by default. With 0 it says how
                            things stand; a name needs the time to be resolved.

        Exit status: 0 all reachable, 1 the time ran out, 2 something could not be determined, 64 a bad argument,
        130 interrupted. "Reachable" here means: reachable, and no connection has to be made first.
        """

    private static let path = """
        usage: reachability path [--watch] [--json] [--netns NAME|PATH]

        Shows whether there is a way out of this machine, by which interfaces in order of preference, with their kind,
        addresses and gateways, and the name servers. It is expensive by a mobile network, and where NetworkManager
        calls it metered.
          --watch           also every change, until Ctrl-C
          --json            instead, one JSON object on one line, with the keys status, ipv4, ipv6, expensive, dns and
                            interfaces; with --watch also time
          --netns NAME|PATH in another network namespace (wants CAP_SYS_ADMIN)

        Exit status: 0 there is a way out, 1 there is none, 2 that could not be determined, 64 a bad argument,
        130 interrupted.
        """

    private static let targets = """
        TARGET is one of
          name              a host name; its best address counts
          192.0.2.1         an IPv4 address
          2001:db8::1       an IPv6 address; a link-local one with its interface: fe80::1%eth0
          default           any way off this machine, of either family
          LOCAL,REMOTE      what can be sent from LOCAL to REMOTE; `LOCAL,` is LOCAL by itself, `,REMOTE` is REMOTE
        After `--` everything is a target.
        """

    private static let options = """
        OPTIONS: from where the targets are looked at
          --interface IF    packets bound to this interface, or to this VRF
          --source ADDR     packets sent from this address
          --mark N          packets with this firewall mark (decimal, or 0x…)
          --uid N           packets of this user
          --netns NAME|PATH in another network namespace (wants CAP_SYS_ADMIN)
        """

    private static let server = """
        and how names are resolved
          --server ADDR[:PORT]
                            ask this name server, not those of resolv.conf; may be given several times
          --policy resolve|optimistic
                            matters to `check` alone
        """

    private static let resolving = """
        and how names are resolved
          --timeout S       the longest a name may take, in seconds with decimals; 5 by default
          --server ADDR[:PORT]
                            ask this name server, not those of resolv.conf; may be given several times
          --policy resolve|optimistic
                            optimistic: `check` asks nobody, and a name that is not known has the default path's flags
        """
}
