// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Netlink
import TestTopology

/// A network in which watchers run.
final class WatchedNetwork {
    let topology: Topology
    /// An address whose routes only `settle` changes.
    static let fence = "198.51.100.1"

    /// Makes the network of `Scenario.office`, then runs further commands.
    init(_ setup: [String] = [], target: String = Scenario.farHost) throws {
        topology = try Topology()
        try topology.ip("route add unreachable \(Self.fence)")
        try topology.ip("rule add to \(Self.fence) lookup main priority 1")
        try topology.wire("eth0", address: "10.0.0.1/24", "2001:db8::1/64")
        try topology.wire("eth1", address: "10.1.0.1/24", "2001:db8:0:1::1/64")
        for command in Scenario.office + setup { try perform(command, about: target) }
    }

    /// Runs one of a scenario's commands.
    func perform(_ command: String, about target: String) throws {
        let words = command.split(separator: " ").map(String.init)
        if command == "until no route" {
            // The kernel announces the end of an IPv6 route half a minute late, so the route itself is asked for.
            try topology.run {
                while try KernelAnswer.about(target).isReachable {}
            }
        } else if words.first == "carrier" {
            try topology.waitForLink(words[1], .up)
        } else if words.starts(with: ["no", "carrier"]) {
            try topology.waitForLink(words[2]) {
                $0.operationalState == .down || $0.operationalState == .lowerLayerDown
            }
        } else if words.first == "sysctl" {
            let parts = words[1].split(separator: "=")
            try topology.set(String(parts[0]), Int(parts[1])!)
        } else {
            try topology.ip(command)
        }
    }

    func start(_ kind: Watcher.Kind, of target: String, keys: [String] = []) throws -> Watcher {
        try Watcher(kind, of: target, keys: keys, in: topology)
    }

    /// Returns when the watcher has processed everything that has happened so far. GLib's runs its main loop until no timer
    /// is left. This package's has then reported two changes of the fence, which come after everything else.
    func settle(_ watcher: Watcher, _ kind: Watcher.Kind) throws {
        if !kind.isGLib {
            for route in ["dev lo", nil] {
                let before = watcher.count(of: "fence")
                try topology.ip("route replace \(route == nil ? "unreachable " : "")\(Self.fence) \(route ?? "")")
                guard try watcher.waitUntilTold(of: "fence", moreThan: before, timeout: 30_000) else {
                    throw Watcher.Failure(description: "a change of the fence was not reported")
                }
            }
        }
        try watcher.say("settle")
    }
}
