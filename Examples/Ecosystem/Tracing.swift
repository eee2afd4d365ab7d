// SPDX-License-Identifier: Apache-2.0

// The code about swift-log in pages. A test compiles it with a stand-in for that package.

import Logging
import ReachabilityKit

let logger = Logger(label: "reachability")
ReachabilityTrace.handler = { line in logger.trace("\(line)") }
