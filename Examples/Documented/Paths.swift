// SPDX-License-Identifier: Apache-2.0

// The code about Network in comments and pages, compiled here.

import Network

func paths() -> NWPathMonitor {
    let monitor = NWPathMonitor()
    monitor.pathUpdateHandler = { path in print(path) }
    monitor.start(queue: DispatchQueue(label: "path"))
    return monitor
}

func statuses() -> Never {
    let monitor = NWPathMonitor()
    monitor.pathUpdateHandler = { path in print(path.status) }
    monitor.start(queue: DispatchQueue(label: "path"))
    dispatchMain()
}

func expense(_ monitor: NWPathMonitor) {
    monitor.pathUpdateHandler = { path in
        print(path.status == .satisfied ? "online" : "offline", path.isExpensive ? "and expensive" : "")
    }
}

func interfaces(_ monitor: NWPathMonitor) {
    for interface in monitor.currentPath.availableInterfaces { print(interface.name, interface.type) }
}

func sequence() async {
    for await path in NWPathMonitor() { print(path.status) }
}
