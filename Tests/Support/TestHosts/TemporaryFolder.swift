// SPDX-License-Identifier: Apache-2.0

import CTestTopology
import Glibc

/// A folder that goes with this object, and all that is in it.
package final class TemporaryFolder: Sendable {
    package let path: String

    package init() {
        var template = Array("/tmp/test-XXXXXX".utf8CString)
        path = unsafe template.withUnsafeMutableBufferPointer { unsafe String(cString: mkdtemp($0.baseAddress!)) }
    }

    deinit {
        unsafe topology_remove_folder(path)
    }
}
