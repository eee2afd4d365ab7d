// SPDX-License-Identifier: Apache-2.0

import SystemConfigurationCore

extension ContextBox {
    /// Retains the `info` of a client's context. A null `info` is not passed on, as the parameter is not optional in Swift.
    convenience init(
        retaining info: UnsafeMutableRawPointer?, retain: (@convention(c) (UnsafeRawPointer) -> UnsafeRawPointer)?,
        release: (@convention(c) (UnsafeRawPointer) -> Void)?
    ) {
        guard var info = unsafe info else {
            unsafe self.init(info: nil, release: nil)
            return
        }
        if let retain = unsafe retain {
            unsafe info = UnsafeMutableRawPointer(mutating: retain(info))
        }
        guard let release = unsafe release else {
            unsafe self.init(info: info, release: nil)
            return
        }
        unsafe self.init(info: info) { unsafe $0.map { unsafe release($0) } }
    }
}
