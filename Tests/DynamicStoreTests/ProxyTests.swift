// SPDX-License-Identifier: Apache-2.0

import ReachabilityProxies
import ReachabilityResolverFiles
import Testing

@testable import SystemConfigurationCore

@Suite("The proxies of the environment")
struct ProxyTests {
    private static func settings(_ variables: [String: String]) -> ProxySettings {
        ProxySettings(ProxyVariables { variables[$0] })
    }

    @Test("become Apple's dictionary")
    func dictionary() {
        let settings = Self.settings([
            "http_proxy": "http://user:secret@proxy.example:3128/", "HTTPS_PROXY": "[2001:db8::1]:443",
            "ftp_proxy": "ftp.example", "no_proxy": "localhost,.example.com, 10.0.0.0/8 *.org,192.0.2.1",
        ])
        #expect(
            settings.value == [
                "HTTPEnable": 1, "HTTPProxy": "proxy.example", "HTTPPort": 3128,
                "HTTPSEnable": 1, "HTTPSProxy": "2001:db8::1", "HTTPSPort": 443,
                "FTPEnable": 1, "FTPProxy": "ftp.example",
                "ExceptionsList": [
                    "localhost", "*.localhost", "example.com", "*.example.com", "10.0.0.0/8", "org", "*.org",
                    "192.0.2.1",
                ],
            ])
    }

    @Test("are absent if no variable names one")
    func absent() {
        #expect(Self.settings([:]).value == nil)
        #expect(Self.settings(["no_proxy": "localhost"]).value == nil)
        #expect(Self.settings(["http_proxy": ""]).value == nil)
    }

    @Test("come from all_proxy where their own variable is missing, and from SOCKS as such")
    func all() {
        #expect(
            Self.settings(["ALL_PROXY": "socks5h://127.0.0.1:9050"]).value == [
                "SOCKSEnable": 1, "SOCKSProxy": "127.0.0.1", "SOCKSPort": 9050,
            ])
        let mixed = Self.settings(["all_proxy": "http://a:1", "https_proxy": "http://b:2"])
        #expect(mixed.http?.host == "a")
        #expect(mixed.https?.host == "b")
        #expect(mixed.ftp?.host == "a")
    }

    @Test("prefer lower case, do without HTTP_PROXY, and skip what is empty, as libcurl does")
    func cases() {
        #expect(Self.settings(["http_proxy": "a:1", "HTTP_PROXY": "b:1"]).http?.host == "a")
        #expect(Self.settings(["HTTP_PROXY": "b:1"]).http == nil)
        #expect(Self.settings(["HTTPS_PROXY": "b:1"]).https?.host == "b")
        #expect(
            Self.settings(["http_proxy": "", "HTTP_PROXY": "b:1", "all_proxy": "", "ALL_PROXY": "c"]).http?.host == "c")
    }

    @Test(
        "that make no sense are ignored",
        arguments: [
            "http://", "http://:80", "proxy:0", "proxy:65536", "proxy:x", "proxy:+80", "[::1]x", "[proxy]:80",
            "2001:db8::1", "user@",
        ])
    func nonsense(_ text: String) {
        #expect(Self.settings(["http_proxy": text]).value == nil)
    }
}
