// SPDX-License-Identifier: Apache-2.0

import ReachabilityNetlink
package import TestTopology

/// The network of a scene, with a `Fence`.
package final class Stage {
    package let topology: Machine
    private var tunnels: [String: TunDevice] = [:]

    package init() throws {
        topology = try Machine()
        try topology.makeFence()
    }

    package func make(_ change: Scene.Change) throws {
        switch change {
        case .wire(let name, let addresses):
            try topology.wire(name)
            // Only now, so that the routes come in one step.
            for address in addresses {
                try topology.ip("address add \(address) dev \(name)\(address.contains(":") ? " nodad" : "")")
            }
            try topology.waitForOwn(addresses)
        case .tun(let name, let kind, let address):
            tunnels[name] =
                if let address { try topology.tun(name, kind, address: address) } else { try topology.tun(name, kind) }
        case .carrier(let name, let isOn):
            guard let tunnel = tunnels[name] else {
                throw Scene.Mistake(
                    description: "\(name) is not a tun, ppp, modem or tap of this scene")
            }
            try tunnel.setCarrier(isOn)
        case .ip(let command): try topology.ip(command)
        case .set(let setting, let value): try topology.set(setting, value)
        case .wait(let name, let state):
            try topology.waitForLink(name) {
                // The end of a wire that is cut is in either state (default_operstate in net/core/link_watch.c).
                let present = $0.operationalState == .lowerLayerDown ? .down : $0.operationalState
                return present == state
            }
        }
    }
}
