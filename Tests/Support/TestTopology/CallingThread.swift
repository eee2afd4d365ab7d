// SPDX-License-Identifier: Apache-2.0

import CTestTopology
import Glibc
import ReachabilityLinuxSystem

extension Errno {
    /// The calling thread's `errno`, valid directly after a failed call.
    static var ofLastCall: Errno { Errno(rawValue: errno) }
}

/// Commands in the namespace of the calling thread.
package enum CallingThread {
    /// Runs a command and returns its output.
    ///
    /// The child inherits the namespaces of this thread: posix_spawn(3) forks from it.
    @discardableResult
    package static func execute(_ words: [String], input: String = "") throws(TopologyError) -> String {
        var output: Int32 = -1
        var complaints: Int32 = -1
        var arguments = unsafe words.map { unsafe strdup($0) }
        unsafe arguments.append(nil)
        defer { unsafe arguments.forEach { unsafe free($0) } }
        let status = unsafe topology_run(arguments, input, input.utf8.count, &output, &complaints)
        guard status >= 0 else { throw .last("run \(words.first ?? "")") }
        let texts = (output: takeText(output), complaints: takeText(complaints))
        guard status == 0 else {
            let command = (words + (input.isEmpty ? [] : ["<<", input])).joined(separator: " ")
            throw .command(command, status: status, complaints: texts.complaints)
        }
        return texts.output
    }

    /// Runs commands of iproute2's `ip`, one on each line, up to the first that fails.
    @discardableResult
    package static func ip(_ commands: String) throws(TopologyError) -> String {
        let lines = commands.split(separator: "\n")
        // A batch accepts no option, such as "-6".
        if lines.count > 1, !lines.contains(where: { $0.hasPrefix("-") }) {
            return try execute(["ip", "-batch", "-"], input: commands + "\n")
        }
        return try lines.map { (line) throws(TopologyError) in
            try execute(["ip"] + line.split(separator: " ").map(String.init))
        }.joined()
    }

    /// Sets a kernel setting of the network namespace by its dotted name, such as "net.ipv4.ip_forward". A name may
    /// hold dots only where slashes are not used ("net/ipv4/conf/eth0.1/forwarding", sysctl(8)).
    package static func setKernelSetting(_ name: String, _ value: String) throws(TopologyError) {
        let path = name.contains("/") ? name : String(name.map { $0 == "." ? "/" : $0 })
        guard unsafe topology_write_file("/proc/sys/\(path)", value, value.utf8.count) == 0 else {
            throw .last("set \(name) to \(value)")
        }
    }

    private static func takeText(_ descriptor: Int32) -> String {
        let owned = OwnedDescriptor(owning: descriptor)
        let bytes = (try? Files.contents(of: "/proc/self/fd/\(owned.rawValue)")) ?? []
        return String(decoding: bytes, as: UTF8.self)
    }
}
