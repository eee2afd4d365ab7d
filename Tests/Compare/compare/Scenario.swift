// SPDX-License-Identifier: Apache-2.0

/// A change of a watched network, as commands that a reader can type.
///
/// A command is what follows `ip`, or one of:
/// - `sysctl NAME=VALUE`;
/// - `no carrier LINK`, `carrier LINK`: wait until the link has noticed that its other end went or came;
/// - `until no route`: wait until the target's route has ended by itself.
struct Scenario {
    let name: String
    var target = Self.farHost
    /// The keys of the question in the form of `ip route get`: `mark 5`, `from 10.1.0.1`, `oif eth1`.
    var keys: [String] = []
    /// Commands that run before watching begins, after those of `Scenario.office`.
    var setup: [String] = []
    let change: [String]
    /// How often the route may move to another link meanwhile, which is told as well. Which of several equal routes the
    /// kernel takes depends on a random number that it draws when it starts.
    var moves = 0

    /// A host that only the default routes lead to.
    static let farHost = "192.0.2.1"
    static let farIPv6Host = "2001:db8:7::1"
    static let neighbour = "10.0.0.7"

    /// The beginning of every scenario: two Ethernet links, and default routes in both families over the first.
    static let office = ["route add default via 10.0.0.254", "-6 route add default via 2001:db8::2 dev eth0"]

    /// Deletes the default routes of both families.
    static let withoutDefault = ["route del default", "-6 route del default"]
}
