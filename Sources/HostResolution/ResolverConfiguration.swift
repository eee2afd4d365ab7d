// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem
import NetworkFacts
import Synchronization

/// What the configuration files said at one moment, and the means to know whether they still do.
package final class ResolverConfiguration: Sendable {
    /// Different for every reading, in the whole process.
    package let generation: UInt64
    package let resolvConf: ResolvConf
    /// Why resolv.conf could not be read, where it could not.
    package let resolvConfError: Errno?
    package let hosts: HostsFile
    /// The servers that are asked, in order.
    package let servers: [ServerAddress]
    let watch: ConfigurationWatch
    let environment: ResolverEnvironment

    private static let generations = Atomic<UInt64>(0)

    /// Whether all was read that is there to be read. Where descriptors were lacking the rest is what was known before,
    /// and has to be read again: no change of a file will say so.
    let isWhole: Bool

    /// - Parameter old: what counts on where a file cannot be read for want of descriptors.
    init(reading environment: ResolverEnvironment, after old: ResolverConfiguration? = nil) {
        self.environment = environment
        generation = Self.generations.wrappingAdd(1, ordering: .relaxed).newValue
        // Watched first and read then: a change in between counts as one after the reading.
        watch = ConfigurationWatch(paths: environment.watchedPaths)
        let index = { (name: String) in environment.interfaceIndex(of: name) }
        var resolvConf = ResolvConf()
        var isWhole = true
        do throws(Errno) {
            resolvConf = ResolvConf(parsing: try Self.text(environment.resolvConfPath), interfaceIndex: index)
            resolvConfError = nil
        } catch {
            resolvConfError = error
            if error.isShortage {
                isWhole = false
                resolvConf = old?.resolvConf ?? resolvConf
            }
        }
        resolvConf.amend(localDomain: environment.localDomain, options: environment.resolverOptions)
        self.resolvConf = resolvConf
        var hosts: HostsFile?
        do throws(Errno) {
            hosts = HostsFile(parsing: try Self.text(environment.hostsPath), interfaceIndex: index)
        } catch {
            if error.isShortage {
                isWhole = false
                hosts = old?.hosts
            }
        }
        // A hosts file that is missing or unreadable knows no names, as in libc.
        self.hosts = hosts ?? HostsFile(parsing: "", interfaceIndex: index)
        self.isWhole = isWhole
        servers = environment.servers ?? resolvConf.servers
    }

    private static func text(_ path: String) throws(Errno) -> String {
        String(decoding: try Files.contents(of: path), as: UTF8.self)
    }

    /// Whether the files are as they were read.
    package var isCurrent: Bool { isWhole && watch.isUnchanged }

    /// The answers that need no server: the hosts file's, then those for localhost (RFC 6761 6.3), and the refusal of
    /// names that cannot be.
    func localAnswer(_ name: HostName) -> Resolution? {
        if name.problem != nil {
            return Resolution(
                name, v4: .noSuchName, v6: .noSuchName, origin: .none, outcome: .impossibleName,
                made: environment.time.now(), configuration: self)
        }
        let listed = hosts.lookUp(name)
        if !listed.isEmpty { return localAnswer(name, listed, .hostsFile) }
        guard name.isLocalhost else { return nil }
        return localAnswer(name, [.v6(.loopback), .v4(IPv4Address(127, 0, 0, 1))], .localhost)
    }

    private func localAnswer(_ name: HostName, _ found: [IPAddress], _ origin: ResolutionOrigin) -> Resolution {
        func outcome(_ family: AddressFamily) -> FamilyOutcome {
            let mine = found.filter { $0.family == family }
            return mine.isEmpty ? .noData : .addresses(mine.map { TimedAddress($0, timeToLive: nil) })
        }
        return Resolution(
            name, v4: outcome(.v4), v6: outcome(.v6), origin: origin, made: environment.time.now(),
            configuration: self)
    }
}
