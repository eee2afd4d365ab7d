// SPDX-License-Identifier: Apache-2.0

/// All there are, in the order in which they are made.
let measurements = [
    Measurement(name: "repeated", body: measureRepeated),
    Measurement(name: "threads", body: measureRepeatedByThreads),
    Measurement(name: "allocations", body: measureAllocations),
    Measurement(name: "first", body: measureFirst),
    Measurement(name: "churn", body: measureChurn),
]

/// What is measured in a process of its own; prints one number.
func runChild(_ name: String) -> Int32 {
    return 64
}
