// swift-tools-version: 5.9
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let package = Package(
    name: "apple-only",
    products: [.library(name: "AppleOnly", targets: ["AppleOnly"])],
    targets: [.target(name: "AppleOnly")]
)
