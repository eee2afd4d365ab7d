// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem

/// The variables of the environment that name proxies, chosen as libcurl does, which FoundationNetworking uses ("Environment
/// variables" in curl(1)). An empty one counts as none (`GetEnv` in its getenv.c).
package struct ProxyVariables: Sendable {
    private let variable: @Sendable (String) -> String?

    /// - Parameter variable: returns the value of a variable; nil if there is none.
    package init(_ variable: @escaping @Sendable (String) -> String? = EnvironmentVariable.value) {
        self.variable = variable
    }

    /// The proxy for a scheme in small letters.
    package func proxy(for scheme: String) -> String? {
        // HTTP_PROXY is not read: a web server sets it from a header of its client's (CVE-2016-5385).
        (scheme == "http" ? value("http_proxy") : eitherCase("\(scheme)_proxy")) ?? eitherCase("all_proxy")
    }

    /// The list of the hosts that are reached without a proxy.
    package var exceptions: String? { eitherCase("no_proxy") }

    private func eitherCase(_ name: String) -> String? { value(name) ?? value(name.uppercased()) }

    private func value(_ name: String) -> String? { variable(name).flatMap { $0.isEmpty ? nil : $0 } }
}
