// SPDX-License-Identifier: Apache-2.0

package import CTestTopology
import Glibc
import ReachabilityLinuxSystem
import TestWaiting

/// Swift's Glibc module lacks it.
@_silgen_name("fork") private func forkWithoutLimit() -> pid_t

/// fork(2). SIGALRM ends a child that hangs, so that its parent does not hang as well.
package func forkProcess() -> pid_t {
    let child = forkWithoutLimit()
    guard child == 0 else { return child }
    // The thread may have every signal blocked.
    var limit = sigset_t()
    unsafe sigemptyset(&limit)
    unsafe sigaddset(&limit, SIGALRM)
    unsafe pthread_sigmask(SIG_UNBLOCK, &limit, nil)
    alarm(UInt32(WaitLimit.seconds))
    return child
}

/// Lets a process tell another something, a byte at a time.
package struct BytePipe: Sendable {
    private let ends: [Int32]

    package init() {
        var ends: [Int32] = [-1, -1]
        unsafe precondition(pipe(&ends) == 0)
        self.ends = ends
    }

    package func write(_ byte: UInt8) {
        var byte = byte
        unsafe precondition(Glibc.write(ends[1], &byte, 1) == 1)
    }

    /// Waits for a byte. Nil if none comes.
    package func read() -> UInt8? {
        var byte: UInt8 = 0
        guard topology_wait_readable(ends[0], WaitLimit.milliseconds) > 0 else { return nil }
        return unsafe Glibc.read(ends[0], &byte, 1) == 1 ? byte : nil
    }
}

/// A program that runs beside a test, which reads its error output.
package final class ChildProcess {
    private let identifier: pid_t
    private let output: Int32
    private var isRunning = true

    package init(_ path: String, _ arguments: [String]) throws {
        var ends: [Int32] = [0, 0]
        unsafe pipe(&ends)
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], 2)
        unsafe posix_spawn_file_actions_addclose(&actions, ends[0])
        var words: [UnsafeMutablePointer<CChar>?] = unsafe ([path] + arguments).map { unsafe strdup($0) }
        unsafe words.append(nil)
        defer {
            for index in unsafe words.indices { unsafe free(words[index]) }
            unsafe posix_spawn_file_actions_destroy(&actions)
            close(ends[1])
        }
        var identifier = pid_t()
        let status = unsafe posix_spawn(&identifier, path, &actions, nil, &words, environ)
        output = ends[0]
        self.identifier = identifier
        guard status == 0 else { throw Errno(rawValue: status) }
    }

    /// The program has ended without what a test waits for.
    package struct MissingOutput: Error, CustomStringConvertible {
        package let description: String
    }

    /// Reads until a word comes, and returns what was read. Throws if the program ends before.
    @discardableResult
    package func waitForOutput(_ word: String) throws -> String {
        var text = ""
        var buffer = [UInt8](repeating: 0, count: 1024)
        while !text.contains(word) {
            guard topology_wait_readable(output, WaitLimit.milliseconds) > 0 else {
                throw WaitTimeout("\"\(word)\" after \"\(text)\"")
            }
            let count = unsafe read(output, &buffer, 1024)
            guard count > 0 else { throw MissingOutput(description: "the program ended after \"\(text)\"") }
            text += String(decoding: buffer[..<count], as: UTF8.self)
        }
        return text
    }

    /// Waits until it watches: its engine has a thread. What the client knows was asked before that was started, so every later
    /// change is told.
    package func waitUntilWatching() throws {
        try ProcessState.wait("the engine of the program runs") {
            ProcessState.threads(of: "\(identifier)").contains("reachability")
        }
    }

    /// A second call does nothing, because the number may belong to another process by then.
    package func end() {
        guard isRunning else { return }
        isRunning = false
        // The program may have inherited a mask that blocks all other signals.
        kill(identifier, SIGKILL)
        var status: Int32 = 0
        unsafe waitpid(identifier, &status, 0)
        close(output)
    }
}
