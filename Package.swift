// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let package = Package(
    name: "swift-network-reachability",
    products: [
        // What asks and tells, and Apple's interfaces over it.
        .library(name: "ReachabilityKit", targets: ["ReachabilityKit"]),
        .library(name: "SystemConfiguration", targets: ["SystemConfiguration"]),
        // Apple's path monitor for libraries: it needs no c-ares, and contains neither Network nor SystemConfiguration.
        .library(name: "NetworkPathMonitor", targets: ["NetworkPathMonitor"]),
        // No other product contains this module: some packages compile other code where `canImport(Network)` is true.
        .library(name: "Network", targets: ["Network"]),
        .library(name: "WaitingURLSession", targets: ["WaitingURLSession"]),
        // Bindings.
        .library(name: "CReachability", type: .dynamic, targets: ["CReachability", "CReachabilityHeaders"]),
        .library(
            name: "CSystemConfiguration", type: .dynamic,
            targets: ["CSystemConfiguration", "CSystemConfigurationHeaders"]),
        // For tests.
        .library(name: "NetworkTesting", targets: ["NetworkTesting"]),
        // Programs.
        .executable(name: "reachability", targets: ["reachability"]),
        .executable(name: "scutil", targets: ["scutil"]),
    ],
    // A program that asks about addresses only builds without c-ares if it names this package with `traits: []`.
    traits: [
        .trait(
            name: "Names", description: "Name servers are asked, by c-ares. Without it, files and modules name hosts."),
        .default(enabledTraits: ["Names"]),
    ],
    // The floors of `Sources`, lower ones first, then what measures and tests them. A target uses what is on its own floor and
    // on those before it. Docs/Architecture.md says what each one knows.
    targets: [
        Target.core, Target.kit, Target.apple, Target.bindings, Target.programs, Target.networkTesting, Target.examples,
        Target.support, Target.measuring, Target.clients, Target.tests,
    ].flatMap(\.self)
)

// SwiftPM refuses a package that has a target of the same name as one that a dependency's products need, even if it uses none of
// these products. So a target of `Sources` that is not itself a product has the name of its folder with `Reachability` before it,
// or with `CReachability` in place of the C.

extension Target {
    /// The kernel, name servers and NetworkManager are asked, flags are made, and changes are told.
    static var core: [Target] {
        [
            .c("CReachabilityLinux", at: "Sources/Core/CLinux"),
            .module("ReachabilityLinuxSystem", at: "Sources/Core/LinuxSystem", uses: ["CReachabilityLinux"]),
            .module(
                "ReachabilityNetlink", at: "Sources/Core/Netlink",
                uses: ["CReachabilityLinux", "ReachabilityLinuxSystem"]),
            .systemLibrary(
                name: "CReachabilityAres", path: "Sources/Core/CAres", pkgConfig: "libcares",
                providers: [.apt(["libc-ares-dev"]), .yum(["c-ares-devel"])]),
            .module("ReachabilitySystemBus", at: "Sources/Core/SystemBus", uses: ["ReachabilityLinuxSystem"]),
            .module("ReachabilityResolverFiles", at: "Sources/Core/ResolverFiles", uses: ["ReachabilityLinuxSystem"]),
            .module(
                "ReachabilityRoutes", at: "Sources/Core/Routes",
                uses: [
                    "ReachabilityLinuxSystem", "ReachabilityNetlink", "ReachabilityResolverFiles",
                    "ReachabilitySystemBus",
                ]),
            .module(
                "ReachabilityHostResolution", at: "Sources/Core/HostResolution",
                uses: [
                    .target(name: "CReachabilityAres", condition: .when(traits: ["Names"])), "CReachabilityLinux",
                    "ReachabilityLinuxSystem", "ReachabilityResolverFiles",
                ]),
            .module("ReachabilityReferences", at: "Sources/Core/References", uses: belowReferences),
        ]
    }

    /// What adds to an answer: its explanation, the fate of a socket, the gate for requests.
    static var kit: [Target] {
        [.module("ReachabilityKit", at: "Sources/Kit/ReachabilityKit", uses: wholeCore)]
    }

    /// Apple's interfaces in Swift.
    static var apple: [Target] {
        [
            .module("ReachabilitySharedDeclarations", at: "Sources/Apple/SharedDeclarations", uses: wholeCore),
            .module(
                "ReachabilityProxies", at: "Sources/Apple/Proxies",
                uses: ["ReachabilityLinuxSystem", "ReachabilityResolverFiles"]),
            .module(
                "SystemConfigurationCore", at: "Sources/Apple/SystemConfigurationCore",
                uses: wholeCore + ["ReachabilityProxies"]),
            .c("SystemConfigurationSubmodules", at: "Sources/Apple/SystemConfigurationSubmodules"),
            .module(
                "SystemConfiguration", at: "Sources/Apple/SystemConfiguration",
                uses: wholeCore + [
                    "ReachabilitySharedDeclarations", "SystemConfigurationCore", "SystemConfigurationSubmodules",
                ]),
            .module(
                "NetworkPathMonitor", at: "Sources/Apple/NetworkPathMonitor",
                uses: ["ReachabilityLinuxSystem", "ReachabilityNetlink", "ReachabilityRoutes"]),
            .module("ReachabilityConnections", at: "Sources/Apple/Connections", uses: wholeCore + ["ReachabilityKit"]),
            .module(
                "Network", at: "Sources/Apple/Network",
                uses: wholeCore + ["NetworkPathMonitor", "ReachabilityConnections", "ReachabilitySharedDeclarations"]),
            .module(
                "WaitingURLSession", at: "Sources/Apple/WaitingURLSession",
                uses: wholeCore + ["ReachabilityKit", "ReachabilityProxies"]),
        ]
    }

    /// For programs in C. The bindings for Python and GLib call these, and are not built here.
    static var bindings: [Target] {
        [
            .c("CReachabilityHeaders", at: "Sources/Bindings/CReachabilityHeaders"),
            .module(
                "CReachability", at: "Sources/Bindings/CReachability",
                uses: wholeCore + ["CReachabilityHeaders", "ReachabilityKit"]),
            .c("CSystemConfigurationHeaders", at: "Sources/Bindings/CSystemConfigurationHeaders"),
            .module(
                "CSystemConfiguration", at: "Sources/Bindings/CSystemConfiguration",
                uses: wholeCore + ["CSystemConfigurationHeaders", "SystemConfigurationCore"],
                cSettings: [.define("SC_OPAQUE_HANDLES")]),
        ]
    }

    /// CStaticProgram is linked into static programs only, by Scripts/install.
    static var programs: [Target] {
        [
            .module(
                "ReachabilityCommandLine", at: "Sources/Programs/CommandLine",
                uses: ["CReachabilityLinux", "ReachabilityLinuxSystem"]),
            .program(
                "reachability", at: "Sources/Programs/reachability",
                uses: wholeCore + [
                    "CReachabilityLinux", "ReachabilityCommandLine", "ReachabilityConnections", "ReachabilityKit",
                ]),
            .program(
                "scutil", at: "Sources/Programs/scutil",
                uses: wholeCore + ["ReachabilityCommandLine", "ReachabilityKit", "SystemConfigurationCore"]),
            .c("CStaticProgram", at: "Sources/Programs/CStaticProgram"),
        ]
    }

    /// Networks for tests. Nothing else in `Sources` uses them.
    static var networkTesting: [Target] {
        [
            .c("CReachabilityTesting", at: "Sources/Testing/CTesting"),
            .module(
                "ReachabilityTestMachines", at: "Sources/Testing/Machines",
                uses: wholeCore + ["CReachabilityLinux", "CReachabilityTesting", "ReachabilityKit"]),
            .module(
                "NetworkTesting", at: "Sources/Testing/NetworkTesting",
                uses: ["CReachabilityTesting"]
                    + ["ReachabilityLinuxSystem", "ReachabilityTestMachines"].map {
                        .target(name: $0, condition: .when(platforms: [.linux]))
                    }),
        ]
    }

    /// The code that the documents show is compiled as a client's code is, without our settings.
    static var examples: [Target] {
        [
            .program("example-check", at: "Examples/Check", uses: ["ReachabilityKit"], as: .client(.v6)),
            .program("example-follow", at: "Examples/Follow", uses: ["ReachabilityKit"], as: .client(.v6)),
            .program("example-port", at: "Examples/Port", uses: ["SystemConfiguration"], as: .client(.v6)),
            .program("run-loop-monitor", at: "Examples/RunLoop", uses: ["SystemConfiguration"], as: .client(.v5)),
            .program("connection-states", at: "Examples/ConnectionStates", uses: ["Network"], exclude: ["demo"]),
            .module(
                "DocumentedCode", at: "Examples/Documented",
                uses: ["Network", "ReachabilityKit", "SystemConfiguration", "WaitingURLSession"], as: .client(.v6)),
            .module("OfflineClient", at: "Examples/Offline/Client", uses: ["ReachabilityKit"], as: .client(.v6)),
            .testTarget(
                name: "OfflineTests", dependencies: ["NetworkPathMonitor", "NetworkTesting", "OfflineClient"],
                path: "Examples/Offline/OfflineTests", swiftSettings: .client(.v6)),
        ]
    }

    /// What tests are made of: networks in namespaces, scripted name servers and buses, counters, helper programs.
    static var support: [Target] {
        [
            .c("CTestTopology", at: "Tests/Support/CTestTopology", uses: ["CReachabilityTesting"]),
            .c("CTestSandbox", at: "Tests/Support/CTestSandbox"),
            .c("CAllocationCount", at: "Tests/Support/CAllocationCount"),
            .c("CSystemCallCount", at: "Tests/Support/CSystemCallCount"),
            .c("CSystemCallFaults", at: "Tests/Support/CSystemCallFaults"),
            .module("TestWaiting", at: "Tests/Support/TestWaiting", uses: ["ReachabilityLinuxSystem"]),
            .module(
                "TestHosts", at: "Tests/Support/TestHosts",
                uses: [
                    "CTestTopology", "ReachabilityHostResolution", "ReachabilityLinuxSystem", "ReachabilityNetlink",
                    "ReachabilityResolverFiles", "ReachabilityRoutes", "ReachabilityTestMachines", "TestWaiting",
                ]),
            .module(
                "TestTopology", at: "Tests/Support/TestTopology",
                uses: [
                    "CReachabilityLinux", "CTestTopology", "ReachabilityLinuxSystem", "ReachabilityNetlink",
                    "ReachabilityTestMachines", "TestHosts", "TestWaiting",
                ]),
            .module(
                "TestScenes", at: "Tests/Support/TestScenes",
                uses: ["CTestTopology", "ReachabilityLinuxSystem", "ReachabilityNetlink", "TestTopology"]),
            .module(
                "TestBus", at: "Tests/Support/TestBus", uses: ["ReachabilityLinuxSystem", "ReachabilitySystemBus"]),
            .program(
                "asking", at: "Tests/Support/Asking",
                uses: ["ReachabilityKit", "ReachabilityLinuxSystem", "TestTopology", "TestWaiting"]),
            .program(
                "waiting-client", at: "Tests/Support/WaitingClient", uses: ["WaitingURLSession"], as: .client(.v6)),
            .c("deny-netlink", at: "Tests/Support/DenyNetlink", isProgram: true),
            .c("mark-sockets", at: "Tests/Support/MarkSockets", isProgram: true),
            .program("scene-kit", at: "Tests/Scenes/drivers/kit", uses: ["ReachabilityKit"], as: .client(.v6)),
            .program(
                "scene-network", at: "Tests/Scenes/drivers/network", uses: ["Network", "ReachabilityKit"],
                as: .client(.v6)),
            .program(
                "scene-systemconfiguration", at: "Tests/Scenes/drivers/systemconfiguration",
                uses: ["SystemConfiguration"], as: .client(.v6)),
            .c(
                "scene-c", at: "Tests/Scenes/drivers/c", uses: ["CReachability", "CReachabilityHeaders"],
                isProgram: true),
            .c(
                "scene-systemconfiguration-c", at: "Tests/Scenes/drivers/systemconfiguration-c",
                uses: ["CSystemConfiguration", "CSystemConfigurationHeaders"], isProgram: true),
            .module(
                "FuzzTargets", at: "Tests/Fuzz/FuzzTargets",
                uses: wholeCore + [
                    "CReachability", "CReachabilityHeaders", "ReachabilityKit", "ReachabilityProxies",
                    "SystemConfigurationCore",
                ]),
        ]
    }

    /// Programs that measure, or look for errors for longer than a test does. The benchmarks compare with C programs that do only
    /// the unavoidable work.
    static var measuring: [Target] {
        [
            .c("CLimits", at: "Tests/Benchmarks/CLimits"),
            .c("CNameLimits", at: "Tests/Benchmarks/CNameLimits", uses: ["CReachabilityAres"]),
            .c("CAllocations", at: "Tests/Benchmarks/CAllocations"),
            .program(
                "benchmarks", at: "Tests/Benchmarks/benchmarks",
                uses: testing + ["CAllocations", "CLimits", "CNameLimits", "CReachability", "Network"]),
            .program("compare", at: "Tests/Compare/compare", uses: testing + ["CLimits", "TestScenes"]),
            .program("soak", at: "Tests/Soak/soak", uses: testing + ["Network", "SystemConfiguration"]),
            .program("oracle", at: "Tests/Oracle/oracle", uses: testing),
            .program("lab-rows", at: "Tests/Lab/lab-rows", uses: testing + ["Network", "SystemConfigurationCore"]),
            .program(
                "sweep", at: "Tests/Sweep/sweep",
                uses: testing + [
                    "CSystemCallFaults", "NetworkPathMonitor", "ReachabilityConnections", "SystemConfigurationCore",
                ]),
        ]
    }

    /// Client code that the tests run. The folders for Swift 5 and Swift 6 contain the same files where they can. The ports are by an
    /// author who knew Apple's documentation and had not seen this package.
    static var clients: [Target] {
        [
            .module(
                "LegacyIdioms5", at: "Tests/Fixtures/LegacyIdioms5", uses: ["SystemConfiguration"], as: .client(.v5)),
            .module(
                "LegacyIdioms6", at: "Tests/Fixtures/LegacyIdioms6", uses: ["SystemConfiguration"], as: .client(.v6)),
            .module(
                "NetworkIdioms5", at: "Tests/Fixtures/NetworkIdioms5", uses: ["Network", "ReachabilityKit"],
                as: .client(.v5)),
            .module(
                "NetworkIdioms6", at: "Tests/Fixtures/NetworkIdioms6", uses: ["Network", "ReachabilityKit"],
                as: .client(.v6)),
            .module("ConnectionIdioms5", at: "Tests/Fixtures/ConnectionIdioms5", uses: ["Network"], as: .client(.v5)),
        ]
            + [
                "Captive5", "HostNames5", "HostNames6", "Interfaces5", "PrimaryInterface5", "PrimaryInterface6",
                "ProxyReader5", "ProxyReader6", "VPNWatcher5", "VPNWatcher6",
            ].map {
                .program(
                    $0, at: "Tests/Fixtures/Ports/\($0)", uses: ["SystemConfiguration"],
                    as: .client($0.hasSuffix("5") ? .v5 : .v6))
            }
    }

    static var tests: [Target] {
        [
            .tests("TopologyTests", "CLimits"),
            .tests("ValueTests"),
            .tests("NetlinkTests"),
            .tests("HostResolutionTests"),
            .tests("SystemBusTests"),
            // They run the program `sweep`, too. As a dependency it would be linked into all tests, with its own functions in the
            // place of the C library's.
            .tests("ReachabilityKitTests", "CAllocationCount", "CSystemCallCount", "asking"),
            .tests("EngineTests"),
            .tests("CReachabilityTests", "CReachability", "CReachabilityHeaders"),
            .tests("ConnectionsTests", "CAllocationCount", "ReachabilityConnections"),
            .tests("NetworkTests", "ConnectionIdioms5", "Network", "NetworkIdioms5", "NetworkIdioms6"),
            .tests("DynamicStoreTests", "ReachabilityProxies", "SystemConfigurationCore"),
            .tests(
                "WaitingURLSessionTests", "ReachabilityProxies", "WaitingURLSession", "deny-netlink", "waiting-client"),
            // Without strict memory safety: every line of these tests handles the pointers of Apple's functions.
            .tests(
                "SystemConfigurationTests", "CSystemConfiguration", "LegacyIdioms5", "LegacyIdioms6",
                "SystemConfiguration", "SystemConfigurationCore", "scutil", as: .client(.v6)),
            .tests(
                "CommandLineTests", "DocumentedCode", "ReachabilityConnections", "connection-states", "deny-netlink",
                "example-check", "example-follow", "example-port", "mark-sockets", "oracle", "reachability", "scutil"),
            .tests("SubscriptionTests", "Network", "SystemConfiguration"),
            .tests("FuzzTests", "FuzzTargets"),
            .tests("NetworkTestingTests", "NetworkTesting"),
            .tests(
                "SceneTests", "TestScenes", "deny-netlink", "reachability", "scene-c", "scene-kit", "scene-network",
                "scene-systemconfiguration", "scene-systemconfiguration-c"),
        ]
    }
}

extension Target {
    static var belowReferences: [Dependency] {
        [
            "ReachabilityHostResolution", "ReachabilityLinuxSystem", "ReachabilityNetlink", "ReachabilityResolverFiles",
            "ReachabilityRoutes", "ReachabilitySystemBus",
        ]
    }
    static var wholeCore: [Dependency] { belowReferences + ["ReachabilityReferences"] }
    /// What a target that tests or measures uses in any case.
    static var testing: [Dependency] {
        wholeCore + [
            "CReachabilityTesting", "CTestTopology", "ReachabilityKit", "ReachabilityTestMachines", "TestBus",
            "TestHosts",
            "TestTopology", "TestWaiting",
        ]
    }

    static func c(_ name: String, at path: String, uses others: [Dependency] = [], isProgram: Bool = false) -> Target {
        isProgram
            ? .executableTarget(name: name, dependencies: others, path: path)
            : .target(name: name, dependencies: others, path: path)
    }

    static func module(
        _ name: String, at path: String, uses others: [Dependency] = [], cSettings: [CSetting] = [],
        as settings: [SwiftSetting] = .ours
    ) -> Target {
        .target(name: name, dependencies: others, path: path, cSettings: cSettings, swiftSettings: settings)
    }

    static func program(
        _ name: String, at path: String, uses others: [Dependency], exclude: [String] = [],
        as settings: [SwiftSetting] = .ours
    ) -> Target {
        .executableTarget(name: name, dependencies: others, path: path, exclude: exclude, swiftSettings: settings)
    }

    static func tests(_ name: String, _ others: Dependency..., as settings: [SwiftSetting] = .ours) -> Target {
        .testTarget(name: name, dependencies: testing + ["CTestSandbox"] + others, swiftSettings: settings)
    }
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
