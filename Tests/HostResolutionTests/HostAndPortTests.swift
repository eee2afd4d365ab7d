// SPDX-License-Identifier: Apache-2.0

import ReachabilityHostResolution
import ReachabilityResolverFiles
import Testing

@Suite("A host and a port")
struct HostAndPortTests {
    @Test(
        arguments: [
            ("a.test", "a.test", nil), ("a.test:80", "a.test", 80), ("a.test:0", "a.test", 0), ("[::1]", "::1", nil),
            ("[fe80::1%eth0]:65535", "fe80::1%eth0", 65535),
        ] as [(String, String, UInt16?)])
    func `are read from one text`(text: String, host: String, port: UInt16?) {
        #expect(HostAndPort(text[...]) == HostAndPort(host: host, port: port))
    }

    @Test(arguments: [
        "", ":80", "a.test:", "a.test:x", "a.test:+80", "a.test:65536", "::1", "[::1", "[::1]80", "[a.test]:80",
        "[]:80",
    ])
    func `are not read from anything else`(text: String) {
        #expect(HostAndPort(text[...]) == nil)
    }

    @Test(
        arguments: [
            ("http://a.test/x", "http", "a.test", nil), ("SOCKS5h://u:p@ss@a.test:1080?x", "SOCKS5h", "a.test", 1080),
            ("a.test:/", nil, "a.test", nil), ("http://[::1]:80#x", "http", "::1", 80),
            ("u@a.test:8080", nil, "a.test", 8080),
            ("a.test/http://b.test", nil, "a.test", nil),
        ] as [(String, String?, String, UInt16?)])
    func `are read from a URL`(text: String, scheme: String?, host: String, port: UInt16?) {
        #expect(HostAndPort.parts(ofURL: text).scheme.map(String.init) == scheme)
        #expect(HostAndPort(url: text) == HostAndPort(host: host, port: port))
    }

    @Test(arguments: [
        "", "http://", "http://:80", "http://u@", "://a.test", "http://::1/", "http://[::1", "http://a.test:x",
    ])
    func `are not read from a URL without them`(text: String) {
        #expect(HostAndPort(url: text) == nil)
    }
}
