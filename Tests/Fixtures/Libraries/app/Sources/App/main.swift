// SPDX-License-Identifier: Apache-2.0

// Says of each monitor when it goes online or offline.

import AppleOnly
import Foundation
import Monitors
import NetworkPathMonitor

precondition(!hasListener, "code for Apple's systems was compiled")

@Sendable func say(_ name: String, _ isOnline: Bool) {
    print("\(name) \(isOnline ? "online" : "offline")")
    fflush(nil)
}

let download = DownloadMonitor.shared
download.onChange = { say("download", $0) }
download.startMonitoring()

let transport = TransportMonitor { say("transport", $0 != .none) }
let observer = ConnectionObserver.startingShared()
let subscription = observer.subscribe { say("observer", $0 == .connected) }
let license = MainActor.assumeIsolated {
    LicenseMonitor(online: { say("license", true) }, offline: { say("license", false) })
}

Task { await transport.connect() }
Task {
    for await status in DeviceStatus.monitor() { say("device", status != .offline) }
}
Task {
    await PathSequence().forEachChange { say("sequence", $0) }
}

let monitor = NWPathMonitor()
monitor.pathUpdateHandler = { say("monitor", $0.status == .satisfied) }
monitor.start(queue: .main)
dispatchMain()
