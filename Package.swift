// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// Lower layers come first. Docs/Architecture.md says what each target knows.
let package = Package(
    name: "swift-network-reachability",
    products: [
        .library(name: "ReachabilityKit", targets: ["ReachabilityKit"]),
        .library(name: "SystemConfiguration", targets: ["SystemConfiguration"]),
        .library(
            name: "CSystemConfiguration", type: .dynamic,
            targets: ["CSystemConfiguration", "CSystemConfigurationHeaders"]),
        .library(name: "CReachability", type: .dynamic, targets: ["CReachability", "CReachabilityHeaders"]),
        // No other product contains this module: some packages compile other code where `canImport(Network)` is true.
        .library(name: "Network", targets: ["Network"]),
        .library(name: "WaitingURLSession", targets: ["WaitingURLSession"]),
        .executable(name: "reachability", targets: ["reachability"]),
        .executable(name: "scutil", targets: ["scutil"]),
    ],
    targets: [
        // Core: the kernel, name servers and NetworkManager are asked, and flags are made.
        .c("CLinux", on: .core),
        .module("LinuxSystem", on: .core, uses: "CLinux"),
        .module("Netlink", on: .core, uses: "CLinux", "LinuxSystem"),
        .systemLibrary(
            name: "CAres", path: "Sources/Core/CAres", pkgConfig: "libcares", providers: [.apt(["libc-ares-dev"])]),
        .module("HostResolution", on: .core, uses: "CAres", "CLinux", "LinuxSystem"),
        .module("SystemBus", on: .core, uses: "LinuxSystem"),
        .module("ReachabilityKit", on: .core, uses: "HostResolution", "LinuxSystem", "Netlink", "SystemBus"),

        // Apple: Apple's interfaces in Swift.
        .module(
            "SystemConfigurationCore", on: .apple, uses: "HostResolution", "LinuxSystem", "Netlink", "ReachabilityKit"),
        .c("SystemConfigurationSubmodules", on: .apple),
        .module(
            "SystemConfiguration", on: .apple, uses: "LinuxSystem", "ReachabilityKit", "SystemConfigurationCore",
            "SystemConfigurationSubmodules"),
        .module("Connections", on: .apple, uses: "HostResolution", "LinuxSystem", "Netlink", "ReachabilityKit"),
        .module(
            "Network", on: .apple, uses: "Connections", "HostResolution", "LinuxSystem", "Netlink", "ReachabilityKit",
            "SystemConfigurationCore"),
        .module("WaitingURLSession", on: .apple, uses: "LinuxSystem", "ReachabilityKit"),

        // Bindings: for programs in C. Those for Python and GLib call these, and are not built here.
        .c("CReachabilityHeaders", on: .bindings),
        .module("CReachability", on: .bindings, uses: "CReachabilityHeaders", "LinuxSystem", "ReachabilityKit"),
        .c("CSystemConfigurationHeaders", on: .bindings),
        .module(
            "CSystemConfiguration", on: .bindings, uses: "CSystemConfigurationHeaders", "LinuxSystem",
            "ReachabilityKit", "SystemConfigurationCore", cSettings: [.define("SC_OPAQUE_HANDLES")]),

        // Programs.
        .program(
            "reachability", on: .programs, uses: "Connections", "HostResolution", "LinuxSystem", "Netlink",
            "ReachabilityKit"),
        .program(
            "scutil", on: .programs, uses: "HostResolution", "LinuxSystem", "Netlink", "ReachabilityKit",
            "SystemConfigurationCore"),
        // Only Scripts/install links this, into static programs. A dynamic program has the same function in its runtime.
        .c("CStaticProgram", on: .programs),

        // Examples. The code that the documents show is compiled as a client's code is, without our settings.
        .program("example-check", uses: "ReachabilityKit", in: "Examples/Check", as: .client(.v6)),
        .program("example-follow", uses: "ReachabilityKit", in: "Examples/Follow", as: .client(.v6)),
        .program("example-port", uses: "SystemConfiguration", in: "Examples/Port", as: .client(.v6)),
        .program("run-loop-monitor", uses: "SystemConfiguration", in: "Examples/RunLoop", as: .client(.v5)),
        .program("connection-states", uses: "Network", in: "Examples/ConnectionStates", exclude: ["demo"]),
        .module(
            "DocumentedCode", uses: "Network", "ReachabilityKit", "SystemConfiguration", "WaitingURLSession",
            in: "Examples/Documented", as: .client(.v6)),

        // Measuring. The benchmarks compare with C programs that do only the unavoidable work.
        .target(name: "CLimits", path: "Tests/Benchmarks/CLimits"),
        .target(name: "CNameLimits", dependencies: ["CAres"], path: "Tests/Benchmarks/CNameLimits"),
        .target(name: "CAllocations", path: "Tests/Benchmarks/CAllocations"),
        .program(
            "benchmarks", uses: "CAllocations", "CLimits", "CNameLimits", "CReachability", "CReachabilityHeaders",
            "LinuxSystem", "Network", "ReachabilityKit", "TestTopology",
            in: "Tests/Benchmarks/benchmarks"),
        .program(
            "compare", uses: "CLimits", "CTestTopology", "LinuxSystem", "ReachabilityKit",
            "TestTopology", in: "Tests/Compare/compare"),
        .program(
            "soak", uses: "CTestTopology", "HostResolution", "LinuxSystem", "ReachabilityKit",
            "TestHosts", "TestTopology", "TestWaiting", in: "Tests/Soak/soak"),
        .program(
            "oracle", uses: "LinuxSystem", "Netlink", "ReachabilityKit", "TestHosts", "TestTopology",
            in: "Tests/Oracle/oracle"),
        .program(
            "lab-rows", uses: "LinuxSystem", "Netlink", "Network", "ReachabilityKit", "TestTopology",
            in: "Tests/Lab/lab-rows"),

        // What tests are made of: networks in namespaces, scripted name servers and buses, counters, helper programs.
        .module("TestWaiting", uses: "LinuxSystem", in: "Tests/Support/TestWaiting"),
        .target(name: "CTestTopology", path: "Tests/Support/CTestTopology"),
        .module(
            "TestTopology", uses: "CTestTopology", "CLinux", "LinuxSystem", "Netlink",
            in: "Tests/Support/TestTopology"),
        .module(
            "TestHosts", uses: "CTestTopology", "HostResolution", "LinuxSystem", "TestWaiting",
            in: "Tests/Support/TestHosts"),
        .module("TestBus", uses: "LinuxSystem", "SystemBus", in: "Tests/Support/TestBus"),
        .target(name: "CAllocationCount", path: "Tests/Support/CAllocationCount"),
        .target(name: "CSystemCallCount", path: "Tests/Support/CSystemCallCount"),
        .program("asking", uses: "LinuxSystem", "ReachabilityKit", "TestTopology", in: "Tests/Support/Asking"),
        .program("waiting-client", uses: "WaitingURLSession", in: "Tests/Support/WaitingClient", as: .client(.v6)),
        .executableTarget(name: "deny-netlink", path: "Tests/Support/DenyNetlink"),
        .executableTarget(name: "mark-sockets", path: "Tests/Support/MarkSockets"),
        .program("undocumented", in: "Tests/Support/Undocumented"),
        .module(
            "FuzzTargets", uses: "CReachability", "CReachabilityHeaders", "SystemConfigurationCore", "HostResolution",
            "LinuxSystem",
            "Netlink", "ReachabilityKit", "SystemBus",
            in: "Tests/Fuzz/FuzzTargets"),

        // Client code that the tests run. The folders for Swift 5 and Swift 6 contain the same files where they can.
        .module(
            "LegacyIdioms5", uses: "SystemConfiguration", in: "Tests/Fixtures/LegacyIdioms5", as: .client(.v5)),
        .module(
            "LegacyIdioms6", uses: "SystemConfiguration", in: "Tests/Fixtures/LegacyIdioms6", as: .client(.v6)),
        .module(
            "NetworkIdioms5", uses: "Network", "ReachabilityKit", in: "Tests/Fixtures/NetworkIdioms5",
            as: .client(.v5)),
        .module(
            "NetworkIdioms6", uses: "Network", "ReachabilityKit", in: "Tests/Fixtures/NetworkIdioms6",
            as: .client(.v6)),
        .module("ConnectionIdioms5", uses: "Network", in: "Tests/Fixtures/ConnectionIdioms5", as: .client(.v5)),

        // Programs by an author who knew Apple's documentation and had not seen this package.
        .port("Captive5", .v5),
        .port("HostNames5", .v5),
        .port("HostNames6", .v6),
        .port("Interfaces5", .v5),
        .port("PrimaryInterface5", .v5),
        .port("PrimaryInterface6", .v6),
        .port("ProxyReader5", .v5),
        .port("ProxyReader6", .v6),
        .port("VPNWatcher5", .v5),
        .port("VPNWatcher6", .v6),

        // Tests.
        .tests("TopologyTests", use: "CLimits", "TestTopology", "LinuxSystem", "Netlink"),
        .tests("ValueTests", use: "LinuxSystem", "TestHosts"),
        .tests(
            "NetlinkTests", use: "CTestTopology", "TestTopology", "TestWaiting", "CLinux", "LinuxSystem", "Netlink"),
        .tests(
            "HostResolutionTests", use: "TestHosts", "TestTopology", "TestWaiting", "HostResolution", "LinuxSystem"),
        .tests(
            "CReachabilityTests", use: "CReachability", "LinuxSystem", "ReachabilityKit", "TestTopology", "TestWaiting"),
        .tests("SystemBusTests", use: "LinuxSystem", "SystemBus", "TestBus", "TestHosts"),
        .tests(
            "ReachabilityKitTests", use: "CAllocationCount", "CSystemCallCount", "CTestTopology", "TestTopology",
            "TestWaiting", "LinuxSystem", "Netlink", "ReachabilityKit", "asking"),
        .tests(
            "EngineTests", use: "CTestTopology", "TestHosts", "TestTopology", "TestWaiting", "HostResolution",
            "LinuxSystem", "Netlink", "ReachabilityKit"),
        .tests(
            "ConnectionsTests", use: "CAllocationCount", "Connections", "HostResolution", "LinuxSystem", "Netlink",
            "ReachabilityKit", "TestHosts", "TestTopology", "TestWaiting"),
        .tests(
            "NetworkTests", use: "ConnectionIdioms5", "NetworkIdioms5", "NetworkIdioms6", "HostResolution",
            "LinuxSystem", "Network", "Netlink", "ReachabilityKit", "SystemBus", "TestBus",
            "TestHosts", "TestTopology", "TestWaiting"),
        .tests(
            "DynamicStoreTests", use: "SystemConfigurationCore", "HostResolution", "LinuxSystem", "Netlink",
            "ReachabilityKit", "TestHosts", "TestTopology", "TestWaiting"),
        .tests(
            "WaitingURLSessionTests", use: "LinuxSystem", "ReachabilityKit", "TestHosts",
            "TestTopology", "WaitingURLSession", "deny-netlink", "waiting-client"),
        // Without strict memory safety: every line of these tests handles the pointers of Apple's functions.
        .tests(
            "SystemConfigurationTests", use: "CSystemConfiguration", "SystemConfigurationCore", "HostResolution",
            "LegacyIdioms5",
            "LegacyIdioms6", "LinuxSystem", "ReachabilityKit",
            "SystemConfiguration", "TestHosts",
            "TestTopology", "TestWaiting", "scutil", as: .client(.v6)),
        .tests(
            "CommandLineTests", use: "CTestTopology", "DocumentedCode", "TestBus", "TestHosts", "TestTopology",
            "TestWaiting", "Connections", "HostResolution", "LinuxSystem", "ReachabilityKit", "connection-states",
            "deny-netlink",
            "example-check",
            "example-follow", "example-port", "mark-sockets", "oracle", "reachability", "scutil"),
        .tests("FuzzTests", use: "FuzzTargets", "LinuxSystem", "TestHosts"),
    ]
)

/// The folders of `Sources`. What is on a floor uses only what is on the same floor or on those before it.
enum Floor: String {
    case core = "Core"
    case apple = "Apple"
    case bindings = "Bindings"
    case programs = "Programs"

    func path(_ name: String) -> String { "Sources/\(rawValue)/\(name)" }
}

extension Target {
    static func c(_ name: String, on floor: Floor) -> Target { .target(name: name, path: floor.path(name)) }

    static func module(
        _ name: String, on floor: Floor, uses dependencies: Dependency..., cSettings: [CSetting]? = nil
    ) -> Target {
        .target(
            name: name, dependencies: dependencies, path: floor.path(name), cSettings: cSettings, swiftSettings: .ours)
    }

    static func program(_ name: String, on floor: Floor, uses dependencies: Dependency...) -> Target {
        .executableTarget(name: name, dependencies: dependencies, path: floor.path(name), swiftSettings: .ours)
    }

    static func module(
        _ name: String, uses dependencies: Dependency..., in path: String? = nil,
        as settings: [SwiftSetting] = .ours
    ) -> Target {
        .target(name: name, dependencies: dependencies, path: path, swiftSettings: settings)
    }

    static func program(
        _ name: String, uses dependencies: Dependency..., in path: String? = nil, exclude: [String] = [],
        as settings: [SwiftSetting] = .ours
    ) -> Target {
        .executableTarget(
            name: name, dependencies: dependencies, path: path, exclude: exclude, swiftSettings: settings)
    }

    static func port(_ name: String, _ mode: SwiftLanguageMode) -> Target {
        .program(name, uses: "SystemConfiguration", in: "Tests/Fixtures/Ports/\(name)", as: .client(mode))
    }

    static func tests(
        _ name: String, use dependencies: Dependency..., as settings: [SwiftSetting] = .ours
    ) -> Target {
        .testTarget(name: name, dependencies: dependencies, swiftSettings: settings)
    }
}

extension [SwiftSetting] {
    /// The settings of this package's own code. Only `.ci/run` turns warnings into errors, so that a newer compiler with
    /// a new warning does not break the packages that depend on this one.
    static var ours: [SwiftSetting] {
        [
            .swiftLanguageMode(.v6),
            .strictMemorySafety(),
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("InternalImportsByDefault"),
            .enableUpcomingFeature("MemberImportVisibility"),
        ]
    }

    static func client(_ mode: SwiftLanguageMode) -> [SwiftSetting] { [.swiftLanguageMode(mode)] }
}
