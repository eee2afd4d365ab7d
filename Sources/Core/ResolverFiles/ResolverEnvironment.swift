// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem

/// Everything outside that a resolver depends on. Tests replace it.
package struct ResolverEnvironment: Sendable {
    package var hostsPath = "/etc/hosts"
    package var resolvConfPath = "/etc/resolv.conf"
    package var nsswitchPath = "/etc/nsswitch.conf"
    /// A directory whose files of these names count instead, as ip-netns(8) mounts those of /etc/netns/NAME.
    package var overlay: String?
    /// Where the C library's modules are. Empty for where libraries are searched for.
    package var moduleDirectory = ""
    /// The variables that amend resolv.conf (resolv.conf(5)): domains to search instead of the file's, and more
    /// options.
    package var localDomain = EnvironmentVariable.value(of: "LOCALDOMAIN")
    package var resolverOptions = EnvironmentVariable.value(of: "RES_OPTIONS")
    /// The name of this machine.
    package var hostName: @Sendable () -> String = { HostIdentity.name }
    /// The addresses of this machine. Without any, its name has those of nss-myhostname(8).
    package var ownAddresses: @Sendable () -> [IPAddress] = { [] }
    /// Whether systemd-resolved runs.
    package var hasResolved: @Sendable () -> Bool = {
        (try? Files.identity(of: "/run/systemd/resolve/io.systemd.Resolve")) != nil
    }
    /// Servers to ask instead of those in resolv.conf.
    package var servers: [ServerAddress]?
    package var time: any TimeSource = SystemTime()

    /// The interface that questions leave by.
    package var device: InterfaceName?
    /// The source address of questions, if it can be one: it is meant for the target, and a server may be of the other
    /// family, or on this machine.
    package var source: IPAddress?
    /// The firewall mark of questions.
    package var mark: UInt32?
    /// The network namespace in which questions are asked. Nil is the calling thread's.
    package var namespace: NamespaceHandle?

    /// How long one attempt waits for a server, unless resolv.conf says less. libc's 5 s would leave no room for a
    /// second attempt inside a deadline of 5 s. It is doubled after each round of servers.
    package var attemptTimeout: Duration = .seconds(1)
    /// How often each server is asked if resolv.conf does not say.
    package var attempts = 3

    package init() {}

    /// The present index of an interface in the namespace in which questions are asked; nil if there is none.
    package func index(of scope: Scope) throws(Errno) -> InterfaceIndex? {
        guard let namespace else { return try scope.presentIndex }
        return try namespace.run { () throws(Errno) in try scope.presentIndex }
    }

    /// The C library asks as it likes, so its modules are used only where the caller has no wishes.
    package var usesModules: Bool { servers == nil && device == nil && source == nil && mark == nil }

    private var paths: [String] { [hostsPath, resolvConfPath, nsswitchPath] }
    var watchedPaths: [String] { paths.compactMap(overlaid) + paths }

    /// The file that counts now.
    func present(_ path: String) -> String {
        overlaid(path).flatMap { Files.isMissing($0) ? nil : $0 } ?? path
    }

    private func overlaid(_ path: String) -> String? {
        overlay.map { "\($0)/\(path.split(separator: "/").last ?? "")" }
    }
}
