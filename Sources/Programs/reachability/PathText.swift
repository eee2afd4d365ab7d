// SPDX-License-Identifier: Apache-2.0

import HostResolution
import LinuxSystem
import Netlink
import ReachabilityKit

/// A path as text: its status, then a line for each interface, then the name servers.
struct PathText {
    let text: String

    init(_ path: NetworkPath) {
        let view = path.view()
        var words = [String]()
        if view.hasIPv4 { words.append("IPv4") }
        if view.hasIPv6 { words.append("IPv6") }
        if view.hasDNS { words.append("DNS") }
        if view.isExpensive { words.append("expensive") }
        if path.connectivity != .unknown { words.append("connectivity \(path.connectivity.rawValue)") }
        let status = view.status.rawValue + (view.status == .satisfied ? "" : " (\(path.reason.words))")
        var lines = [([status] + words).joined(separator: ", ")]
        let width = path.interfaces.map(\.name.printable.count).max() ?? 0
        for interface in path.interfaces {
            let name = interface.name.printable
            var line = "  " + name + String(repeating: " ", count: width - name.count)
            line += "  " + (interface.isTunnel ? "tunnel" : interface.kind.rawValue)
            for address in interface.addresses where address.reachesBeyondLink { line += " \(address)" }
            if !interface.gateways.isEmpty {
                line += " via " + interface.gateways.map(\.description).joined(separator: " ")
            }
            if !interface.leadsOut { line += " (\(Self.words(interface.reason)))" }
            lines.append(line)
        }
        if !path.servers.isEmpty { lines.append("  DNS " + path.servers.map(\.description).joined(separator: " ")) }
        text = lines.map(\.printable).joined(separator: "\n")
    }

    private static func words(_ reason: Reason) -> String {
        switch reason {
        case .refused(.noRoute), .refused(.noRouteOnInterface): "no default route"
        default: reason.words
        }
    }
}
