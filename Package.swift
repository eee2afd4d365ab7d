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
    traits: [
        .default(enabledTraits: ["Names"]),
        .trait(name: "Names", description: "Asks name servers through c-ares. Without it, the C library is asked."),
    ],
    targets: [
        // Core: the kernel, name servers and NetworkManager are asked, and flags are made.
        .c("CLinux", on: .core),
        .module("LinuxSystem", on: .core, uses: "CLinux"),
        .module("Netlink", on: .core, uses: "CLinux", "LinuxSystem"),
        .systemLibrary(
            name: "CAres", path: "Sources/Core/CAres", pkgConfig: "libcares", providers: [.apt(["libc-ares-dev"])]),
        .module(
            "HostResolution", on: .core, uses: .target(name: "CAres", condition: .when(traits: ["Names"])), "CLinux",
            "LinuxSystem"),
        .module("SystemBus", on: .core, uses: "LinuxSystem"),
        .module("ReachabilityKit", on: .core, uses: "HostResolution", "LinuxSystem", "Netlink", "SystemBus"),

        // Apple: Apple's interfaces in Swift. From here on a module may use the whole core; here stands what it uses besides.
        .module("SystemConfigurationCore", on: .apple),
        .c("SystemConfigurationSubmodules", on: .apple),
        .module(
            "SystemConfiguration", on: .apple, uses: "SystemConfigurationCore", "SystemConfigurationSubmodules"),
        .module("Connections", on: .apple),
        .module("Network", on: .apple, uses: "Connections", "SystemConfigurationCore"),
        .module("WaitingURLSession", on: .apple),

        // Bindings: for programs in C. Those for Python and GLib call these, and are not built here.
        .c("CReachabilityHeaders", on: .bindings),
        .module("CReachability", on: .bindings, uses: "CReachabilityHeaders"),
        .c("CSystemConfigurationHeaders", on: .bindings),
        .module(
            "CSystemConfiguration", on: .bindings, uses: "CSystemConfigurationHeaders", "SystemConfigurationCore",
            cSettings: [.define("SC_OPAQUE_HANDLES")]),

        // Programs.
        .program("reachability", on: .programs, uses: "CLinux", "Connections"),
        .program("scutil", on: .programs, uses: "CLinux", "SystemConfigurationCore"),
        // Only Scripts/install links this, into static programs. A dynamic program has the same function in its runtime.
        .c("CStaticProgram", on: .programs),

        // Examples. The code that the documents show is compiled as a client's code is, without our settings.
        .program("example-check", in: "Examples/Check", uses: "ReachabilityKit", as: .client(.v6)),
        .program("example-follow", in: "Examples/Follow", uses: "ReachabilityKit", as: .client(.v6)),
        .program("example-port", in: "Examples/Port", uses: "SystemConfiguration", as: .client(.v6)),
        .program("run-loop-monitor", in: "Examples/RunLoop", uses: "SystemConfiguration", as: .client(.v5)),
        .program("connection-states", in: "Examples/ConnectionStates", uses: "Network", exclude: ["demo"]),
        .module(
            "DocumentedCode", in: "Examples/Documented", uses: "Network", "ReachabilityKit", "SystemConfiguration",
            "WaitingURLSession", as: .client(.v6)),

        // Measuring. The benchmarks compare with C programs that do only the unavoidable work.
        .c("CLimits", in: "Benchmarks"),
        .c("CNameLimits", in: "Benchmarks", uses: "CAres"),
        .c("CAllocations", in: "Benchmarks"),
        .tool(
            "benchmarks", in: "Benchmarks", uses: "CAllocations", "CLimits", "CNameLimits", "CReachability", "Network"),
        .tool("compare", in: "Compare", uses: "CLimits"),
        .tool("soak", in: "Soak"),
        .tool("oracle", in: "Oracle"),
        .tool("lab-rows", in: "Lab", uses: "Network"),

        // What tests are made of: networks in namespaces, scripted name servers and buses, counters, helper programs.
        .c("CTestTopology", in: "Support"),
        .c("CAllocationCount", in: "Support"),
        .c("CSystemCallCount", in: "Support"),
        .support("TestWaiting", uses: "LinuxSystem"),
        .support("TestTopology", uses: "CLinux", "CTestTopology", "LinuxSystem", "Netlink"),
        .support("TestHosts", uses: "CTestTopology", "HostResolution", "LinuxSystem", "TestWaiting"),
        .support("TestBus", uses: "LinuxSystem", "SystemBus"),
        .program("asking", in: "Tests/Support/Asking", uses: "LinuxSystem", "ReachabilityKit", "TestTopology"),
        .program("waiting-client", in: "Tests/Support/WaitingClient", uses: "WaitingURLSession", as: .client(.v6)),
        .program("undocumented", in: "Tests/Support/Undocumented"),
        .executableTarget(name: "deny-netlink", path: "Tests/Support/DenyNetlink"),
        .executableTarget(name: "mark-sockets", path: "Tests/Support/MarkSockets"),
        .module(
            "FuzzTargets", in: "Tests/Fuzz/FuzzTargets", uses: "CReachability", "CReachabilityHeaders",
            "HostResolution",
            "LinuxSystem", "Netlink", "ReachabilityKit", "SystemBus", "SystemConfigurationCore"),

        // Client code that the tests run. The folders for Swift 5 and Swift 6 contain the same files where they can.
        .fixture("LegacyIdioms5", .v5, uses: "SystemConfiguration"),
        .fixture("LegacyIdioms6", .v6, uses: "SystemConfiguration"),
        .fixture("NetworkIdioms5", .v5, uses: "Network", "ReachabilityKit"),
        .fixture("NetworkIdioms6", .v6, uses: "Network", "ReachabilityKit"),
        .fixture("ConnectionIdioms5", .v5, uses: "Network"),

        // Tests. Each may use the core and what tests are made of; here stands what it uses besides.
        .tests("TopologyTests", "CLimits"),
        .tests("ValueTests"),
        .tests("NetlinkTests", "CLinux"),
        .tests("HostResolutionTests"),
        .tests("SystemBusTests"),
        .tests("ReachabilityKitTests", "CAllocationCount", "CSystemCallCount", "asking"),
        .tests("EngineTests"),
        .tests("CReachabilityTests", "CReachability"),
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
    ]
        // Programs by an author who knew Apple's documentation and had not seen this package.
        + [
            "Captive5", "HostNames5", "HostNames6", "Interfaces5", "PrimaryInterface5", "PrimaryInterface6",
            "ProxyReader5",
            "ProxyReader6", "VPNWatcher5", "VPNWatcher6",
        ].map(Target.port)
)

/// The folders of `Sources`. What is on a floor uses only what is on the same floor or on those before it.
enum Floor: String {
    case core = "Core"
    case apple = "Apple"
    case bindings = "Bindings"
    case programs = "Programs"

    func path(_ name: String) -> String { "Sources/\(rawValue)/\(name)" }

    var below: [Target.Dependency] { self == .core ? [] : Target.core }
}

extension Target {
    static func c(_ name: String, on floor: Floor) -> Target { .target(name: name, path: floor.path(name)) }

    /// C for tests, in a folder of `Tests`.
    static func c(_ name: String, in folder: String, uses dependencies: Dependency...) -> Target {
        .target(name: name, dependencies: dependencies, path: "Tests/\(folder)/\(name)")
    }

    static func module(
        _ name: String, on floor: Floor, uses others: Dependency..., cSettings: [CSetting]? = nil
    ) -> Target {
        .target(
            name: name, dependencies: floor.below + others, path: floor.path(name), cSettings: cSettings,
            swiftSettings: .ours)
    }

    static func program(_ name: String, on floor: Floor, uses others: Dependency...) -> Target {
        .executableTarget(
            name: name, dependencies: floor.below + others, path: floor.path(name), swiftSettings: .ours)
    }

    static func module(
        _ name: String, in path: String, uses dependencies: Dependency..., as settings: [SwiftSetting] = .ours
    ) -> Target {
        .target(name: name, dependencies: dependencies, path: path, swiftSettings: settings)
    }

    static func program(
        _ name: String, in path: String, uses dependencies: Dependency..., exclude: [String] = [],
        as settings: [SwiftSetting] = .ours
    ) -> Target {
        .executableTarget(
            name: name, dependencies: dependencies, path: path, exclude: exclude, swiftSettings: settings)
    }

    static func support(_ name: String, uses dependencies: Dependency...) -> Target {
        .target(name: name, dependencies: dependencies, path: "Tests/Support/\(name)", swiftSettings: .ours)
    }

    /// A program of ours that asks and watches in test networks.
    static func tool(_ name: String, in folder: String, uses others: Dependency...) -> Target {
        .executableTarget(
            name: name, dependencies: core + support + others, path: "Tests/\(folder)/\(name)", swiftSettings: .ours)
    }

    static func fixture(_ name: String, _ mode: SwiftLanguageMode, uses dependencies: Dependency...) -> Target {
        .target(
            name: name, dependencies: dependencies, path: "Tests/Fixtures/\(name)", swiftSettings: .client(mode))
    }

    /// - Parameter name: ends with the version of Swift.
    static func port(_ name: String) -> Target {
        .program(
            name, in: "Tests/Fixtures/Ports/\(name)", uses: "SystemConfiguration",
            as: .client(name.hasSuffix("5") ? .v5 : .v6))
    }

    static func tests(_ name: String, _ others: Dependency..., as settings: [SwiftSetting] = .ours) -> Target {
        .testTarget(name: name, dependencies: core + support + others, swiftSettings: settings)
    }

    static var core: [Dependency] { ["HostResolution", "LinuxSystem", "Netlink", "ReachabilityKit", "SystemBus"] }
    static var support: [Dependency] { ["CTestTopology", "TestBus", "TestHosts", "TestTopology", "TestWaiting"] }
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
