// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem
package import NetworkFacts

/// Everything outside that a resolver depends on. Tests replace it.
package struct ResolverEnvironment: Sendable {
    package var hostsPath = "/etc/hosts"
    package var resolvConfPath = "/etc/resolv.conf"
    /// Only watched. The order of sources is fixed: hosts file, then DNS.
    package var nsswitchPath = "/etc/nsswitch.conf"
    /// The variables that amend resolv.conf (resolv.conf(5)): domains to search instead of the file's, and more
    /// options.
    package var localDomain = EnvironmentVariable.value(of: "LOCALDOMAIN")
    package var resolverOptions = EnvironmentVariable.value(of: "RES_OPTIONS")
    /// Servers to ask instead of those in resolv.conf.
    package var servers: [ServerAddress]?
    package var time: any TimeSource = SystemTime()

    /// The interface that questions leave by.
    package var device: String?
    /// The source address of questions. Servers of the other family are not asked.
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

    /// The index of an interface in the namespace in which questions are asked.
    func interfaceIndex(of name: String) -> UInt32? {
        guard let namespace else { return Interfaces.index(of: name) }
        return (try? namespace.run { () throws(Errno) in Interfaces.index(of: name) }) ?? nil
    }

    var watchedPaths: [String] { [hostsPath, resolvConfPath, nsswitchPath] }
}
