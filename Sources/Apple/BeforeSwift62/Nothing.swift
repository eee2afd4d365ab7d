// SPDX-License-Identifier: Apache-2.0

// What the products consist of for compilers before 6.2 (Package@swift-5.9.swift): nothing.
