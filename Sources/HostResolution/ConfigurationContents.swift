// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import NetworkFacts
import Synchronization

/// What the configuration files said at one moment, and the means to know whether they still do.
final class ConfigurationContents: Sendable {
    /// Different for every reading, in the whole process.
    let generation: UInt64
    let resolvConf: FileReading<ResolvConf>
    let hosts: FileReading<HostsFile>
    let watch: ConfigurationWatch

    private static let generations = Atomic<UInt64>(0)

    /// - Parameter old: what counts on where a file cannot be read for want of descriptors.
    init(reading environment: ResolverEnvironment, after old: ConfigurationContents?) {
        generation = Self.generations.wrappingAdd(1, ordering: .relaxed).newValue
        // Watched first and read then: a change in between counts as one after the reading.
        watch = ConfigurationWatch(paths: environment.watchedPaths)
        let index = { (name: String) in environment.interfaceIndex(of: name) }
        resolvConf = FileReading(of: environment.resolvConfPath, after: old?.resolvConf) { text in
            var parsed = ResolvConf(parsing: text, interfaceIndex: index)
            parsed.amend(localDomain: environment.localDomain, options: environment.resolverOptions)
            return parsed
        }
        hosts = FileReading(of: environment.hostsPath, after: old?.hosts) { text in
            HostsFile(parsing: text, interfaceIndex: index)
        }
    }

    /// Whether all was read that is there to be read. What was not has to be read again: no change of a file will say so.
    var isWhole: Bool { resolvConf.isPresent && hosts.isPresent }

    /// Whether the files are as they were read.
    var isCurrent: Bool { isWhole && watch.isUnchanged }
}

/// What is known of one file.
enum FileReading<Contents: Sendable>: Sendable {
    /// What it says. A file that is missing, or that must not be read, says nothing, as in libc.
    case present(Contents)
    /// It could not be opened for want of descriptors or memory. This is what it said before.
    case earlier(Contents)
    /// The same, and it was never read before.
    case never(Errno)

    init(of path: String, after old: Self?, _ parse: (String) -> Contents) {
        do throws(Errno) {
            self = .present(parse(String(decoding: try Files.contents(of: path), as: UTF8.self)))
        } catch {
            if !error.isShortage {
                self = .present(parse(""))
            } else if let known = old?.contents {
                self = .earlier(known)
            } else {
                self = .never(error)
            }
        }
    }

    /// What it says, or said before; nil where it was never read.
    var contents: Contents? {
        switch self {
        case .present(let contents), .earlier(let contents): contents
        case .never: nil
        }
    }

    var isPresent: Bool { if case .present = self { true } else { false } }

    /// Why it was never read.
    var failure: Errno? { if case .never(let error) = self { error } else { nil } }
}
