// SPDX-License-Identifier: Apache-2.0

/// A change of a network while it is watched, as commands that a reader can type.
///
/// A command is the arguments of `ip`, or one of:
/// - `sysctl NAME=VALUE`;
/// - `no carrier LINK`, `carrier LINK`: waits until the link has noticed that its other end went or came;
/// - `until no route`: waits until the target's route has expired.
struct Scenario {
    let name: String
    var target = Self.farHost
    /// Further arguments of the lookup, as `ip route get` takes them: `mark 5`, `from 10.1.0.1`, `oif eth1`.
    var keys: [String] = []
    /// Commands before the watchers start, after those of `Scenario.office`.
    var setup: [String] = []
    let change: [String]
    /// How often the route may move to another link meanwhile, which is reported as well. Which of several equal next hops
    /// the kernel takes depends on a random number that it draws when it starts.
    var moves = 0

    /// A host that only the default routes cover.
    static let farHost = "192.0.2.1"
    static let farIPv6Host = "2001:db8:7::1"
    static let neighbour = "10.0.0.7"

    /// The default routes of both families by the first of two Ethernet links, with which every scenario begins.
    static let office = ["route add default via 10.0.0.254", "-6 route add default via 2001:db8::2 dev eth0"]

    /// Deletes the default routes of both families.
    static let withoutDefault = ["route del default", "-6 route del default"]
}
