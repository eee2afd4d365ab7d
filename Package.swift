// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// The language every Swift target is written in. Warnings become errors in `.ci/run` only, so that a newer
/// compiler with a new warning never breaks somebody who merely depends on this package.
let modern: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "swift-network-reachability",
    products: [
        .library(name: "ReachabilityKit", targets: ["ReachabilityKit"]),
        .library(name: "SystemConfiguration", targets: ["SystemConfiguration"]),
        .library(
            name: "CSystemConfiguration", type: .dynamic,
            targets: ["CSystemConfiguration", "CSystemConfigurationHeaders"]),
        // Nothing else in this package depends on it: other packages switch code on where a module of this name can be
        // imported.
        .library(name: "Network", targets: ["Network"]),
        .executable(name: "reachability", targets: ["reachability"]),
        .executable(name: "scutil", targets: ["scutil"]),
    ],
    targets: [
        // Kernel and libc headers that Swift cannot import by itself.
        .target(name: "CLinux"),
        // Every system call of the package.
        .target(name: "LinuxSystem", dependencies: ["CLinux"], swiftSettings: modern),
        // Pure values: addresses, links, routes.
        .target(name: "NetworkFacts", swiftSettings: modern),
        // The only place that knows rtnetlink's wire format.
        .target(name: "Netlink", dependencies: ["CLinux", "LinuxSystem", "NetworkFacts"], swiftSettings: modern),
        // c-ares, from the system (Debian: libc-ares-dev).
        .systemLibrary(name: "CAres", pkgConfig: "libcares", providers: [.apt(["libc-ares-dev"])]),
        // Names to addresses; the only place that knows c-ares.
        .target(
            name: "HostResolution", dependencies: ["CAres", "CLinux", "LinuxSystem", "NetworkFacts"],
            swiftSettings: modern),
        // D-Bus, as far as it takes to hear from NetworkManager what is metered.
        .target(name: "SystemBus", dependencies: ["LinuxSystem"], swiftSettings: modern),
        .testTarget(
            name: "SystemBusTests", dependencies: ["LinuxSystem", "SystemBus", "TestBus", "TestHosts"],
            swiftSettings: modern),
        .testTarget(
            name: "HostResolutionTests",
            dependencies: [
                "TestHosts", "TestTopology", "TestWaiting", "HostResolution", "LinuxSystem", "NetworkFacts",
            ],
            swiftSettings: modern),
        .testTarget(
            name: "NetlinkTests",
            dependencies: [
                "CTestTopology", "TestTopology", "TestWaiting", "CLinux", "LinuxSystem", "NetworkFacts", "Netlink",
            ],
            swiftSettings: modern),
        // The public core.
        .target(
            name: "ReachabilityKit",
            dependencies: ["HostResolution", "LinuxSystem", "NetworkFacts", "Netlink", "SystemBus"],
            swiftSettings: modern),
        // BSD's length bytes, for every module that legacy sources import.
        .target(name: "SocketAddressLengths", swiftSettings: modern),
        // Apple's rules of calling, for Swift and for C.
        .target(
            name: "LegacyReachability", dependencies: ["LinuxSystem", "NetworkFacts", "ReachabilityKit"],
            swiftSettings: modern),
        .target(
            name: "SystemConfiguration",
            dependencies: ["LegacyReachability", "ReachabilityKit", "SocketAddressLengths"], swiftSettings: modern),
        // Connections over TCP that wait for a way to their host.
        .target(
            name: "Connections",
            dependencies: ["HostResolution", "LinuxSystem", "NetworkFacts", "Netlink", "ReachabilityKit"],
            swiftSettings: modern),
        .testTarget(
            name: "ConnectionsTests",
            dependencies: [
                "CAllocationCount", "Connections", "HostResolution", "LinuxSystem", "Netlink", "NetworkFacts",
                "ReachabilityKit", "TestHosts", "TestTopology", "TestWaiting",
            ],
            swiftSettings: modern),
        // The same for C: the headers, and a library that exports the functions.
        .target(name: "CSystemConfigurationHeaders"),
        .target(
            name: "CSystemConfiguration",
            dependencies: ["CSystemConfigurationHeaders", "LegacyReachability", "ReachabilityKit"],
            cSettings: [.define("SC_OPAQUE_HANDLES")], swiftSettings: modern),
        // Apple's NWPathMonitor and what belongs to it.
        .target(
            name: "Network",
            dependencies: [
                "Connections", "HostResolution", "LinuxSystem", "NetworkFacts", "ReachabilityKit",
                "SocketAddressLengths",
            ],
            swiftSettings: modern),
        .executableTarget(
            name: "reachability", dependencies: ["HostResolution", "LinuxSystem", "NetworkFacts", "ReachabilityKit"],
            swiftSettings: modern),

        .executableTarget(
            name: "scutil",
            dependencies: ["HostResolution", "LegacyReachability", "LinuxSystem", "NetworkFacts", "ReachabilityKit"],
            swiftSettings: modern),

        // What Scripts/install puts into the programs it links, which are static. Nothing else may depend on it: a
        // dynamic program would take the function from its runtime.
        .target(name: "CStaticProgram"),

        // Networks made for tests, in namespaces of their own.
        // How tests wait: never for ever.
        .target(
            name: "TestWaiting", dependencies: ["LinuxSystem"], path: "Tests/Support/TestWaiting",
            swiftSettings: modern),
        .target(name: "CTestTopology", path: "Tests/Support/CTestTopology"),
        .target(
            name: "TestTopology", dependencies: ["CTestTopology", "CLinux", "LinuxSystem", "NetworkFacts", "Netlink"],
            path: "Tests/Support/TestTopology", swiftSettings: modern),
        // A name server that follows a script, and configuration files of a test's own.
        .target(
            name: "TestHosts", dependencies: ["HostResolution", "LinuxSystem", "NetworkFacts", "TestWaiting"],
            path: "Tests/Support/TestHosts", swiftSettings: modern),
        // A bus that follows a script, and one who stands for NetworkManager on a real one.
        .target(
            name: "TestBus", dependencies: ["LinuxSystem", "SystemBus"], path: "Tests/Support/TestBus",
            swiftSettings: modern),
        // Counts what this process allocates.
        .target(name: "CAllocationCount", path: "Tests/Support/CAllocationCount"),
        // Tells which system calls a program makes, and a program that asks.
        .target(name: "CSystemCallCount", path: "Tests/Support/CSystemCallCount"),
        .executableTarget(
            name: "asking", dependencies: ["LinuxSystem", "ReachabilityKit", "TestTopology"],
            path: "Tests/Support/Asking", swiftSettings: modern),
        .testTarget(
            name: "NetworkFactsTests", dependencies: ["NetworkFacts", "TestHosts"], swiftSettings: modern),
        .testTarget(
            name: "ReachabilityKitTests",
            dependencies: [
                "CAllocationCount", "CSystemCallCount", "CTestTopology", "TestTopology", "TestWaiting", "LinuxSystem",
                "NetworkFacts", "Netlink", "ReachabilityKit", "asking",
            ],
            swiftSettings: modern),
        .testTarget(
            name: "TopologyTests", dependencies: ["CLimits", "TestTopology", "LinuxSystem", "NetworkFacts", "Netlink"],
            swiftSettings: modern),
        .testTarget(
            name: "EngineTests",
            dependencies: [
                "CTestTopology", "TestHosts", "TestTopology", "TestWaiting", "HostResolution", "LinuxSystem",
                "NetworkFacts", "Netlink", "ReachabilityKit",
            ],
            swiftSettings: modern),
        .testTarget(
            name: "CommandLineTests",
            dependencies: [
                "CTestTopology", "DocumentedCode", "TestBus", "TestHosts", "TestTopology", "LinuxSystem",
                "NetworkFacts", "ReachabilityKit", "connection-states", "deny-netlink", "example-check",
                "example-follow", "example-port", "mark-sockets", "reachability", "scutil",
            ],
            swiftSettings: modern),

        // The programs of README.md, and what else the documents show.
        .executableTarget(
            name: "example-check", dependencies: ["ReachabilityKit"], path: "Examples/Check",
            swiftSettings: [.swiftLanguageMode(.v6)]),
        .executableTarget(
            name: "example-follow", dependencies: ["ReachabilityKit"], path: "Examples/Follow",
            swiftSettings: [.swiftLanguageMode(.v6)]),
        .executableTarget(
            name: "example-port", dependencies: ["SystemConfiguration"], path: "Examples/Port",
            swiftSettings: [.swiftLanguageMode(.v6)]),
        .target(
            name: "DocumentedCode", dependencies: ["Network", "ReachabilityKit", "SystemConfiguration"],
            path: "Examples/Documented", swiftSettings: [.swiftLanguageMode(.v6)]),
        // Legacy code on the main thread's run loop.
        .executableTarget(
            name: "run-loop-monitor", dependencies: ["SystemConfiguration"], path: "Examples/RunLoop",
            swiftSettings: [.swiftLanguageMode(.v5)]),
        // The states of a connection, as a network comes and goes.
        .executableTarget(
            name: "connection-states", dependencies: ["Network"], path: "Examples/ConnectionStates",
            exclude: ["demo"], swiftSettings: modern),

        // Finds the public symbols that no comment describes.
        .executableTarget(name: "undocumented", path: "Tests/Support/Undocumented", swiftSettings: modern),

        // Runs a program that the kernel gives no netlink socket.
        .executableTarget(name: "deny-netlink", path: "Tests/Support/DenyNetlink"),
        // Runs a program in a control group that marks and binds every new socket.
        .executableTarget(name: "mark-sockets", path: "Tests/Support/MarkSockets"),

        // Client code of Network, likewise.
        .target(
            name: "NetworkIdioms5", dependencies: ["Network", "ReachabilityKit"],
            path: "Tests/Fixtures/NetworkIdioms5", swiftSettings: [.swiftLanguageMode(.v5)]),
        .target(
            name: "NetworkIdioms6", dependencies: ["Network", "ReachabilityKit"],
            path: "Tests/Fixtures/NetworkIdioms6", swiftSettings: [.swiftLanguageMode(.v6)]),
        .testTarget(
            name: "NetworkTests",
            dependencies: [
                "ConnectionIdioms5", "NetworkIdioms5", "NetworkIdioms6", "HostResolution", "LinuxSystem", "Network",
                "NetworkFacts", "Netlink", "ReachabilityKit", "SystemBus", "TestBus", "TestHosts", "TestTopology",
                "TestWaiting",
            ],
            swiftSettings: modern),

        // Client code in the idioms that are about, compiled as it would be elsewhere: the same files in both language
        // modes, without the settings of this package.
        .target(
            name: "ConnectionIdioms5", dependencies: ["Network"], path: "Tests/Fixtures/ConnectionIdioms5",
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .target(
            name: "LegacyIdioms5", dependencies: ["SystemConfiguration"], path: "Tests/Fixtures/LegacyIdioms5",
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .target(
            name: "LegacyIdioms6", dependencies: ["SystemConfiguration"], path: "Tests/Fixtures/LegacyIdioms6",
            swiftSettings: [.swiftLanguageMode(.v6)]),
        // Without memory safety's marks, as its subject is an interface of pointers.
        .testTarget(
            name: "SystemConfigurationTests",
            dependencies: [
                "CSystemConfiguration", "LegacyIdioms5", "LegacyIdioms6", "LegacyReachability", "LinuxSystem",
                "NetworkFacts", "ReachabilityKit", "SystemConfiguration", "TestHosts", "TestTopology", "TestWaiting",
                "scutil",
            ], swiftSettings: [.swiftLanguageMode(.v6)]),

        // What is given arbitrary bytes, by `make fuzz` and by its tests.
        .target(
            name: "FuzzTargets",
            dependencies: ["HostResolution", "LinuxSystem", "Netlink", "NetworkFacts", "ReachabilityKit", "SystemBus"],
            path: "Tests/Fuzz/FuzzTargets", swiftSettings: modern),
        .testTarget(
            name: "FuzzTests", dependencies: ["FuzzTargets", "LinuxSystem", "TestHosts"], swiftSettings: modern),

        // What `make lab` runs in a virtual machine.
        .executableTarget(
            name: "lab-rows",
            dependencies: ["LinuxSystem", "Netlink", "Network", "NetworkFacts", "ReachabilityKit", "TestTopology"],
            path: "Tests/Lab/lab-rows", swiftSettings: modern),

        // What the benchmarks measure against, and the benchmarks.
        .target(name: "CLimits", path: "Tests/Benchmarks/CLimits"),
        .target(name: "CNameLimits", dependencies: ["CAres"], path: "Tests/Benchmarks/CNameLimits"),
        .target(name: "CAllocations", path: "Tests/Benchmarks/CAllocations"),
        .executableTarget(
            name: "benchmarks",
            dependencies: [
                "CAllocations", "CLimits", "CNameLimits", "LinuxSystem", "Network", "NetworkFacts", "ReachabilityKit",
                "TestTopology",
            ],
            path: "Tests/Benchmarks/benchmarks", swiftSettings: modern),
        // This package beside GLib's GNetworkMonitor; the latter in a C program that `make compare` builds.
        .executableTarget(
            name: "compare",
            dependencies: [
                "CLimits", "CTestTopology", "LinuxSystem", "NetworkFacts", "ReachabilityKit", "TestTopology",
            ],
            path: "Tests/Compare/compare", swiftSettings: modern),
        // Changes a network at random for as long as one likes, and compares every answer with `ip route get`.
        .executableTarget(
            name: "soak",
            dependencies: [
                "CTestTopology", "HostResolution", "LinuxSystem", "NetworkFacts", "ReachabilityKit", "TestHosts",
                "TestTopology",
            ],
            path: "Tests/Soak/soak", swiftSettings: modern),
    ]
)
