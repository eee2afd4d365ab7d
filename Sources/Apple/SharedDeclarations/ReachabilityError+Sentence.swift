// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import ReachabilityReferences

// Foundation gives an error a sentence only if it conforms to its protocol. The core of the package does without
// Foundation.
extension ReachabilityError: LocalizedError {}
