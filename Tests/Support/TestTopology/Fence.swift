// SPDX-License-Identifier: Apache-2.0

/// An address whose changes mark the end of all changes before them.
///
/// A test cannot wait for "no callback". So the program that is tested watches this address as well, and the test changes it. When
/// the program tells of that change, everything that the kernel announced before it has been looked up. In this process
/// `Machine.settle()` does without the address, except where a test counts what is announced.
///
/// The routes of the fence are in the table of local addresses, which the kernel looks up before every other table and every rule
/// with a priority over 0 (fib_default_rules_init in net/ipv4/fib_rules.c). So no route and no rule of a test concerns it. The fence needs no
/// rule of its own: the first rule that is added to a namespace separates the local table from the main one (fib_unmerge in
/// net/ipv4/fib_frontend.c), and most machines have no rule.
package enum Fence {
    package static let address = "198.51.100.1"

    /// Makes the fence an address of this machine, or unreachable, in the namespace of the calling thread. Before the first call
    /// there is no fence.
    package static func set(reachable isReachable: Bool) throws(MachineError) {
        let route = isReachable ? "local \(address) dev lo" : "unreachable \(address)"
        try CallingThread.ip("route replace \(route) table local")
    }

    /// Makes the fence reachable and unreachable again, and calls `awaitTelling` after each change.
    package static func pass(
        in topology: Machine, _ awaitTelling: (_ isReachable: Bool) throws -> Void
    ) throws {
        for isReachable in [true, false] {
            try topology.run { () throws(MachineError) in try set(reachable: isReachable) }
            try awaitTelling(isReachable)
        }
    }
}

extension Machine {
    /// Makes the fence, which is unreachable.
    package func makeFence() throws(MachineError) {
        try run { () throws(MachineError) in try Fence.set(reachable: false) }
    }
}
