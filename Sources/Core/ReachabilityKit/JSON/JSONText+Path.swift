// SPDX-License-Identifier: Apache-2.0

import HostResolution
import LinuxSystem
import Netlink

extension JSONText {
    /// The object for a path. It always has every key; `time` only if there is one.
    package init(_ path: NetworkPath, time: String? = nil) {
        let view = path.view()
        let moment: [(String, JSONText)] = time.map { [("time", .string($0))] } ?? []
        self = .object(
            moment + [
                ("status", .string(view.status.rawValue)),
                ("ipv4", .bool(view.hasIPv4)),
                ("ipv6", .bool(view.hasIPv6)),
                ("expensive", .bool(view.isExpensive)),
                ("connectivity", .string(path.connectivity.rawValue)),
                ("dns", .array(path.servers.map { .string($0.description) })),
                ("interfaces", .array(path.interfaces.map(JSONText.init))),
                ("code", .string(path.reason.code)),
                ("reason", .string(path.reason.description)),
            ])
    }

    private init(_ interface: NetworkPath.Interface) {
        self = .object([
            ("name", .string(interface.name)),
            ("index", .number(interface.index.rawValue)),
            ("type", .string(interface.kind.rawValue)),
            ("tunnel", .bool(interface.isTunnel)),
            ("leads_out", .bool(interface.leadsOut)),
            (
                "addresses",
                .array(interface.addresses.filter(\.reachesBeyondLink).map { .string($0.description) })
            ),
            ("gateways", .array(interface.gateways.map { .string($0.description) })),
            ("code", .string(interface.reason.code)),
            ("reason", .string(interface.reason.description)),
        ])
    }
}
