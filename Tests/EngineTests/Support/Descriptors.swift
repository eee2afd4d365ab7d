// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import ReachabilityLinuxSystem
import ReachabilityNetlink
import TestHosts
import TestWaiting

@testable import ReachabilityReferences
@testable import ReachabilityRoutes

extension ReachabilityRef {
    /// Opens as many lookup sockets as the pool keeps.
    func openRouteClients() throws {
        let kernel = try namespace.kernel()
        try kernel.lendRouteClients(1 + KernelAccess.idleLimit)
        // Threads share sixteen epoll instances, each opened by the first thread that comes to it. Of so many threads, some
        // come to each.
        @Sendable func check(_ count: Int) throws {
            guard count > 0 else { return }
            try TestThread("checker") {
                _ = kernel.freshness!.beginQuestion(emptying: true)
                try check(count - 1)
            }.join()
        }
        try check(64)
    }
}

extension ProcessState {
    static var inotifyCount: Int {
        (0..<Int32(1024)).count { Files.linkTarget(of: "/proc/self/fd/\($0)") == "anon_inode:inotify" }
    }

    /// Runs `body` while no descriptor can be opened (getrlimit(2), RLIMIT_NOFILE).
    static func withoutDescriptors(_ body: () throws -> Void) rethrows {
        var limit = rlimit()
        unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        var none = rlimit(rlim_cur: 0, rlim_max: limit.rlim_max)
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none)
        defer { unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) }
        try body()
    }
}

/// The sockets and the kernel's own files (epoll, eventfd, timerfd, inotify) that were opened since this was made. Tests close
/// them, as closefrom(3) would.
struct NewDescriptors {
    /// By number, what proc(5) says of each. The number alone would not do: Dispatch has an eventfd for the main queue, which the main
    /// thread closes in its own time, and then what is opened first gets the number.
    private let earlier: [Int32: String]

    /// Dispatch opens an epoll instance for its first timer, and ends the process if that is closed.
    init() throws {
        let isOpen = DispatchSemaphore(value: 0)
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) { isOpen.signal() }
        try isOpen.wait(for: "Dispatch's first timer")
        earlier = Self.open("")
    }

    /// - Parameter kind: the beginning of what /proc/self/fd says (proc(5)).
    func all(_ kind: String = "") -> [Int32] {
        Self.open(kind).filter { earlier[$0.key] != $0.value }.keys.sorted()
    }

    func close(_ kind: String = "") { for descriptor in all(kind) { Glibc.close(descriptor) } }

    private static func open(_ kind: String) -> [Int32: String] {
        var open: [Int32: String] = [:]
        for descriptor in 3..<Int32(256) {
            guard let file = Files.linkTarget(of: "/proc/self/fd/\(descriptor)"), file.hasPrefix(kind),
                file.hasPrefix("socket:") || file.hasPrefix("anon_inode:")
            else { continue }
            open[descriptor] = file
        }
        return open
    }
}
