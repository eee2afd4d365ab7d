// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemConfiguration

/// The scenes' driver for Apple's functions: questions, and watching on a queue and on a run loop. See Tests/Scenes/README.md
/// for the lines it reads and writes.

/// One write(2), so that lines of several threads do not mix.
@Sendable func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(1, bytes, bytes.count)
}

/// The bytes of a socket address for "ADDRESS[%INTERFACE]".
func socketAddress(_ text: Substring) -> Data {
    let parts = text.split(separator: "%")
    var four = sockaddr_in()
    four.sin_family = sa_family_t(AF_INET)
    if inet_pton(AF_INET, String(parts[0]), &four.sin_addr) == 1 { return withUnsafeBytes(of: four) { Data($0) } }
    var six = sockaddr_in6()
    six.sin6_family = sa_family_t(AF_INET6)
    guard inet_pton(AF_INET6, String(parts[0]), &six.sin6_addr) == 1 else { fatalError("no address: \(text)") }
    if parts.count > 1 { six.sin6_scope_id = UInt32(parts[1]) ?? if_nametoindex(String(parts[1])) }
    return withUnsafeBytes(of: six) { Data($0) }
}

extension Data {
    func asAddress<Value>(_ body: (UnsafePointer<sockaddr>) -> Value) -> Value {
        withUnsafeBytes { body($0.baseAddress!.assumingMemoryBound(to: sockaddr.self)) }
    }
}

/// By the function that is most like the question: for one address, for two, or with options.
func target(_ question: String) -> SCNetworkReachability? {
    let words = question.split(separator: " ")
    let sides = (words[0] == "default" ? "0.0.0.0" : words[0])
        .split(separator: ",", omittingEmptySubsequences: false).map { $0.isEmpty ? nil : socketAddress($0) }
    if words.count > 1 {
        let options: NSMutableDictionary = [
            kSCNetworkReachabilityOptionInterface: NSString(string: String(words[1].dropFirst("interface=".count)))
        ]
        if sides.count > 1 { options[kSCNetworkReachabilityOptionLocalAddress] = sides[0].map { $0 as NSData } }
        options[kSCNetworkReachabilityOptionRemoteAddress] = sides[sides.count - 1].map { $0 as NSData }
        return SCNetworkReachabilityCreateWithOptions(nil, options)
    }
    if sides.count == 1 { return sides[0]!.asAddress { SCNetworkReachabilityCreateWithAddress(nil, $0) } }
    return withPointers(sides[0], sides[1]) { SCNetworkReachabilityCreateWithAddressPair(nil, $0, $1) }
}

func withPointers<Value>(
    _ first: Data?, _ second: Data?, _ body: (UnsafePointer<sockaddr>?, UnsafePointer<sockaddr>?) -> Value
) -> Value {
    switch (first, second) {
    case (let first?, let second?): first.asAddress { one in second.asAddress { body(one, $0) } }
    case (let first?, nil): first.asAddress { body($0, nil) }
    case (nil, let second?): second.asAddress { body(nil, $0) }
    case (nil, nil): body(nil, nil)
    }
}

let queue = DispatchQueue(label: "callbacks")

func watch(_ question: String) {
    for face in ["SC-queue", "SC-loop"] {
        guard let target = target(question) else { fatalError(question) }
        let info = Unmanaged.passRetained("told \(face) \(question) -> flags=" as NSString).toOpaque()
        var context = SCNetworkReachabilityContext(
            version: 0, info: info, retain: nil, release: nil, copyDescription: nil)
        SCNetworkReachabilitySetCallback(
            target, { say("\(Unmanaged<NSString>.fromOpaque($2!).takeUnretainedValue())\($1.rawValue)") }, &context)
        if face == "SC-queue" {
            SCNetworkReachabilitySetDispatchQueue(target, queue)
        } else {
            SCNetworkReachabilityScheduleWithRunLoop(target, CFRunLoopGetMain(), kCFRunLoopDefaultMode)
        }
    }
    say("watching \(question)")
}

/// The main thread runs the run loop, and carries out the lines there.
@Sendable func perform(_ line: String) {
    let words = line.split(separator: " ", maxSplits: 1).map(String.init)
    switch words[0] {
    case "ask":
        var flags = SCNetworkReachabilityFlags()
        guard let target = target(words[1]), SCNetworkReachabilityGetFlags(target, &flags) else { fatalError(line) }
        let index = SCNetworkReachabilityGetInterfaceIndex(target)
        let interface = withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(IF_NAMESIZE)) { name in
            index >= 0 ? if_indextoname(UInt32(index), name.baseAddress!).map { String(cString: $0) } : nil
        }
        say("answer flags=\(flags.rawValue) interface=\(interface ?? "none")")
    case "watch": watch(words[1])
    default: fatalError(line)
    }
}

Thread.detachNewThread {
    while let line = readLine() {
        CFRunLoopPerformBlock(CFRunLoopGetMain(), kCFRunLoopDefaultMode) { perform(line) }
        CFRunLoopWakeUp(CFRunLoopGetMain())
    }
    exit(0)
}
// A run loop without a source would end.
var context = CFRunLoopSourceContext()
CFRunLoopAddSource(CFRunLoopGetMain(), CFRunLoopSourceCreate(nil, 0, &context), kCFRunLoopDefaultMode)
CFRunLoopRun()
