// SPDX-License-Identifier: Apache-2.0

import CReachabilityLinux
import Glibc
import ReachabilityLinuxSystem
package import Testing

/// A feature that tests need and a machine may lack.
package enum Capability: String, Sendable, CaseIterable {
    case namespaces = "network namespaces"
    case tun = "/dev/net/tun"
    case sysfs = "a /sys of its own"
    case settings = "writable /proc/sys/net"
    /// The kernel shows some settings only to the owner of the machine (ipv6_route_sysctl_init in net/ipv6/route.c).
    case ownersSettings = "settings that only root is shown"
    /// In a user namespace with one user mapped there are no others to ask for (user_namespaces(7)).
    case otherUsers = "more than one user"
    /// A program on a control group (bpf(2)). Needs CAP_BPF or CAP_SYS_ADMIN outside any user namespace.
    case socketMarks = "bpf(2) on control groups"
    case glib = "the headers of GLib"
    case libcurl = "the headers of libcurl"
    case libuv = "the headers of libuv"
    case systemd = "the headers of libsystemd"
    case cxx = "the compiler g++"
    case python = "the program python3"
    case pythonGLib = "the program python3 with GLib"
    case promtool = "the program promtool"
    case nodeExporter = "the program prometheus-node-exporter"
    case strace = "the program strace"
    /// What static programs are linked from. Swift Build keeps a program's objects where no option tells.
    case objects = "the object files of SwiftPM's own build system"
    /// The package network-manager. The tests start it in a namespace of their own.
    case networkManager = "NetworkManager"

    /// Whether the machine has it. Tried once.
    package var isAvailable: Bool {
        switch self {
        case .namespaces: Self.namespacesAvailable
        case .tun: Self.tunAvailable
        case .sysfs: Self.sysfsAvailable
        case .settings: Self.settingsAvailable
        case .ownersSettings: Self.ownersSettingsAvailable
        case .otherUsers: Self.otherUsersAvailable
        case .socketMarks: Self.socketMarksAvailable
        case .glib: Self.hasPackage("gio-2.0")
        case .libcurl: Self.hasPackage("libcurl")
        case .libuv: Self.hasPackage("libuv")
        case .systemd: Self.hasPackage("libsystemd")
        case .cxx: Self.hasProgram("g++")
        case .python: Self.hasProgram("python3")
        case .pythonGLib: Self.succeeds(["/usr/bin/python3", "-c", "from gi.repository import Gio"])
        case .promtool: Self.hasProgram("promtool")
        case .nodeExporter: Self.hasProgram("prometheus-node-exporter")
        case .strace: Self.hasProgram("strace")
        case .objects: !Files.isMissing(BuiltProduct.path("CStaticProgram.build"))
        case .networkManager: Self.networkManagerAvailable
        }
    }

    private static let namespacesAvailable = (try? Machine()) != nil
    private static let tunAvailable = (try? Machine().tun("probe")) != nil
    private static let sysfsAvailable = (try? Machine(sysfs: true)) != nil
    private static let settingsAvailable = (try? Machine().set("net.ipv4.ip_forward", 0)) != nil
    private static let ownersSettingsAvailable =
        (try? Machine().set("net.ipv6.route.skip_notify_on_dev_down", 0)) != nil
    private static let otherUsersAvailable = {
        let map = (try? Files.contents(of: "/proc/self/uid_map")) ?? []
        let columns = String(decoding: map, as: UTF8.self).split { $0 == " " || $0 == "\n" }
        return columns.count >= 3 && (Int(columns[2]) ?? 0) > 1000
    }()
    private static let socketMarksAvailable =
        (try? CallingThread.execute([BuiltProduct.path("mark-sockets"), "7", "0", "true"])) != nil

    private static func hasProgram(_ name: String) -> Bool {
        succeeds([name, "--version"])
    }

    private static func hasPackage(_ name: String) -> Bool {
        succeeds(["pkg-config", "--exists", name])
    }

    private static func succeeds(_ words: [String]) -> Bool {
        (try? CallingThread.execute(words)) != nil
    }

    private static let networkManagerAvailable = ["/usr/sbin/NetworkManager", "/usr/bin/nmcli"].allSatisfy {
        (path: String) in
        unsafe access(path, X_OK) == 0
    }
}

extension Trait where Self == Requirement {
    /// Runs a test only on machines with these features. Elsewhere it is reported as not run.
    package static func needs(_ capabilities: Capability...) -> Self {
        Requirement(capabilities: capabilities)
    }
}

/// See `needs`.
package struct Requirement: TestTrait, SuiteTrait {
    let capabilities: [Capability]

    package var isRecursive: Bool { true }

    package func prepare(for test: Test) async throws {
        let missing = capabilities.filter { !$0.isAvailable }.map(\.rawValue)
        guard !missing.isEmpty else { return }
        let list = missing.joined(separator: ", ")
        try await ConditionTrait.disabled("needs \(list)").prepare(for: test)
    }
}
