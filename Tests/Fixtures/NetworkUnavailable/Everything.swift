// SPDX-License-Identifier: Apache-2.0

import Network

// What programs for a Mac do with the parts of Network that are not offered. Each line stops with a sentence.

final class Server {
    let listener = try? NWListener(using: .tcp, on: 80)
    let browser = NWBrowser(for: .bonjour(type: "_http._tcp", domain: nil), using: .tcp)
    var group: NWConnectionGroup?
    let multicast = try? NWMulticastGroup(for: [])
    var multiplex: NWMultiplexGroup?
    var channel: NWEthernetChannel?
    var record = NWTXTRecord()
}

func secured() -> NWConnection {
    let options = NWProtocolTLS.Options()
    return NWConnection(host: "a", port: 443, using: NWParameters(tls: options))
}

func parameters() -> [NWParameters] { [.tls, .udp, .dtls, .quic(alpn: ["h3"]), NWParameters(dtls: nil)] }

func options() {
    _ = NWProtocolUDP.Options()
    _ = NWProtocolIP.Options()
    _ = NWProtocolQUIC.Options(alpn: ["h3"])
    let socket = NWProtocolWebSocket.Options()
    NWParameters.tcp.defaultProtocolStack.applicationProtocols.insert(socket, at: 0)
    _ = NWProtocolFramer.Options(definition: NWProtocolFramer.Definition(implementation: Framer.self))
}

final class Framer: NWProtocolFramerImplementation {}
var newer: (NetworkConnection, NetworkListener, NetworkBrowser)?
