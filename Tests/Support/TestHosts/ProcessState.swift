// SPDX-License-Identifier: Apache-2.0

import CTestTopology
import Glibc
import ReachabilityLinuxSystem
import TestWaiting

/// The threads, descriptors and memory of this process. For tests in their own processes, where other tests do not interfere.
package enum ProcessState {
    /// The names of all threads.
    package static var threads: [String] { threads(of: "self") }

    /// The names of the threads of a process, by its number.
    package static func threads(of process: String) -> [String] {
        numbers(of: process).compactMap { name(of: $0, in: process) }
    }

    /// How often threads of a name went to sleep, which is how often they were or will be woken (proc(5), status).
    package static func wakeUps(of thread: String) -> Int {
        sum(of: thread, in: "status") { text in
            let line = text.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
            return line?.split(separator: "\t").last.flatMap { Int($0) }
        }
    }

    /// The nanoseconds for which threads of a name had a processor (/proc/[pid]/schedstat, Documentation/scheduler/sched-stats.rst).
    package static func processorTime(of thread: String) -> Int {
        sum(of: thread, in: "schedstat") { text in text.split(separator: " ").first.flatMap { Int($0) } }
    }

    /// Whether a thread of a name sleeps in epoll_wait(2) for a descriptor, without a limit (proc(5), syscall).
    package static func sleepsWithoutLimit(_ thread: String, in descriptor: Int32) -> Bool {
        let argument = "0x" + String(descriptor, radix: 16)
        return numbers(of: "self").contains { number in
            guard name(of: number, in: "self") == thread,
                let call = try? Files.contents(of: "/proc/self/task/\(number)/syscall")
            else { return false }
            let columns = String(decoding: call, as: UTF8.self).split(separator: " ")
            return columns.count > 4 && columns[1] == argument && columns[4].hasSuffix("ffffffff")
        }
    }

    /// Adds up what a file of /proc says of each thread of a name.
    private static func sum(of thread: String, in file: String, _ number: (String) -> Int?) -> Int {
        numbers(of: "self").filter { name(of: $0, in: "self") == thread }.reduce(0) { sum, identifier in
            let bytes = (try? Files.contents(of: "/proc/self/task/\(identifier)/\(file)")) ?? []
            return sum + (number(String(decoding: bytes, as: UTF8.self)) ?? 0)
        }
    }

    private static func name(of number: String, in process: String) -> String? {
        // A thread may have ended since its number was read.
        guard let name = try? Files.contents(of: "/proc/\(process)/task/\(number)/comm") else { return nil }
        return String(decoding: name.dropLast(), as: UTF8.self)
    }

    private static func numbers(of process: String) -> [String] {
        guard let directory = unsafe opendir("/proc/\(process)/task") else { return [] }
        defer { unsafe closedir(directory) }
        var numbers: [String] = []
        while let entry = unsafe readdir(directory) {
            numbers.append(
                unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                    unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                })
        }
        return numbers
    }

    /// How many threads have one of these names.
    package static func count(named names: String...) -> Int {
        numbers(of: "self").count { number in
            guard let name = name(of: number, in: "self"), names.contains(name) else { return false }
            return !mayBeOfDispatch(number)
        }
    }

    /// Before Swift 6.3 an idle thread of Dispatch, which waits in futex(2), has the name of the thread for which it was started
    /// (clone(2)).
    private static func mayBeOfDispatch(_ number: String) -> Bool {
        #if compiler(>=6.3)
        return false
        #else
        let call = (try? Files.contents(of: "/proc/self/task/\(number)/syscall")) ?? []
        return String(decoding: call, as: UTF8.self).hasPrefix("\(topology_futex) ")
        #endif
    }

    /// The number of engine threads.
    package static var engineCount: Int { count(named: "reachability") }

    /// Waits until the engine threads have ended, as they do after the last use.
    package static func waitUntilEnginesAreGone() throws {
        try wait("the engines' threads end") { engineCount == 0 }
    }

    /// Waits for a condition that another thread makes true without signalling it.
    package static func wait(_ description: String, _ holds: () throws -> Bool) throws {
        try WaitLimit.wait(for: description, until: holds)
    }

    package static var descriptors: Int { openDescriptorCount() }

    /// Kilobytes of memory in use (proc(5), statm: resident pages). From the first call on, the process gets no huge pages:
    /// a single one more would look like a leak of two megabytes.
    package static var residentKilobytes: Int {
        topology_refuse_huge_pages()
        let text = String(decoding: (try? Files.contents(of: "/proc/self/statm")) ?? [], as: UTF8.self)
        return (Int(text.split(separator: " ")[1]) ?? 0) * Int(getpagesize()) / 1024
    }
}
