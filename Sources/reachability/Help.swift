// SPDX-License-Identifier: Apache-2.0

/// The texts of `--help`.
enum Help {
    static let version = "reachability \(packageVersion)"

    static func text(for verb: Arguments.Verb?) -> String {
        switch verb {
        case nil: general
        case .check: [check, targets, options, resolving].joined(separator: "\n\n")
        case .watch: [watch, targets, options, following].joined(separator: "\n\n")
        case .wait: [wait, targets, options, server].joined(separator: "\n\n")
        case .path: path
        }
    }

    private static let general = """
        Tells whether a packet to a target would leave this machine, and why. The answer is the kernel's own route lookup
        and the state of the link that the route leaves by. Nothing is sent to the target; name servers are asked about
        targets that are names.

        usage: reachability [check] [--json | --explain] [OPTIONS] TARGET...   print the present state
               reachability watch [--json] [OPTIONS] TARGET...                 print the state, and each change
               reachability wait [--timeout S] [OPTIONS] TARGET...             wait until all targets are reachable
               reachability path [--watch] [--json] [--netns NAME|PATH]        print how packets leave this machine
               reachability VERB --help                                        print the options of a verb

        \(targets)

        Exit status: 0 all reachable, 1 not all (wait: not in time), 2 an error, 64 a wrong argument, 130 interrupted.
        \(reachable)

          --help, --version
        """

    private static let check = """
        usage: reachability [check] [--json | --explain] [OPTIONS] TARGET...

        Prints `TARGET: WORDS` for each target, in the order of the targets. The words are Apple's. All names are resolved
        at the same time.
          --explain         also print each step to the answer, and the reason for each flag
          --json            print a JSON object on one line for each target instead, with the keys target, flags, names,
                            reachable, interface, gateway, source, addresses, answered_by and reason

        Exit status: 0 all reachable, 1 not all, 2 an error, 64 a wrong argument.
        \(reachable)
        """

    private static let watch = """
        usage: reachability watch [--json] [OPTIONS] TARGET...

        Prints the state of each target, of a name as soon as it is resolved. Then prints each change of the flags or of
        the interface that packets leave by, until Ctrl-C. On a terminal it keeps a table up to date. Elsewhere it prints
        a line for each change, `TIME TARGET: WORDS`, with the time in the format of RFC 3339.
          --json            print a JSON object on one line instead, with the keys of `check` and time

        Exit status: 130 interrupted, 2 changes cannot be observed or results cannot be written, 64 a wrong argument.
        """

    private static let wait = """
        usage: reachability wait [--timeout S] [OPTIONS] TARGET...

        Waits until all targets are reachable at the same time. Prints errors only.
          --timeout S       wait for at most S seconds, such as 2.5; without it, for ever. With 0 the present state counts;
                            a name that is not resolved yet is not reachable.

        Exit status: 0 all reachable, 1 the time ran out, 2 an error, 64 a wrong argument, 130 interrupted.
        \(reachable)
        """

    private static let path = """
        usage: reachability path [--watch] [--json] [--netns NAME|PATH]

        Prints whether packets can leave this machine, the interfaces they can leave by in order of preference, with
        type, addresses and gateways, and the name servers. A path is expensive if packets leave by a mobile network, or
        by one that NetworkManager calls metered. The connectivity is what NetworkManager found when it last asked its web
        server: full, portal (another server answered), limited (none did) or none. The status does not depend on it.
          --watch           also print each change, until Ctrl-C
          --json            print a JSON object on one line instead, with the keys status, ipv4, ipv6, expensive,
                            connectivity, dns and interfaces; with --watch also time
          --netns NAME|PATH look from another network namespace (needs CAP_SYS_ADMIN)

        Exit status: 0 packets can leave, 1 they cannot, 2 an error, 64 a wrong argument, 130 interrupted.
        """

    private static let reachable = """
        A target that needs a connection to be made first does not count as reachable.
        """

    private static let targets = """
        TARGET is one of
          name              a host name; its best address counts
          192.0.2.1         an IPv4 address
          2001:db8::1       an IPv6 address; a link-local one with its interface: fe80::1%eth0
          default           the default route, of IPv4 or IPv6
          LOCAL,REMOTE      packets from LOCAL to REMOTE; `LOCAL,` is LOCAL by itself, `,REMOTE` is REMOTE
        After `--` every argument is a target.
        """

    private static let options = """
        OPTIONS for the lookup of routes
          --interface IF    for packets bound to this interface, or to this VRF
          --source ADDR     for packets from this address
          --mark N          for packets with this firewall mark, such as 42 or 0x2a
          --uid N           for packets of this user
          --netns NAME|PATH from another network namespace (needs CAP_SYS_ADMIN)
        """

    private static let server = """
        OPTIONS for the resolution of names
          --server ADDR[:PORT]
                            ask this name server, not those of resolv.conf; may be given several times
        """

    private static let following = """
        OPTIONS for the resolution of names
          --timeout S       resolve each name within S seconds, such as 2.5; without it, 5
          --server ADDR[:PORT]
                            ask this name server, not those of resolv.conf; may be given several times
        """

    private static let resolving = """
        \(following)
          --policy resolve|optimistic
                            with optimistic no name is resolved, and an unknown name has the default route's flags
        """
}
