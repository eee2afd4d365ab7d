// SPDX-License-Identifier: Apache-2.0

import ReachabilityProxies
import ReachabilityResolverFiles
import Testing

@testable import WaitingURLSession

@Suite("The proxy of a URL")
struct ProxyVariablesTests {
    private func proxy(_ scheme: String, _ host: String, _ variables: [String: String]) -> String? {
        ProxyVariables { variables[$0] }.proxyHost(scheme: scheme, host: host)
    }

    @Test func `is that of the scheme, or else that for all`() {
        let all = ["http_proxy": "one:1", "HTTPS_PROXY": "two:2", "all_proxy": "three:3"]
        #expect(proxy("http", "a.test", all) == "one")
        #expect(proxy("HTTPS", "a.test", all) == "two")
        #expect(proxy("ftp", "a.test", all) == "three")
        #expect(proxy("https", "a.test", ["https_proxy": "one", "HTTPS_PROXY": "two"]) == "one")
        #expect(proxy("http", "a.test", ["ALL_PROXY": "one"]) == "one")
        #expect(proxy("http", "a.test", ["HTTP_PROXY": "one"]) == nil)
        #expect(proxy("http", "a.test", ["http_proxy": ""]) == nil)
        #expect(proxy("http", "a.test", ["http_proxy": "", "all_proxy": "", "ALL_PROXY": "one"]) == "one")
        #expect(proxy("https", "a.test", ["https_proxy": "", "HTTPS_PROXY": "one"]) == "one")
        #expect(proxy("http", "a.test", ["http_proxy": "one", "no_proxy": "", "NO_PROXY": "a.test"]) == nil)
        #expect(proxy("http", "a.test", [:]) == nil)
    }

    @Test(
        arguments: [
            ("proxy.test", "proxy.test"), ("proxy.test:3128", "proxy.test"), ("http://proxy.test:3128/", "proxy.test"),
            ("socks5h://proxy.test", "proxy.test"), ("http://user:p@ss@proxy.test:3128", "proxy.test"),
            ("http://[2001:db8::1]:3128", "2001:db8::1"), ("192.0.2.1:1", "192.0.2.1"), ("http://", nil), (":80", nil),
            ("[2001:db8::1", nil), ("2001:db8::1", nil), ("proxy.test:x", nil), ("proxy.test:+80", nil),
            ("proxy.test?x", "proxy.test"), ("proxy.test:/", "proxy.test"),
        ] as [(String, String?)])
    func `is the host in the variable`(text: String, host: String?) {
        #expect(proxy("http", "a.test", ["http_proxy": text]) == host)
    }

    @Test(
        arguments: [
            ("*", "a.test", true), ("a.test", "a.test", true), ("a.test", "www.a.test", true),
            (".a.test", "www.a.test", true), (".a.test", "a.test", true), ("a.test", "ba.test", false),
            ("A.Test.", "www.a.test.", true), ("b.test, a.test", "a.test", true), ("b.test a.test", "a.test", true),
            ("", "a.test", false), (".", "a.test", false), ("192.0.2.1", "192.0.2.1", true),
            ("192.0.2.1", "192.0.2.10", false), ("192.0.2.0/24", "192.0.2.10", true),
            ("192.0.2.0/24", "192.0.3.10", false), ("192.0.2.0/33", "192.0.2.0", false),
            ("192.0.2.0/x", "192.0.2.0", false), ("2001:db8::/32", "2001:db8::1", true),
            ("[2001:db8::1]", "2001:db8::1", true), ("0.0.0.0/0", "2001:db8::1", false), ("2.1", "192.0.2.1", false),
        ])
    func `is not used for exceptions`(list: String, host: String, isExcepted: Bool) {
        for name in ["no_proxy", "NO_PROXY"] {
            #expect((proxy("http", host, ["http_proxy": "proxy", name: list]) == nil) == isExcepted)
        }
    }
}
