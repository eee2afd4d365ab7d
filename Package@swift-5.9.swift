// swift-tools-version: 5.9
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// Compilers before 6.2 read this file: 5.9 by its name, later ones because they cannot read Package.swift. They cannot build this
// package. So the products are there and contain no module of their name, and a library that depends on one has code without it
// behind `#if canImport(NetworkPathMonitor)`.
let package = Package(
    name: "swift-network-reachability",
    products: ["Network", "NetworkPathMonitor", "ReachabilityKit", "SystemConfiguration", "WaitingURLSession"].map {
        .library(name: $0, targets: ["ReachabilityBeforeSwift62"])
    },
    targets: [.target(name: "ReachabilityBeforeSwift62", path: "Sources/Apple/BeforeSwift62")]
)
