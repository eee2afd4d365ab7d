// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import NetworkFacts

/// The configuration of one resolver: the contents of the files, and its own settings.
package final class ResolverConfiguration: Sendable {
    let contents: ConfigurationContents
    let environment: ResolverEnvironment
    package let resolvConf: ResolvConf
    /// The servers that are asked, in order.
    package let servers: [ServerAddress]

    init(_ contents: ConfigurationContents, _ environment: ResolverEnvironment) {
        self.contents = contents
        self.environment = environment
        resolvConf = contents.resolvConf.contents ?? ResolvConf()
        servers = environment.servers ?? resolvConf.servers
    }

    /// Unique for every reading in the whole process.
    package var generation: UInt64 { contents.generation }

    /// Whether the files are unchanged since they were read.
    package var isCurrent: Bool { contents.isCurrent }

    /// Why the servers are not known.
    var serverFailure: Errno? { environment.servers == nil ? contents.resolvConf.failure : nil }

    /// Why no question can be sent: a file that was never read may name the servers, or list the name itself.
    var failure: Errno? { serverFailure ?? contents.hosts.failure }

    /// An answer without a server: from the hosts file, for localhost (RFC 6761 6.3), or for an impossible name.
    func localAnswer(_ name: HostName) -> Resolution? {
        if name.problem != nil {
            return Resolution(
                name, v4: .noSuchName, v6: .noSuchName, origin: .none, outcome: .impossibleName,
                made: environment.time.now(), configuration: self)
        }
        if let listed = contents.hosts.contents?.lookUp(name), !listed.isEmpty {
            return localAnswer(name, listed, .hostsFile)
        }
        guard name.isLocalhost else { return nil }
        return localAnswer(name, [.v6(.loopback), .v4(IPv4Address(127, 0, 0, 1))], .localhost)
    }

    private func localAnswer(_ name: HostName, _ found: [IPAddress], _ origin: ResolutionOrigin) -> Resolution {
        func outcome(_ family: AddressFamily) -> FamilyOutcome {
            let matching = found.filter { $0.family == family }
            return matching.isEmpty ? .noData : .addresses(matching.map { TimedAddress($0, timeToLive: nil) })
        }
        return Resolution(
            name, v4: outcome(.v4), v6: outcome(.v6), origin: origin, made: environment.time.now(),
            configuration: self)
    }
}
