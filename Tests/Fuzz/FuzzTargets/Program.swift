// SPDX-License-Identifier: Apache-2.0

import CReachability
import CReachabilityHeaders
import Glibc

/// For whatever a program in C passes, a function fails with a number and a sentence, or makes a target that can be asked.
/// The bytes are texts, each with a NUL behind it: the target, the interface, the source, the namespace, and name servers.
func callAsProgram(_ bytes: [UInt8]) {
    let texts = bytes.split(separator: 0, maxSplits: 7, omittingEmptySubsequences: false).map(CopiedBytes.init)
    _ = unsafe kept
    var options = unsafe reachability_options()
    unsafe options.size = unsafe MemoryLayout<reachability_options>.size
    unsafe options.timeout_milliseconds = 1
    if texts.count > 1 { unsafe options.interface_name = texts[1].text }
    if texts.count > 2 { unsafe options.source_address = texts[2].text }
    // A path would open any file of this machine. A name stays in the folder of named namespaces.
    if texts.count > 3, !bytes.contains(UInt8(ascii: "/")) { unsafe options.network_namespace = texts[3].text }
    var servers: [UnsafePointer<CChar>?] = unsafe texts.dropFirst(4).map { unsafe $0.text } + [nil]
    defer { withExtendedLifetime(texts) {} }
    unsafe servers.withUnsafeMutableBufferPointer { list in
        if texts.count > 4 { unsafe options.name_servers = UnsafePointer(list.baseAddress) }
        unsafe check { unsafe CReachabilityHeaders.reachability_target_create(texts[0].text, nil, $0, $1) }
        unsafe check { unsafe CReachabilityHeaders.reachability_target_create(texts[0].text, &options, $0, $1) }
        unsafe check {
            unsafe CReachabilityHeaders.reachability_target_create_pair(
                texts[0].text, texts[texts.count - 1].text, &options, $0, $1)
        }
        unsafe check { unsafe CReachabilityHeaders.reachability_target_create_default(&options, $0, $1) }
    }
    let address = CopiedBytes(bytes[...])
    defer { withExtendedLifetime(address) {} }
    unsafe check {
        unsafe CReachabilityHeaders.reachability_target_create_with_address(
            address.memory.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count), nil, $0, $1)
    }
}

/// A target that stays, so that the sockets which targets share are not opened again by every run.
private nonisolated(unsafe) let kept: OpaquePointer? = {
    var target: OpaquePointer?
    _ = unsafe CReachabilityHeaders.reachability_target_create("127.0.0.1", nil, &target, nil)
    var flags: UInt32 = 0
    _ = unsafe CReachabilityHeaders.reachability_target_get_flags(target!, &flags, nil, nil)
    return unsafe target
}()

/// Calls a function that makes a target, and looks at what it tells.
private func check(
    _ create: (UnsafeMutablePointer<OpaquePointer?>, UnsafeMutablePointer<reachability_error>?) -> Int32
) {
    var error = reachability_error()
    var target: OpaquePointer?
    let code = unsafe create(&target, &error)
    require(unsafe (code == 0) == (target != nil), "the number \(code), and a target or none")
    guard let target = unsafe target else {
        require(error.code == code, "the error has another number")
        unsafe withUnsafeBytes(of: error.message) { bytes in
            let end = unsafe bytes.firstIndex(of: 0)
            require(end != nil && end != 0, "a sentence without an end, or none")
            let sentence = unsafe Array(bytes[..<(end ?? 0)])
            require(String(validating: sentence, as: UTF8.self) != nil, "a sentence that is no text")
            require(!sentence.contains { $0 < 0x20 || $0 == 0x7F }, "a sentence with a control character")
        }
        var second: OpaquePointer?
        require(unsafe create(&second, nil) == code, "another number if no error is asked for")
        return
    }
    unsafe CReachabilityHeaders.reachability_target_free(target)
}

/// Bytes with a NUL behind them and nothing else, so that Address Sanitizer notices each byte that is read beyond.
@safe private final class CopiedBytes {
    let memory: UnsafeMutableRawPointer

    init(_ bytes: ArraySlice<UInt8>) {
        unsafe memory = .allocate(byteCount: bytes.count + 1, alignment: MemoryLayout<sockaddr_storage>.alignment)
        unsafe UnsafeMutableRawBufferPointer(start: memory, count: bytes.count).copyBytes(from: bytes)
        unsafe memory.storeBytes(of: 0, toByteOffset: bytes.count, as: UInt8.self)
    }

    deinit { unsafe memory.deallocate() }

    var text: UnsafePointer<CChar> { unsafe UnsafePointer(memory.assumingMemoryBound(to: CChar.self)) }
}
