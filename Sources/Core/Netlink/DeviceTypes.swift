// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem

/// Reads the DEVTYPE of devices from sysfs, with which drivers mark modems and Wi-Fi.
package struct DeviceTypes: Sendable {
    private let directory: String

    /// - Parameter directory: the directory of network devices.
    package init(directory: String = "/sys/class/net") {
        self.directory = directory
    }

    /// The DEVTYPE of a link's device. Nil if it has none, or if /sys is missing or shows another namespace.
    ///
    /// - Throws: an error if there is no descriptor or memory to read it. It counts as none then, but must be read again.
    package func type(of link: LinkFacts) throws(Errno) -> String? {
        let bytes: [UInt8]
        do throws(Errno) {
            bytes = try Files.contents(of: "\(directory)/\(link.name)/uevent", limit: 4096)
        } catch {
            if error.isShortage { throw error }
            return nil
        }
        var type: String?
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            let text = String(decoding: line, as: UTF8.self)
            if text.hasPrefix("DEVTYPE=") { type = String(text.dropFirst("DEVTYPE=".count)) }
            // A sysfs shows the namespace in which it was mounted. There a device of this name has another index.
            if text.hasPrefix("IFINDEX="), UInt32(text.dropFirst("IFINDEX=".count)) != link.index.rawValue {
                return nil
            }
        }
        return type
    }

    /// Whether a link's device has wireless extensions. Wi-Fi drivers that set no DEVTYPE have them.
    private func hasWirelessExtensions(_ link: LinkFacts) -> Bool {
        guard (try? Files.identity(of: "\(directory)/\(link.name)/wireless")) != nil,
            let bytes = try? Files.contents(of: "\(directory)/\(link.name)/ifindex", limit: 64)
        else { return false }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").first == "\(link.index.rawValue)"
    }

    /// The same, and "wlan" also for Wi-Fi that only has wireless extensions.
    package func typeOrWireless(of link: LinkFacts) throws(Errno) -> String? {
        try type(of: link) ?? (hasWirelessExtensions(link) ? "wlan" : nil)
    }
}
