// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
package import ReachabilityResolverFiles
import Synchronization

/// The configuration of one resolver: what one reading of the files says, and its own settings. The reading, with its hosts and its
/// watch, is that of all resolvers which share the files: one that is kept here would outlive its use.
package final class ResolverConfiguration: Sendable {
    private let files: ConfigurationFiles
    /// Unique for every reading in the whole process.
    package let generation: UInt64
    /// When the files were found to have changed. Nil if they were read for the first time.
    let changed: BootTime?
    let environment: ResolverEnvironment
    package let resolvConf: ResolvConf
    /// The servers that are asked, in order.
    package let servers: [ServerAddress]
    private let sources: NameSources
    /// Why no question can be sent: a file that was never read may name the servers, or list the name itself.
    let failure: Errno?
    private let rotation = Atomic<Int>(-1)

    init(_ files: ConfigurationFiles, _ environment: ResolverEnvironment) {
        let contents = files.current
        (self.files, self.environment) = (files, environment)
        (generation, changed) = (contents.generation, contents.changed)
        resolvConf = contents.resolvConf.contents ?? ResolvConf()
        servers = environment.servers ?? resolvConf.askedServers
        sources = contents.sources.contents ?? .standard
        failure = (environment.servers == nil ? contents.resolvConf.failure : nil) ?? contents.hosts.failure
    }

    /// Whether the files are unchanged since they were read.
    package var isCurrent: Bool {
        let known = files.known
        return known.generation == generation && known.isCurrent
    }

    /// The position of the server that a loop asks first. Nil if servers are not asked in turn.
    func nextRotation() -> Int? {
        guard resolvConf.rotates, !servers.isEmpty else { return nil }
        return rotation.wrappingAdd(1, ordering: .relaxed).newValue % servers.count
    }

    // MARK: Sources

    /// An answer without asking anybody: from the hosts file, for localhost (RFC 6761 6.3), for this machine's own name, or
    /// for an impossible name.
    ///
    /// - Parameter walk: the sources for the name.
    func localAnswer(_ query: NameQuery, _ walk: SourceWalk) -> Resolution? {
        let finding: Finding
        if query.name.problem != nil {
            finding = Finding(.noSuchName, .none, outcome: .impossibleName)
        } else if query.name.isLocalhost {
            let listed = listed(query)
            let loopback: [IPAddress] = [.v6(.loopback), .v4(IPv4Address(127, 0, 0, 1))]
            finding = listed.status == .success ? listed : Finding(loopback, for: query, .localhost)
        } else {
            guard walk.next == nil else { return nil }
            finding = walk.finding()
        }
        return Resolution(query, finding, made: environment.time.now(), configuration: self)
    }

    /// The sources for a name.
    func walk(for query: NameQuery) -> SourceWalk {
        var steps: [(step: SourceWalk.Step, ends: Set<NameSources.Status>)] = []
        for step in sources.steps {
            switch step.source {
            case .files: steps.append((.found(listed(query)), step.ends))
            case .ownHostName: steps.append((.found(own(query)), step.ends))
            case .dns: steps.append((.dns, step.ends))
            case .resolve where environment.hasResolved():
                let ends = step.ends.intersection([.success])
                steps += [(.found(listed(query)), ends), (.found(own(query)), ends), (.dns, step.ends)]
            case .module(let name) where isOfUse(name, query) && environment.usesModules && NameModules.canLoad:
                steps.append((.module(name), step.ends))
            case .resolve, .module: steps.append((.found(.unavailable), step.ends))
            }
        }
        // Who names servers wants them asked.
        let asksServers = sources.steps.contains { [.dns, .resolve].contains($0.source) }
        if environment.servers != nil, !asksServers { steps.append((.dns, [.success])) }
        return SourceWalk(steps)
    }

    /// Modules that would be asked for this name, if this program could load them.
    package func missingModules(for query: NameQuery) -> [String] {
        guard !NameModules.canLoad, environment.usesModules else { return [] }
        return sources.steps.compactMap { step in
            guard case .module(let name) = step.source, isOfUse(name, query) else { return nil }
            return name
        }
    }

    /// The minimal modules of nss-mdns answer for names under .local only.
    private func isOfUse(_ module: String, _ query: NameQuery) -> Bool {
        !(module.hasPrefix("mdns") && module.hasSuffix("_minimal")) || query.name.isMulticast
    }

    private func listed(_ query: NameQuery) -> Finding {
        // Of a later reading if the file has just changed: the answer, which has the number of this one, is not kept then.
        let listed = files.known.hosts.contents?.lookUp(query.name) ?? []
        let wanted = listed.filter { query.wants($0.family) }
        return wanted.isEmpty ? Finding(.noSuchName, .none) : Finding(wanted, for: query, .hostsFile)
    }

    /// Whether this machine would say the same of its name now.
    func confirms(_ answer: Resolution) -> Bool {
        let own = own(answer.query)
        return (own.v4, own.v6) == (answer.v4, answer.v6)
    }

    /// The name of this machine, as nss-myhostname(8) answers it.
    private func own(_ query: NameQuery) -> Finding {
        guard HostName.canonicalForm(environment.hostName()) == query.name.canonical else {
            return Finding(.noSuchName, .none)
        }
        let own = environment.ownAddresses()
        let found = own.isEmpty ? [.v6(.loopback), .v4(IPv4Address(127, 0, 0, 2))] : own
        return Finding(found, for: query, .ownHostName, timeToLive: Resolution.otherTimeToLive)
    }
}
