// SPDX-License-Identifier: Apache-2.0

#if !Names
import ReachabilityLinuxSystem
import ReachabilityResolverFiles

/// No c-ares is there without the trait Names of the package.
package enum AresLibrary {
    package static var version: String { "none" }
}

/// No server can be asked. Names come from the files and the modules that nsswitch.conf names.
final class AresServer {
    let pendingCount = 0
    let isInUse = false

    init(
        _ server: ServerAddress, _ sockets: AresSockets, usesTCP: Bool, timeout: Duration,
        _ changed: @escaping @Sendable () -> Void
    ) throws(Errno) {
        throw .withoutAres
    }

    func ask(_ attempt: NameMachine.Attempt) {}
    func takeEndings() -> [NameServers.Ending] { [] }
    func cancelAll() -> [NameMachine.Attempt] { [] }
}

/// Nothing has a status then. Other code compares with these.
extension AresStatus {
    static let timeout = AresStatus(code: 0)

    package var description: String { "status \(code)" }
    var isTimeout: Bool { self == .timeout }
    var mayPass: Bool { false }
}

final class AresSockets {
    init(_ configuration: ResolverConfiguration, _ position: Int, on loop: EventLoop) {}
}
#endif
