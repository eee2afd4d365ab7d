// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import NetworkFacts
import Synchronization

/// What the configuration files said at one moment, and a watch that tells whether they have changed since.
final class ConfigurationContents: Sendable {
    /// Unique for every reading in the whole process.
    let generation: UInt64
    let resolvConf: FileReading<ResolvConf>
    let hosts: FileReading<HostsFile>
    let watch: ConfigurationWatch

    private static let generations = Atomic<UInt64>(0)

    /// - Parameter old: used for a file that cannot be read for lack of descriptors.
    init(reading environment: ResolverEnvironment, after old: ConfigurationContents?) {
        generation = Self.generations.wrappingAdd(1, ordering: .relaxed).newValue
        // Watched first and read then, so that a change in between counts as a later one.
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

    /// Whether every file was read. If one was not, it has to be tried again, as no event will tell when it can be
    /// read.
    var isWhole: Bool { resolvConf.isPresent && hosts.isPresent }

    /// Whether the files are unchanged since they were read.
    var isCurrent: Bool { isWhole && watch.isUnchanged }
}

/// What is known of one file.
enum FileReading<Contents: Sendable>: Sendable {
    /// The present contents. A file that is missing or must not be read counts as empty, as in libc.
    case present(Contents)
    /// The file could not be opened for lack of descriptors or memory. These are its earlier contents.
    case earlier(Contents)
    /// The file could not be opened for the same reason, and was never read before.
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

    /// The present or earlier contents. Nil if the file was never read.
    var contents: Contents? {
        switch self {
        case .present(let contents), .earlier(let contents): contents
        case .never: nil
        }
    }

    var isPresent: Bool { if case .present = self { true } else { false } }

    /// Why the file was never read.
    var failure: Errno? { if case .never(let error) = self { error } else { nil } }
}
