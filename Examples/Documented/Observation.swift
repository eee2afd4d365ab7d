// SPDX-License-Identifier: Apache-2.0

// The code about NWPathModel in comments and pages, compiled here.

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
