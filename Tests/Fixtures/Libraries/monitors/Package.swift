// swift-tools-version: 5.9
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// Compilers before 6.2 read this file: the library has no monitor for Linux then.
let package = Package(
    name: "monitors",
    products: [.library(name: "Monitors", targets: ["Monitors"])],
    targets: [.target(name: "Monitors")]
)
