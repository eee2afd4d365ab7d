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
        .executable(name: "reachability", targets: ["reachability"]),
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
        .testTarget(
            name: "HostResolutionTests",
            dependencies: ["ScriptedNameServer", "HostResolution", "LinuxSystem", "NetworkFacts"],
            swiftSettings: modern),
        .testTarget(
            name: "NetlinkTests", dependencies: ["CLinux", "LinuxSystem", "NetworkFacts", "Netlink"],
            swiftSettings: modern),
        // The public core.
        .target(
            name: "ReachabilityKit", dependencies: ["HostResolution", "LinuxSystem", "NetworkFacts", "Netlink"],
            swiftSettings: modern),
        .executableTarget(
            name: "reachability", dependencies: ["LinuxSystem", "ReachabilityKit"], swiftSettings: modern),

        // Networks made for tests, in namespaces of their own.
        .target(name: "CTestTopology", path: "Tests/Support/CTestTopology"),
        .target(
            name: "TestTopology", dependencies: ["CTestTopology", "CLinux", "LinuxSystem", "NetworkFacts", "Netlink"],
            path: "Tests/Support/TestTopology", swiftSettings: modern),
        // A name server that does what a test says.
        .target(
            name: "ScriptedNameServer", dependencies: ["LinuxSystem", "NetworkFacts"],
            path: "Tests/Support/ScriptedNameServer", swiftSettings: modern),
        // Counts what this process allocates.
        .target(name: "CAllocationCount", path: "Tests/Support/CAllocationCount"),
        .testTarget(name: "NetworkFactsTests", dependencies: ["NetworkFacts"], swiftSettings: modern),
        .testTarget(
            name: "ReachabilityKitTests",
            dependencies: [
                "CAllocationCount", "CTestTopology", "TestTopology", "LinuxSystem", "NetworkFacts", "Netlink",
                "ReachabilityKit",
            ],
            swiftSettings: modern),
        .testTarget(
            name: "TopologyTests", dependencies: ["CLimits", "TestTopology", "LinuxSystem", "NetworkFacts", "Netlink"],
            swiftSettings: modern),
        .testTarget(
            name: "EngineTests",
            dependencies: ["TestTopology", "LinuxSystem", "NetworkFacts", "Netlink", "ReachabilityKit"],
            swiftSettings: modern),
        .testTarget(
            name: "CommandLineTests",
            dependencies: [
                "CTestTopology", "ScriptedNameServer", "TestTopology", "LinuxSystem", "NetworkFacts",
                "ReachabilityKit", "deny-netlink", "reachability",
            ],
            swiftSettings: modern),

        // Runs a program that the kernel gives no netlink socket.
        .executableTarget(name: "deny-netlink", path: "Tests/Support/DenyNetlink"),

        // What the benchmarks measure against, and the benchmarks.
        .target(name: "CLimits", path: "Tests/Benchmarks/CLimits"),
        .executableTarget(
            name: "benchmarks", dependencies: ["CLimits", "TestTopology"], path: "Tests/Benchmarks/benchmarks",
            swiftSettings: modern),
    ]
)
