// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityNetlink

@_implementationOnly import CReachabilityTesting

/// The machines of this process that have names.
final class MachineRegistry: Sendable {
    static let shared = MachineRegistry()

    private struct Entry {
        weak var machine: Machine?
    }

    private struct State {
        var named: [String: Entry] = [:]
        var current: Machine?
    }

    private let state = Lock(State())

    func add(_ machine: Machine) throws(MachineError) {
        let isNew = state.withLock { state in
            guard state.named[machine.name]?.machine == nil else { return false }
            state.named[machine.name] = Entry(machine: machine)
            return true
        }
        guard isNew else { throw .mistake("There is already a machine named \"\(machine.name)\".") }
    }

    /// The machine that is this process, if it was asked for, and all that have names.
    var machines: [Machine] {
        state.withLock { state in
            let named = state.named.sorted { $0.key < $1.key }.compactMap(\.value.machine)
            return (state.current.map { [$0] } ?? []) + named
        }
    }

    func isCurrent(_ machine: Machine) -> Bool { state.withLock { $0.current === machine } }

    func current() throws(MachineError) -> Machine {
        if let known = state.withLock(\.current) { return known }
        let made = try Machine(named: "this process") { () throws(MachineError) in
            try CallingThread.enterNetworkOfProcess()
            if reachability_testing_is_own_network() == 0 { try CallingThread.checkThatNetworkIsEmpty() }
        }
        return state.withLock { state in
            state.current = state.current ?? made
            return state.current ?? made
        }
    }
}

extension Machine {
    var isThisProcess: Bool { MachineRegistry.shared.isCurrent(self) }

    /// The machine that is this process, with all its threads.
    ///
    /// A test must never change the network of the computer that it runs on. So this throws ``MachineError`` unless the process
    /// has its own network: a test with the trait `.network` has, and so has a program that runs under `unshare -rnm`.
    public static var current: Machine {
        get throws(MachineError) { try MachineRegistry.shared.current() }
    }
}

extension CallingThread {
    /// The thread may have been started by a thread that is in another network.
    fileprivate static func enterNetworkOfProcess() throws(MachineError) {
        try MachineError.attempt(to: "enter the network of this process") { () throws(Errno) in
            let namespace = try NamespaceHandle(path: "/proc/self/ns/net")
            if !namespace.identity.isCurrent { try namespace.enter() }
        }
    }

    /// The links that the kernel makes in each new network, down and without addresses (the devices of
    /// `fb_tunnels_only_for_init_net` in Documentation/admin-guide/sysctl/net.rst).
    private static let fallbackLinks: Set<String> = [
        "lo", "tunl0", "gre0", "gretap0", "erspan0", "ip_vti0", "ip6_vti0", "sit0", "ip6tnl0", "ip6gre0",
    ]

    /// Throws unless the network of this thread is in the state in which the kernel makes a new one.
    package static func checkThatNetworkIsEmpty() throws(MachineError) {
        let inventory: NetworkInventory
        do throws(NetlinkError) {
            inventory = try NetlinkRequester().inventory()
        } catch {
            throw .mistake("It failed to find out whether the network of this process is a test's own: \(error).")
        }
        let links = inventory.links.map(\.facts.name).filter { !fallbackLinks.contains($0) }
        let addresses = inventory.addresses.map(\.address).filter { !$0.address.isLoopback }
        let found = links.map { "the link \($0)" } + addresses.map { "the address \($0)" }
        guard let first = found.first else { return }
        throw .mistake(
            """
            The network of this process is not a test's own: it has \(first). Give the test the trait `.network`, or run the tests \
            with `unshare -rnm`.
            """)
    }
}
