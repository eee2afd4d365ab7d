// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// Written as a library that has code for Apple's systems alone where there is a module Network. That code does not compile on
// Linux, so it has to stay out.

#if canImport(Network)
import Network

public func listener() throws -> NWListener {
    try NWListener(using: .quic(alpn: ["h3"]), on: .any)
}
#endif

public let hasListener: Bool = {
    #if canImport(Network) || canImport(SystemConfiguration)
    true
    #else
    false
    #endif
}()
