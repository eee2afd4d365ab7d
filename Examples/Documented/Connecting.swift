// SPDX-License-Identifier: Apache-2.0

// The code about connections in comments and pages, compiled here.

import Network

func connection() {
    let connection = NWConnection(host: "www.swift.org", port: 80, using: .tcp)
    connection.stateUpdateHandler = { state in print(state) }
    connection.start(queue: .main)
}

func parameters() -> NWParameters {
    let options = NWProtocolTCP.Options()
    options.connectionTimeout = 10
    let parameters = NWParameters(tls: nil, tcp: options)
    parameters.prohibitedInterfaceTypes = [.cellular]
    return parameters
}
