// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem

@_implementationOnly import CReachabilityTesting

/// Operations in the namespaces of the calling thread.
package enum CallingThread {
    /// Runs a command and returns its output.
    ///
    /// The child inherits the namespaces of this thread: posix_spawn(3) forks from it.
    @discardableResult
    package static func execute(_ words: [String], input: String = "") throws(MachineError) -> String {
        var output: Int32 = -1
        var complaints: Int32 = -1
        var arguments = unsafe words.map { unsafe strdup($0) }
        unsafe arguments.append(nil)
        defer { unsafe arguments.forEach { unsafe free($0) } }
        let status = unsafe reachability_testing_run(arguments, input, input.utf8.count, &output, &complaints)
        guard status >= 0 else { throw .last("run \(words.first ?? "")") }
        let texts = (output: takeText(output), complaints: takeText(complaints))
        guard status == 0 else {
            let command = (words + (input.isEmpty ? [] : ["<<", input])).joined(separator: " ")
            throw .command(command, status: status, complaints: texts.complaints)
        }
        return texts.output
    }

    /// Sets a kernel setting of the network namespace by its dotted name, such as "net.ipv4.ip_forward". A name may
    /// hold dots only where slashes are not used ("net/ipv4/conf/eth0.1/forwarding", sysctl(8)).
    package static func setKernelSetting(_ name: String, _ value: String) throws(MachineError) {
        let path = "/proc/sys/" + (name.contains("/") ? name : String(name.map { $0 == "." ? "/" : $0 }))
        // A file under /proc/sys/net belongs to the namespace of the thread that opens it.
        try writeFile(path, value, to: "set \(name) to \(value)")
    }

    /// Overwrites an existing file.
    static func writeFile(_ path: String, _ text: String, to purpose: String) throws(MachineError) {
        let descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC | O_TRUNC)
        guard descriptor >= 0 else { throw .last(purpose) }
        let file = OwnedDescriptor(owning: descriptor)
        guard unsafe write(file.rawValue, text, text.utf8.count) == text.utf8.count else { throw .last(purpose) }
    }

    private static func takeText(_ descriptor: Int32) -> String {
        let owned = OwnedDescriptor(owning: descriptor)
        let bytes = (try? Files.contents(of: "/proc/self/fd/\(owned.rawValue)")) ?? []
        return String(decoding: bytes, as: UTF8.self)
    }
}
