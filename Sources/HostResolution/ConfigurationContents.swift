// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem
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
        resolvConf = FileReading(of: environment.resolvConfPath, after: old?.resolvConf, environment.parseResolvConf)
        hosts = FileReading(of: environment.hostsPath, after: old?.hosts) { text in
            HostsFile(parsing: text) { environment.interfaceIndex(of: $0) }
        }
    }

    /// Whether every file was read. If one was not, it has to be tried again, as no event will tell when it can be
    /// read.
    var isWhole: Bool { resolvConf.isPresent && hosts.isPresent }

    /// Whether the files are unchanged since they were read.
    var isCurrent: Bool { isWhole && watch.isUnchanged }
}

extension ResolverEnvironment {
    /// What resolv.conf says now, read once. It is not watched: the kernel takes some milliseconds to close an inotify
    /// instance that has watches (fsnotify_wait_marks_destroyed in fs/notify/mark.c).
    package func readResolvConf() throws(Errno) -> ResolvConf {
        let reading = FileReading(of: resolvConfPath, after: nil, parseResolvConf)
        if let failure = reading.failure { throw failure }
        return reading.contents ?? ResolvConf()
    }

    fileprivate func parseResolvConf(_ text: String) -> ResolvConf {
        var parsed = ResolvConf(parsing: text) { interfaceIndex(of: $0) }
        parsed.amend(localDomain: localDomain, options: resolverOptions)
        return parsed
    }
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
