// SPDX-License-Identifier: Apache-2.0

import LegacyReachability
import ReachabilityKit

/// `scutil --nwi` and `scutil -W --nwi` (nwi.c, configd-1405).
struct NetworkInformationCommand {
    /// The one interface to tell of; nil for all.
    let interface: String?

    /// Apple's tool takes the name of an interface, or `-a` for all.
    init?(words: [String]) {
        guard words.count <= 1 else { return nil }
        interface = words.first == "-a" ? nil : words.first
    }

    func print() -> Int32 {
        do throws(ReachabilityError) {
            let text = NetworkInformationText(try PathSource().current(), only: interface)
            Output.line(text.text)
            return text.hasState ? 0 : 1
        } catch {
            Output.complaint("scutil: \(error)")
            return 1
        }
    }

    /// Prints what is, and then each change of it, until the program is ended.
    func watch() -> Int32 {
        do throws(ReachabilityError) {
            let source = PathSource()
            let subscription = try source.subscribe(PathPrinter(interface: interface))
            // A path that cannot be found out is not told; that it cannot is said here.
            _ = try source.current()
            // Nothing is delivered here: paths are printed where they are told.
            withExtendedLifetime(subscription) { CallbackQueue().run() }
            return 0
        } catch {
            Output.complaint("scutil: \(error)")
            return 1
        }
    }
}

/// Prints a path. Told on the engine's thread alone, one path after the other.
private final class PathPrinter: PathSubscriber, @unchecked Sendable {
    private let interface: String?
    private var last: NetworkInformationText?

    init(interface: String?) {
        self.interface = interface
    }

    func observe(_ path: NetworkPath) {
        let text = NetworkInformationText(path, only: interface)
        guard text != last else { return }
        Output.line((last == nil ? "" : "\n*** \(TimeOfDay.now)\n\n") + text.text)
        last = text
    }
}
