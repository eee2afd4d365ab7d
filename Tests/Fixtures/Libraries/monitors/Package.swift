// swift-tools-version: 5.9
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let package = Package(
    name: "monitors",
    products: [.library(name: "Monitors", targets: ["Monitors"])],
    dependencies: [.package(name: "swift-network-reachability", path: "PACKAGE")],
    targets: [
        .target(
            name: "Monitors",
            dependencies: [
                .product(
                    name: "NetworkPathMonitor", package: "swift-network-reachability",
                    condition: .when(platforms: [.linux]))
            ])
    ]
)
