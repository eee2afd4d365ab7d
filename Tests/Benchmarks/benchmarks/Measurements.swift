// SPDX-License-Identifier: Apache-2.0

/// All measurements, in the order in which they are made.
let measurements = [
    Measurement(name: "repeated", body: measureRepeated),
    Measurement(name: "threads", body: measureRepeatedByThreads),
    Measurement(name: "allocations", body: measureAllocations),
    Measurement(name: "allocations-anew", body: measureAllocationsAnew),
    Measurement(name: "first", body: measureFirst),
    Measurement(name: "churn", body: measureChurn),
    Measurement(name: "latency", body: measureLatency),
    Measurement(name: "latency-after-silence", body: measureLatencyAfterSilence),
    Measurement(name: "loop-start", body: measureLoopStart),
    Measurement(name: "path-latency", body: measurePathLatency),
    Measurement(name: "scope", body: measureScope),
    Measurement(name: "link-down", body: measureLinkDown),
    Measurement(name: "storm", body: measureStorm),
    Measurement(name: "storm-beside-many", body: measureStormBesideMany),
    Measurement(name: "busy", body: measureBusy),
    Measurement(name: "connections", body: measureConnections),
    Measurement(name: "many-routes", body: measureManyRoutes),
    Measurement(name: "memory", body: measureMemory),
    Measurement(name: "idle", body: measureIdle),
    Measurement(name: "names", body: measureNames),
    Measurement(name: "hosts-file", body: measureHostsFile),
    Measurement(name: "silent-server", body: measureSilentServer),
    Measurement(name: "start-up", body: measureStartUp),
    Measurement(name: "mistakes", body: measureMistakes),
]

/// Makes a measurement that needs its own process, because it counts memory or threads. Prints the figure.
func runChild(_ name: String) -> Int32 {
    let bodies: [String: () throws -> Double] = [
        "addresses": memoryOfAddresses, "continuations": memoryOfContinuations,
        "waiters": { try memoryOfWaiters(onOneAddress: true) },
        "waiters-apart": { try memoryOfWaiters(onOneAddress: false) }, "idle": wakeUpsWhileIdle,
        "idle-names": wakeUpsWhileNamesAreKept,
        "connections-few": { try engineTimeOfConnections(500) },
        "connections-many": { try engineTimeOfConnections(4_000) }, "loop-start": startOfLoop,
        "hosts-first": firstAnswerFromHostsFile, "hosts-memory": memoryOfHostsFile,
    ]
    guard let body = bodies[name] else { return 64 }
    do {
        print(try body())
        return 0
    } catch {
        complain("\(name): \(error)")
        return 1
    }
}
