// SPDX-License-Identifier: Apache-2.0

import SystemConfigurationCore

extension ContextBox {
    /// Retains the `info` of a client's context. A null `info` is passed on too, as configd does.
    convenience init(
        retaining given: UnsafeMutableRawPointer?, retain: (@convention(c) (UnsafeRawPointer?) -> UnsafeRawPointer?)?,
        release: (@convention(c) (UnsafeRawPointer?) -> Void)?
    ) {
        var info = unsafe given
        if let retain = unsafe retain { unsafe info = UnsafeMutableRawPointer(mutating: retain(info)) }
        guard let release = unsafe release else {
            unsafe self.init(info: info, release: nil)
            return
        }
        unsafe self.init(info: info) { unsafe release($0) }
    }
}
