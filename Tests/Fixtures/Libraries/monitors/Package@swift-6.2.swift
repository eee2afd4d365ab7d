// swift-tools-version: 6.2
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
            ],
            swiftSettings: [.swiftLanguageMode(.v5)])
    ]
)
