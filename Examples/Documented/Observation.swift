// SPDX-License-Identifier: Apache-2.0

// What the comments and the pages show of NWPathModel, to be compiled.

import Network
import Observation

@MainActor
func observation() {
    let network = NWPathModel()
    withObservationTracking {
        print(network.isConnected)
    } onChange: {
        print("changes now")
    }
}
