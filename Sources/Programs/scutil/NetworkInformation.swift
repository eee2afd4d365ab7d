// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit
import SystemConfigurationCore

/// `scutil --nwi` and `scutil -W --nwi` (nwi.c, configd-1405).
struct NetworkInformationCommand {
    /// The only interface to print; nil for all.
    let interface: String?

    /// Takes the name of an interface, or `-a` for all, as Apple's tool does.
    init?(words: [String]) {
        guard words.count <= 1 else { return nil }
        interface = words.first == "-a" ? nil : words.first
    }

    func print() throws(ReachabilityError) -> Int32 {
        let text = NetworkInformationText(try PathSource().current(), only: interface)
        Output.line(text.text)
        return text.hasState ? 0 : 1
    }

    /// Prints the present state, and then each change, until the program is ended.
    func watch() throws(ReachabilityError) -> Int32 {
        let source = PathSource()
        let subscription = try source.subscribe(PathPrinter(interface: interface))
        // The subscription reports no errors, so an error is found here.
        _ = try source.current()
        // The paths are printed on the engine's thread. This thread only waits.
        withExtendedLifetime(subscription) { CallbackQueue().run() }
        return 0
    }
}

/// Prints paths. Called on the engine's thread only.
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
