// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem

/// A kernel setting of a network namespace, by its dotted name (sysctl(8)).
package struct KernelSetting: Sendable, CustomStringConvertible {
    package let name: String
    package let value: Int

    package init(_ name: String, _ value: Int) {
        (self.name, self.value) = (name, value)
    }

    package var description: String { "\(name)=\(value)" }

    /// The value in the calling thread's namespace; nil if the kernel has no such setting.
    package var present: Int? {
        let path = "/proc/sys/" + String(name.map { $0 == "." ? "/" : $0 })
        guard let bytes = try? Files.contents(of: path, limit: 64) else { return nil }
        return Int(String(decoding: bytes, as: UTF8.self).prefix { !$0.isWhitespace })
    }

    /// Sets it in the calling thread's namespace, if it has another value. A kernel without IPv6 lacks half of the settings, and
    /// Docker makes /proc/sys read-only.
    func apply() throws(MachineError) {
        guard let present, present != value else { return }
        do throws(MachineError) {
            try CallingThread.setKernelSetting(name, String(value))
        } catch {
            if error.cause != .system(Errno(rawValue: EROFS)) { throw error }
        }
    }
}
