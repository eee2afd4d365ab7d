// SPDX-License-Identifier: Apache-2.0

import CReachabilityHeaders
import ReachabilityKit

/// A structure that a client makes, and that begins with its size. The client may know less of it than this library, or more.
protocol ClientStructure {
    init()
    /// The size in the first version of the header. A client has at least so much, whatever was added since.
    static var firstSize: Int { get }
    /// How a client begins.
    static var start: String { get }
}

extension reachability_options: ClientStructure {
    static var firstSize: Int { 64 }
    static var start: String { "REACHABILITY_OPTIONS_INIT" }
}

extension reachability_conditions: ClientStructure {
    static var firstSize: Int { 32 }
    static var start: String { "REACHABILITY_CONDITIONS_INIT" }
}

extension reachability_path: ClientStructure {
    static var firstSize: Int { 56 }
    static var start: String { "REACHABILITY_PATH_INIT" }
}

extension reachability_socket_state: ClientStructure {
    static var firstSize: Int { 32 }
    static var start: String { "REACHABILITY_SOCKET_STATE_INIT" }
}

extension ClientStructure {
    /// Copies what a client has filled. What the client does not have is zero; what this library does not know must be zero, as
    /// for openat2(2).
    init(filledBy client: UnsafePointer<Self>, _ task: String) throws(ReachabilityError) {
        self.init()
        let size = try unsafe Self.size(of: client, task)
        let given = unsafe UnsafeRawBufferPointer(start: client, count: size)
        let known = min(size, MemoryLayout<Self>.size)
        unsafe withUnsafeMutableBytes(of: &self) { bytes in
            unsafe bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: given[..<known]))
        }
        guard unsafe given[known...].allSatisfy({ $0 == 0 }) else {
            throw ReachabilityError(
                .invalidOption, task, "", "they ask for what version \(packageVersion) of the library does not have")
        }
    }

    /// Tells a client as much as it has room for. What this library does not know is zero.
    func tell(_ client: UnsafeMutablePointer<Self>, _ task: String) throws(ReachabilityError) {
        let size = try unsafe Self.size(of: client, task)
        let room = unsafe UnsafeMutableRawBufferPointer(start: client, count: size)
        let known = min(size, MemoryLayout<Self>.size)
        unsafe withUnsafeBytes(of: self) { bytes in
            unsafe room.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<known]))
        }
        for position in known..<size { unsafe room[position] = 0 }
        // Not all that this library has: the client may use the structure for another call.
        unsafe room.storeBytes(of: known, as: Int.self)
    }

    /// The size that a client has set. One that it forgot is seldom between the first version's and a page.
    private static func size(of client: UnsafePointer<Self>, _ task: String) throws(ReachabilityError) -> Int {
        let size = unsafe UnsafeRawPointer(client).load(as: Int.self)
        guard (firstSize...4096).contains(size) else {
            throw ReachabilityError(
                .invalidOption, task, "", "the size of the structure is set to \(size); start with \(start)")
        }
        return size
    }
}
