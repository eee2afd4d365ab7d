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
        // Apple's path monitor for libraries: it needs no c-ares, and contains neither Network nor SystemConfiguration.
        .library(name: "NetworkPathMonitor", targets: ["NetworkPathMonitor"]),
        // No other product contains this module: some packages compile other code where `canImport(Network)` is true.
        .library(name: "Network", targets: ["Network"]),
        .library(name: "WaitingURLSession", targets: ["WaitingURLSession"]),
        .executable(name: "reachability", targets: ["reachability"]),
        .executable(name: "scutil", targets: ["scutil"]),
    ],
    targets: [
        // Core: the kernel, name servers and NetworkManager are asked, and flags are made.
        .c("CLinux", at: "Sources/Core/CLinux"),
        .module("LinuxSystem", at: "Sources/Core/LinuxSystem", uses: "CLinux"),
        .module("Netlink", at: "Sources/Core/Netlink", uses: "CLinux", "LinuxSystem"),
        .systemLibrary(
            name: "CAres", path: "Sources/Core/CAres", pkgConfig: "libcares", providers: [.apt(["libc-ares-dev"])]),
        .module("SystemBus", at: "Sources/Core/SystemBus", uses: "LinuxSystem"),
        .module("ResolverFiles", at: "Sources/Core/ResolverFiles", uses: "LinuxSystem"),
        .module(
            "Routes", at: "Sources/Core/Routes", uses: "LinuxSystem", "Netlink", "ResolverFiles", "SystemBus"),
        .module(
            "HostResolution", at: "Sources/Core/HostResolution",
            uses: "CAres", "CLinux", "LinuxSystem", "ResolverFiles"),
        .module(
            "ReachabilityKit", at: "Sources/Core/ReachabilityKit", uses: "HostResolution", "LinuxSystem", "Netlink",
            "ResolverFiles", "Routes"),

        // Apple: Apple's interfaces in Swift. From here on a module may use the whole core; here stands what it uses besides.
        .module("SharedDeclarations", at: "Sources/Apple/SharedDeclarations"),
        .module("SystemConfigurationCore", at: "Sources/Apple/SystemConfigurationCore"),
        .c("SystemConfigurationSubmodules", at: "Sources/Apple/SystemConfigurationSubmodules"),
        .module(
            "SystemConfiguration", at: "Sources/Apple/SystemConfiguration", uses: "SharedDeclarations",
            "SystemConfigurationCore", "SystemConfigurationSubmodules"),
        .target(
            name: "NetworkPathMonitor", dependencies: ["LinuxSystem", "Netlink", "Routes"],
            path: "Sources/Apple/NetworkPathMonitor", swiftSettings: .ours),
        .module("Connections", at: "Sources/Apple/Connections"),
        .module(
            "Network", at: "Sources/Apple/Network", uses: "Connections", "NetworkPathMonitor", "SharedDeclarations"),
        .module("WaitingURLSession", at: "Sources/Apple/WaitingURLSession"),

        // Bindings: for programs in C. Those for Python and GLib call these, and are not built here.
        .c("CReachabilityHeaders", at: "Sources/Bindings/CReachabilityHeaders"),
        .module("CReachability", at: "Sources/Bindings/CReachability", uses: "CReachabilityHeaders"),
        .c("CSystemConfigurationHeaders", at: "Sources/Bindings/CSystemConfigurationHeaders"),
        .module(
            "CSystemConfiguration", at: "Sources/Bindings/CSystemConfiguration", uses: "CSystemConfigurationHeaders",
            "SystemConfigurationCore", cSettings: [.define("SC_OPAQUE_HANDLES")]),

        // Programs. CStaticProgram is linked into static programs only, by Scripts/install.
        .program("reachability", at: "Sources/Programs/reachability", uses: "CLinux", "Connections"),
        .program("scutil", at: "Sources/Programs/scutil", uses: "SystemConfigurationCore"),
        .c("CStaticProgram", at: "Sources/Programs/CStaticProgram"),

        // Examples. The code that the documents show is compiled as a client's code is, without our settings.
        .program("example-check", at: "Examples/Check", uses: "ReachabilityKit", as: .client(.v6)),
        .program("example-follow", at: "Examples/Follow", uses: "ReachabilityKit", as: .client(.v6)),
        .program("example-port", at: "Examples/Port", uses: "SystemConfiguration", as: .client(.v6)),
        .program("run-loop-monitor", at: "Examples/RunLoop", uses: "SystemConfiguration", as: .client(.v5)),
        .program("connection-states", at: "Examples/ConnectionStates", uses: "Network", exclude: ["demo"]),
        .module(
            "DocumentedCode", at: "Examples/Documented", uses: "Network", "ReachabilityKit", "SystemConfiguration",
            "WaitingURLSession", as: .client(.v6)),

        // Measuring. The benchmarks compare with C programs that do only the unavoidable work.
        .c("CLimits", at: "Tests/Benchmarks/CLimits"),
        .c("CNameLimits", at: "Tests/Benchmarks/CNameLimits", uses: "CAres"),
        .c("CAllocations", at: "Tests/Benchmarks/CAllocations"),
        .program(
            "benchmarks", at: "Tests/Benchmarks/benchmarks", uses: "CAllocations", "CLimits", "CNameLimits",
            "CReachability", "Network"),
        .program("compare", at: "Tests/Compare/compare", uses: "CLimits", "TestScenes"),
        .program("soak", at: "Tests/Soak/soak", uses: "Network", "SystemConfiguration"),
        .program("oracle", at: "Tests/Oracle/oracle"),
        .program("lab-rows", at: "Tests/Lab/lab-rows", uses: "Network"),
        .program(
            "sweep", at: "Tests/Sweep/sweep", uses: "CSystemCallFaults", "Connections",
            "NetworkPathMonitor", "SystemConfigurationCore"),

        // What tests are made of: networks in namespaces, scripted name servers and buses, counters, helper programs.
        .c("CTestTopology", at: "Tests/Support/CTestTopology"),
        .c("CTestSandbox", at: "Tests/Support/CTestSandbox"),
        .c("CAllocationCount", at: "Tests/Support/CAllocationCount"),
        .c("CSystemCallCount", at: "Tests/Support/CSystemCallCount"),
        .c("CSystemCallFaults", at: "Tests/Support/CSystemCallFaults"),
        .module("TestWaiting", at: "Tests/Support/TestWaiting", uses: "LinuxSystem"),
        .module(
            "TestTopology", at: "Tests/Support/TestTopology", uses: "CLinux", "CTestTopology", "LinuxSystem", "Netlink"),
        .module(
            "TestHosts", at: "Tests/Support/TestHosts", uses: "CTestTopology", "HostResolution", "LinuxSystem",
            "ResolverFiles", "TestWaiting"),
        .module(
            "TestScenes", at: "Tests/Support/TestScenes", uses: "CTestTopology", "LinuxSystem", "Netlink",
            "TestTopology"),
        .module("TestBus", at: "Tests/Support/TestBus", uses: "LinuxSystem", "SystemBus"),
        .program(
            "asking", at: "Tests/Support/Asking", uses: "LinuxSystem", "ReachabilityKit", "TestTopology", "TestWaiting"),
        .program("waiting-client", at: "Tests/Support/WaitingClient", uses: "WaitingURLSession", as: .client(.v6)),
        .program("undocumented", at: "Tests/Support/Undocumented"),
        .program("scene-kit", at: "Tests/Scenes/drivers/kit", uses: "ReachabilityKit", as: .client(.v6)),
        .program(
            "scene-network", at: "Tests/Scenes/drivers/network", uses: "Network", "ReachabilityKit", as: .client(.v6)),
        .program(
            "scene-systemconfiguration", at: "Tests/Scenes/drivers/systemconfiguration", uses: "SystemConfiguration",
            as: .client(.v6)),
        .executableTarget(
            name: "scene-c", dependencies: ["CReachability", "CReachabilityHeaders"], path: "Tests/Scenes/drivers/c"),
        .executableTarget(
            name: "scene-systemconfiguration-c", dependencies: ["CSystemConfiguration", "CSystemConfigurationHeaders"],
            path: "Tests/Scenes/drivers/systemconfiguration-c"),
        .executableTarget(name: "deny-netlink", path: "Tests/Support/DenyNetlink"),
        .executableTarget(name: "mark-sockets", path: "Tests/Support/MarkSockets"),
        .module(
            "FuzzTargets", at: "Tests/Fuzz/FuzzTargets", uses: "CReachability", "CReachabilityHeaders",
            "HostResolution", "LinuxSystem", "Netlink", "ReachabilityKit", "ResolverFiles", "Routes", "SystemBus",
            "SystemConfigurationCore"),

        // Client code that the tests run. The folders for Swift 5 and Swift 6 contain the same files where they can.
        .module("LegacyIdioms5", at: "Tests/Fixtures/LegacyIdioms5", uses: "SystemConfiguration", as: .client(.v5)),
        .module("LegacyIdioms6", at: "Tests/Fixtures/LegacyIdioms6", uses: "SystemConfiguration", as: .client(.v6)),
        .module(
            "NetworkIdioms5", at: "Tests/Fixtures/NetworkIdioms5", uses: "Network", "ReachabilityKit", as: .client(.v5)),
        .module(
            "NetworkIdioms6", at: "Tests/Fixtures/NetworkIdioms6", uses: "Network", "ReachabilityKit", as: .client(.v6)),
        .module("ConnectionIdioms5", at: "Tests/Fixtures/ConnectionIdioms5", uses: "Network", as: .client(.v5)),

        // Tests. Each may use the core and what tests are made of; here stands what it uses besides.
        .tests("TopologyTests", "CLimits"),
        .tests("ValueTests"),
        .tests("NetlinkTests"),
        .tests("HostResolutionTests"),
        .tests("SystemBusTests"),
        .tests("ReachabilityKitTests", "CAllocationCount", "CSystemCallCount", "asking", "sweep"),
        .tests("EngineTests"),
        .tests("CReachabilityTests", "CReachability", "CReachabilityHeaders"),
        .tests("ConnectionsTests", "CAllocationCount", "Connections"),
        .tests("NetworkTests", "ConnectionIdioms5", "Network", "NetworkIdioms5", "NetworkIdioms6"),
        .tests("DynamicStoreTests", "SystemConfigurationCore"),
        .tests("WaitingURLSessionTests", "WaitingURLSession", "deny-netlink", "waiting-client"),
        // Without strict memory safety: every line of these tests handles the pointers of Apple's functions.
        .tests(
            "SystemConfigurationTests", "CSystemConfiguration", "LegacyIdioms5", "LegacyIdioms6", "SystemConfiguration",
            "SystemConfigurationCore", "scutil", as: .client(.v6)),
        .tests(
            "CommandLineTests", "Connections", "DocumentedCode", "connection-states", "deny-netlink", "example-check",
            "example-follow", "example-port", "mark-sockets", "oracle", "reachability", "scutil"),
        .tests("FuzzTests", "FuzzTargets"),
        .tests(
            "SceneTests", "TestScenes", "deny-netlink", "reachability", "scene-c", "scene-kit", "scene-network",
            "scene-systemconfiguration", "scene-systemconfiguration-c"),
    ]
        // Programs by an author who knew Apple's documentation and had not seen this package.
        + [
            "Captive5", "HostNames5", "HostNames6", "Interfaces5", "PrimaryInterface5", "PrimaryInterface6",
            "ProxyReader5", "ProxyReader6", "VPNWatcher5", "VPNWatcher6",
        ].map {
            .program(
                $0, at: "Tests/Fixtures/Ports/\($0)", uses: "SystemConfiguration",
                as: .client($0.hasSuffix("5") ? .v5 : .v6))
        }
)

extension Target {
    static func c(_ name: String, at path: String, uses dependencies: Dependency...) -> Target {
        .target(name: name, dependencies: dependencies, path: path)
    }

    static func module(
        _ name: String, at path: String, uses others: Dependency..., cSettings: [CSetting]? = nil,
        as settings: [SwiftSetting] = .ours
    ) -> Target {
        .target(
            name: name, dependencies: shared(at: path) + others, path: path, cSettings: cSettings,
            swiftSettings: settings)
    }

    static func program(
        _ name: String, at path: String, uses others: Dependency..., exclude: [String] = [],
        as settings: [SwiftSetting] = .ours
    ) -> Target {
        .executableTarget(
            name: name, dependencies: shared(at: path) + others, path: path, exclude: exclude, swiftSettings: settings)
    }

    static func tests(_ name: String, _ others: Dependency..., as settings: [SwiftSetting] = .ours) -> Target {
        .testTarget(name: name, dependencies: core + support + ["CTestSandbox"] + others, swiftSettings: settings)
    }

    /// What all targets in a folder use. The folders of `Sources` are floors: what is on one uses only what is on the same
    /// floor or on those before it. Programs that measure use what tests use.
    static func shared(at path: String) -> [Dependency] {
        switch path.split(separator: "/").prefix(2) {
        case ["Sources", "Apple"], ["Sources", "Bindings"], ["Sources", "Programs"]: core
        case ["Tests", "Benchmarks"], ["Tests", "Compare"], ["Tests", "Soak"], ["Tests", "Oracle"], ["Tests", "Lab"],
            ["Tests", "Sweep"]:
            core + support
        default: []
        }
    }

    static var core: [Dependency] {
        ["HostResolution", "LinuxSystem", "Netlink", "ReachabilityKit", "ResolverFiles", "Routes", "SystemBus"]
    }
    static var support: [Dependency] { ["CTestTopology", "TestBus", "TestHosts", "TestTopology", "TestWaiting"] }
}

extension [SwiftSetting] {
    /// The settings of this package's own code. Only `.ci/run` turns warnings into errors, so that a newer compiler with
    /// a new warning does not break the packages that depend on this one.
    static var ours: [SwiftSetting] {
        [
            .swiftLanguageMode(.v6), .strictMemorySafety(), .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("InternalImportsByDefault"), .enableUpcomingFeature("MemberImportVisibility"),
        ]
    }

    static func client(_ mode: SwiftLanguageMode) -> [SwiftSetting] { [.swiftLanguageMode(mode)] }
}
