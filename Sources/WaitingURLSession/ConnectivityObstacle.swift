// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Why a request waits.
public enum ConnectivityObstacle: Hashable, Sendable, CustomStringConvertible {
    /// The host cannot be reached, or its name cannot be resolved. With a proxy, this is about the proxy.
    case unreachable
    /// The host can be reached only by a mobile network, which the request or the session does not allow.
    case cellular
    /// The host can be reached only by a mobile network, or by one that NetworkManager calls metered.
    case expensive
    /// An attempt has failed although the host seemed to be reachable. The request waits for a change of the network.
    case failed(URLError.Code)

    /// The obstacle in words, to follow a colon.
    public var description: String {
        switch self {
        case .unreachable: "the host cannot be reached"
        case .cellular: "only a mobile network leads to the host"
        case .expensive: "only an expensive network leads to the host"
        case .failed(let code):
            "the last attempt failed with the code \(code.rawValue), and the network has not changed"
        }
    }
}
