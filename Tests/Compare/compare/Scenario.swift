// SPDX-License-Identifier: Apache-2.0

/// Something that happens to a network while it is watched, as commands that a reader can type himself.
///
/// A command is what follows `ip`, or one of:
/// - `sysctl NAME=VALUE`;
/// - `no carrier LINK`, `carrier LINK`: wait until the link has noticed that its other end went or came;
/// - `until no route`: wait until the target's route has ended by itself.
struct Scenario {
    let name: String
    var target = Self.farHost
    /// From where the target is asked about, as `ip route get` says it: `mark 5`, `from 10.1.0.1`, `oif eth1`.
    var keys: [String] = []
    /// What is there before anybody watches, beside what `Scenario.office` makes.
    var setup: [String] = []
    let change: [String]
    /// How often the way may move to another link meanwhile, which is told as well. Which of several equal ways the
    /// kernel takes is up to a number that it draws when it starts.
    var moves = 0

    /// Somebody who is reached by the default routes alone.
    static let farHost = "192.0.2.1"
    static let farIPv6Host = "2001:db8:7::1"
    static let neighbour = "10.0.0.7"

    /// What every scenario begins with: two Ethernet links, and default routes in both families by the first.
    static let office = ["route add default via 10.0.0.254", "-6 route add default via 2001:db8::2 dev eth0"]

    /// Leaves no default route of either family.
    static let withoutDefault = ["route del default", "-6 route del default"]
}
