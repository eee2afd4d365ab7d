// SPDX-License-Identifier: Apache-2.0

/// The texts of `--help`.
enum Help {
    static let version = "reachability 0.1.0"

    static func text(for verb: Arguments.Verb?) -> String {
        """
        Tells whether a packet to a target would leave this machine, and why: by the kernel's own route lookup and the
        state of the link it would leave by. Sends nothing to addresses that are given as numbers.

        usage: reachability [check] [--json | --explain] [OPTIONS] TARGET...

        TARGET is one of
          name              a host name; its best address counts
          192.0.2.1         an IPv4 address
          2001:db8::1       an IPv6 address; a link-local one with its interface: fe80::1%eth0
          default           any way off this machine, of either family
          LOCAL,REMOTE      what can be sent from LOCAL to REMOTE; `LOCAL,` is LOCAL by itself

        check prints `TARGET: WORDS` for each target, in Apple's words.
          --explain         also how the answer came about, step by step, and the reason for each flag
          --json            instead, one JSON object on one line for each target

        From where it is looked at:
          --interface IF    packets bound to this interface, or to this VRF
          --source ADDR     packets sent from this address
          --mark N          packets with this firewall mark (decimal, or 0x…)
          --uid N           packets of this user
          --netns NAME|PATH in another network namespace (wants CAP_SYS_ADMIN)
          --timeout S       the longest a name may take to resolve, in seconds; 5 by default

          --help, --version

        Exit status: 0 all reachable, 1 not all, 2 something could not be determined, 64 a bad argument.
        "Reachable" here means: reachable, and no connection has to be made first.
        """
    }
}
