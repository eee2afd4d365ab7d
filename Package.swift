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
        .library(name: "CNetwork", type: .dynamic, targets: ["CNetwork", "CNetworkHeaders"]),
        // No other product contains this module: some packages compile other code where `canImport(Network)` is true.
        .library(name: "Network", targets: ["Network"]),
        .library(name: "WaitingURLSession", targets: ["WaitingURLSession"]),
        .executable(name: "reachability", targets: ["reachability"]),
        .executable(name: "scutil", targets: ["scutil"]),
    ],
    targets: [
        // The system, and values.
        .target(name: "CLinux"),
        .module("LinuxLibc"),
        .module("LinuxSystem", uses: "CLinux", "LinuxLibc"),
        .module("NetworkFacts", uses: "LinuxLibc"),

        // What can be asked: the kernel, name servers, NetworkManager.
        .module("Netlink", uses: "CLinux", "LinuxSystem", "NetworkFacts"),
        .systemLibrary(name: "CAres", pkgConfig: "libcares", providers: [.apt(["libc-ares-dev"])]),
        .module("HostResolution", uses: "CAres", "CLinux", "LinuxLibc", "LinuxSystem", "NetworkFacts"),
        .module("SystemBus", uses: "LinuxSystem"),

        // The core.
        .module(
            "ReachabilityKit", uses: "HostResolution", "LinuxLibc", "LinuxSystem", "NetworkFacts", "Netlink",
            "SystemBus"),

        // Answers as JSON, for the program and for C.
        .module("JSONAnswers", uses: "HostResolution", "NetworkFacts", "ReachabilityKit"),

        // The core for programs in C.
        .target(name: "CReachabilityHeaders"),
        .module("CReachability", uses: "CReachabilityHeaders", "JSONAnswers", "LinuxLibc", "ReachabilityKit"),

        // Apple's interfaces.
        .module("SocketAddressLengths", uses: "LinuxLibc"),
        .module("LegacyReachability", uses: "LinuxLibc", "LinuxSystem", "NetworkFacts", "ReachabilityKit"),
        .module(
            "DynamicStore", uses: "HostResolution", "LegacyReachability", "LinuxLibc", "LinuxSystem", "Netlink",
            "NetworkFacts",
            "ReachabilityKit"),
        .target(name: "SystemConfigurationSubmodules"),
        .module(
            "SystemConfiguration", uses: "DynamicStore", "LegacyReachability", "LinuxLibc", "ReachabilityKit",
            "SocketAddressLengths", "SystemConfigurationSubmodules"),
        .target(name: "CSystemConfigurationHeaders"),
        .module(
            "CSystemConfiguration", uses: "CSystemConfigurationHeaders", "DynamicStore", "LegacyReachability",
            "LinuxLibc", "LinuxSystem", "ReachabilityKit",
            cSettings: [.define("SC_OPAQUE_HANDLES")]),
        .module("Connections", uses: "HostResolution", "LinuxSystem", "NetworkFacts", "Netlink", "ReachabilityKit"),
        .module(
            "Network", uses: "Connections", "HostResolution", "LinuxLibc", "LinuxSystem", "NetworkFacts",
            "ReachabilityKit",
            "SocketAddressLengths"),
        .target(name: "CNetworkHeaders"),
        .module(
            "CNetwork", uses: "CNetworkHeaders", "LinuxLibc", "LinuxSystem", "NetworkFacts", "ReachabilityKit",
            cSettings: [.define("NW_OPAQUE_HANDLES")]),

        // URLSession that waits.
        .module("WaitingURLSession", uses: "LinuxSystem", "NetworkFacts", "ReachabilityKit"),

        // Programs.
        .program(
            "reachability", uses: "Connections", "HostResolution", "JSONAnswers", "LinuxLibc", "LinuxSystem",
            "NetworkFacts",
            "ReachabilityKit"),
        .program(
            "scutil", uses: "DynamicStore", "HostResolution", "LegacyReachability", "LinuxLibc", "LinuxSystem",
            "NetworkFacts",
            "ReachabilityKit"),
        // Only Scripts/install links this, into static programs. A dynamic program has the same function in its runtime.
        .target(name: "CStaticProgram"),

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
            "LinuxSystem", "Network", "NetworkFacts", "ReachabilityKit", "TestTopology",
            in: "Tests/Benchmarks/benchmarks"),
        .program(
            "compare", uses: "CLimits", "CTestTopology", "LinuxSystem", "NetworkFacts", "ReachabilityKit",
            "TestTopology", in: "Tests/Compare/compare"),
        .program(
            "soak", uses: "CTestTopology", "HostResolution", "LinuxSystem", "NetworkFacts", "ReachabilityKit",
            "TestHosts", "TestTopology", in: "Tests/Soak/soak"),
        .program(
            "lab-rows", uses: "LinuxSystem", "Netlink", "Network", "NetworkFacts", "ReachabilityKit", "TestTopology",
            in: "Tests/Lab/lab-rows"),

        // What tests are made of: networks in namespaces, scripted name servers and buses, counters, helper programs.
        .module("TestWaiting", uses: "LinuxSystem", in: "Tests/Support/TestWaiting"),
        .target(name: "CTestTopology", path: "Tests/Support/CTestTopology"),
        .module(
            "TestTopology", uses: "CTestTopology", "CLinux", "LinuxSystem", "NetworkFacts", "Netlink",
            in: "Tests/Support/TestTopology"),
        .module(
            "TestHosts", uses: "CTestTopology", "HostResolution", "LinuxSystem", "NetworkFacts", "TestWaiting",
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
            "FuzzTargets", uses: "CReachability", "CReachabilityHeaders", "DynamicStore", "HostResolution",
            "LinuxSystem",
            "Netlink", "NetworkFacts", "ReachabilityKit", "SystemBus",
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
        .tests("TopologyTests", use: "CLimits", "TestTopology", "LinuxSystem", "NetworkFacts", "Netlink"),
        .tests("NetworkFactsTests", use: "NetworkFacts", "TestHosts"),
        .tests(
            "NetlinkTests", use: "CTestTopology", "TestTopology", "TestWaiting", "CLinux", "LinuxSystem",
            "NetworkFacts", "Netlink"),
        .tests(
            "HostResolutionTests", use: "TestHosts", "TestTopology", "TestWaiting", "HostResolution", "LinuxSystem",
            "NetworkFacts"),
        .tests("CReachabilityTests", use: "CReachability", "LinuxSystem", "TestTopology", "TestWaiting"),
        .tests("CNetworkTests", use: "CNetwork", "LinuxSystem", "NetworkFacts", "TestHosts", "TestTopology"),
        .tests("SystemBusTests", use: "LinuxSystem", "SystemBus", "TestBus", "TestHosts"),
        .tests(
            "ReachabilityKitTests", use: "CAllocationCount", "CSystemCallCount", "CTestTopology", "TestTopology",
            "TestWaiting", "LinuxSystem", "NetworkFacts", "Netlink", "ReachabilityKit", "asking"),
        .tests(
            "EngineTests", use: "CTestTopology", "TestHosts", "TestTopology", "TestWaiting", "HostResolution",
            "LinuxSystem", "NetworkFacts", "Netlink", "ReachabilityKit"),
        .tests(
            "ConnectionsTests", use: "CAllocationCount", "Connections", "HostResolution", "LinuxSystem", "Netlink",
            "NetworkFacts", "ReachabilityKit", "TestHosts", "TestTopology", "TestWaiting"),
        .tests(
            "NetworkTests", use: "ConnectionIdioms5", "NetworkIdioms5", "NetworkIdioms6", "HostResolution",
            "LinuxSystem", "Network", "NetworkFacts", "Netlink", "ReachabilityKit", "SystemBus", "TestBus",
            "TestHosts", "TestTopology", "TestWaiting"),
        .tests(
            "DynamicStoreTests", use: "DynamicStore", "HostResolution", "LegacyReachability", "LinuxSystem", "Netlink",
            "NetworkFacts", "ReachabilityKit", "TestHosts", "TestTopology", "TestWaiting"),
        .tests(
            "WaitingURLSessionTests", use: "LinuxSystem", "NetworkFacts", "ReachabilityKit", "TestHosts",
            "TestTopology", "WaitingURLSession", "deny-netlink", "waiting-client"),
        // Without strict memory safety: every line of these tests handles the pointers of Apple's functions.
        .tests(
            "SystemConfigurationTests", use: "CSystemConfiguration", "DynamicStore", "HostResolution", "LegacyIdioms5",
            "LegacyIdioms6", "LegacyReachability", "LinuxSystem", "NetworkFacts", "ReachabilityKit",
            "SystemConfiguration", "TestHosts",
            "TestTopology", "TestWaiting", "scutil", as: .client(.v6)),
        .tests(
            "CommandLineTests", use: "CTestTopology", "DocumentedCode", "TestBus", "TestHosts", "TestTopology",
            "TestWaiting", "LinuxSystem", "NetworkFacts", "ReachabilityKit", "connection-states", "deny-netlink",
            "example-check",
            "example-follow", "example-port", "mark-sockets", "reachability", "scutil"),
        .tests("FuzzTests", use: "FuzzTargets", "LinuxSystem", "TestHosts"),
    ]
)

extension Target {
    static func module(
        _ name: String, uses dependencies: Dependency..., in path: String? = nil, cSettings: [CSetting]? = nil,
        as settings: [SwiftSetting] = .ours
    ) -> Target {
        .target(name: name, dependencies: dependencies, path: path, cSettings: cSettings, swiftSettings: settings)
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
