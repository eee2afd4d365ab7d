// swift-tools-version: 5.9
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let package = Package(
    name: "app",
    dependencies: [
        .package(name: "swift-network-reachability", path: "PACKAGE"), .package(path: "../monitors"),
        .package(path: "../apple-only"),
    ],
    targets: [
        .executableTarget(
            name: "App",
            dependencies: [
                .product(name: "AppleOnly", package: "apple-only"), .product(name: "Monitors", package: "monitors"),
                .product(name: "NetworkPathMonitor", package: "swift-network-reachability"),
            ])
    ]
)
