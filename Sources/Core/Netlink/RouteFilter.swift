// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem

@_implementationOnly import CReachabilityLinux

/// A socket filter that drops announcements of routes that contain none of a few addresses.
///
/// It examines only route messages in the exact layout that the kernel uses, and passes everything else. A load past the end of
/// a message would drop it (Documentation/networking/filter.rst), so the program loads only bytes that exist.
package enum RouteFilter {
    /// The most addresses. The program runs in the system call of whoever changes a route, so it must be short.
    package static let mostAddresses = 100

    package static func program(watching addresses: [IPAddress]) -> [FilterInstruction] {
        let watched = addresses.map { words(of: $0.unmapped) }
        let ipv4 = testDestination(watched.filter { $0.count == 1 }, wordCount: 1)
        let ipv6 = testDestination(watched.filter { $0.count == 4 }, wordCount: 4)
        return recognizeRoute
            + [.loadByte(Layout.family), .jump(BPF_JEQ, UInt32(AF_INET), then: 1), .skip(ipv4.count)] + ipv4
            + passUnless(BPF_JEQ, UInt32(AF_INET6)) + ipv6
    }

    private static func words(of address: IPAddress) -> [UInt32] {
        switch address {
        case .v4(let address): [address.rawValue]
        case .v6(let address, _):
            [address.high >> 32, address.high, address.low >> 32, address.low].map(UInt32.init(truncatingIfNeeded:))
        }
    }

    /// Passes everything that is not a single message about a route with a destination.
    private static var recognizeRoute: [FilterInstruction] {
        [.loadLength] + passUnless(BPF_JGE, Layout.destination)
            + [.loadHalf(Layout.type), .jump(BPF_JEQ, Layout.seen(Int32(RTM_NEWROUTE)), then: 2)]
            + passUnless(BPF_JEQ, Layout.seen(Int32(RTM_DELROUTE)))
            + requireSingleMessage
            + [.loadByte(Layout.prefixLength)] + passUnless(BPF_JGT, 0)
            + [.loadWord(Layout.table)] + passUnless(BPF_JEQ, Layout.attribute(length: 8, type: RTA_TABLE))
    }

    /// Passes a datagram whose nlmsg_len, which is in the machine's byte order, is not its length.
    private static var requireSingleMessage: [FilterInstruction] {
        #if _endian(little)
        [.loadHalf(2)] + passUnless(BPF_JEQ, 0)
            + [.loadByte(1), .shiftLeft(8), .toIndex, .loadByte(0), .orIndex, .toIndex, .loadLength]
            + passUnless(BPF_JEQ | BPF_X)
        #else
        [.loadWord(0), .toIndex, .loadLength] + passUnless(BPF_JEQ | BPF_X)
        #endif
    }

    /// Passes a route if its prefix contains one of the addresses, or is not one of a family with so many words.
    private static func testDestination(_ watched: [[UInt32]], wordCount: Int) -> [FilterInstruction] {
        let bytes = UInt32(4 * wordCount)
        let sorted = watched.sorted { $0[0] < $1[0] }
        var steps: [FilterInstruction] = [.loadLength]
        steps += passUnless(BPF_JGE, Layout.destination + bytes)
        steps.append(.loadWord(Layout.destinationHeader))
        steps += passUnless(BPF_JEQ, Layout.attribute(length: Int32(4 + bytes), type: RTA_DST))
        steps += [.loadByte(Layout.prefixLength), .jump(BPF_JGT, 8 * bytes, otherwise: 1), .pass]
        for word in 0..<wordCount { steps += storeRange(ofWord: word) }
        steps += [.loadMemory(Cell.lowest(0)), .jump(BPF_JGT, sorted.last?[0] ?? 0, otherwise: 1), .drop]
        steps += decide(among: sorted[...])
        return steps + [.drop]
    }

    /// Stores the lowest and the highest value that a word of an address in the prefix can have.
    private static func storeRange(ofWord word: Int) -> [FilterInstruction] {
        let bitsBefore = UInt32(32 * word)
        // First the mask of the word's bits after the prefix. A shift by 32 is undefined, so one bit is shifted beforehand.
        return [
            .loadByte(Layout.prefixLength),
            .jump(BPF_JGT, bitsBefore, then: 2), .loadConstant(.max), .skip(7),
            .jump(BPF_JGT, bitsBefore + 32, otherwise: 2), .loadConstant(0), .skip(4),
            .subtract(bitsBefore + 1), .toIndex, .loadConstant(.max >> 1),
            .shiftRightByIndex,
            .toIndex, .loadWord(Layout.destination + UInt32(4 * word)), .store(Cell.lowest(word)),
            .orIndex, .store(Cell.highest(word)),
        ]
    }

    /// Finds the first address whose first word is not below the range, and decides about it and those that follow. The lowest first
    /// word is in the accumulator and stays there. The last of the addresses must not be below the range.
    private static func decide(among sorted: ArraySlice<[UInt32]>) -> [FilterInstruction] {
        guard sorted.count > 1 else { return sorted.flatMap(decide) }
        let (low, high) = (sorted.prefix(sorted.count / 2), sorted.dropFirst(sorted.count / 2))
        let steps = decide(among: low)
        return [.jump(BPF_JGT, low.last![0], otherwise: 1), .skip(steps.count)] + steps
            + decide(among: high)
    }

    /// Passes if each word of the address is in its range.
    private static func decide(about address: [UInt32]) -> [FilterInstruction] {
        var steps = [FilterInstruction.pass]
        for (number, word) in address.enumerated().dropFirst().reversed() {
            steps =
                [
                    .loadMemory(Cell.lowest(number)), .jump(BPF_JGT, word, then: steps.count + 2),
                    .loadMemory(Cell.highest(number)), .jump(BPF_JGE, word, otherwise: steps.count),
                ] + steps
        }
        // If the only word is above the range, so are those of all that follow.
        let no = address.count == 1 ? FilterInstruction.drop : .loadMemory(Cell.lowest(0))
        return [.loadMemory(Cell.highest(0)), .jump(BPF_JGE, address[0], otherwise: steps.count)] + steps + [no]
    }

    private static func passUnless(_ test: Int32, _ operand: UInt32 = 0) -> [FilterInstruction] {
        [.jump(test, operand, then: 1), .pass]
    }
}

/// Offsets in the announcement of a route: struct nlmsghdr, struct rtmsg, RTA_TABLE, and RTA_DST unless the length of the
/// prefix is 0 (fib_dump_info in net/ipv4/fib_semantics.c, rt6_fill_node in net/ipv6/route.c).
private enum Layout {
    static let type: UInt32 = 4
    static let family: UInt32 = 16
    static let prefixLength: UInt32 = 17
    static let table: UInt32 = 28
    static let destinationHeader: UInt32 = 36
    static let destination: UInt32 = 40

    /// A number in the machine's byte order, as read by the filter's loads, which expect network order.
    static func seen(_ value: Int32) -> UInt32 { UInt32(UInt16(value).bigEndian) }

    static func attribute(length: Int32, type: Int) -> UInt32 {
        seen(length) << 16 | seen(Int32(type))
    }
}

/// Cells of the program's memory.
private enum Cell {
    static func lowest(_ word: Int) -> UInt32 { UInt32(2 * word) }
    static func highest(_ word: Int) -> UInt32 { UInt32(2 * word + 1) }
}

/// The instructions of the filter (linux/filter.h).
extension FilterInstruction {
    // A filter returns how many bytes of the message the socket receives. Zero drops the message.
    fileprivate static var pass: Self { make(BPF_RET | BPF_K, .max) }
    fileprivate static var drop: Self { make(BPF_RET | BPF_K, 0) }

    fileprivate static func loadByte(_ offset: UInt32) -> Self { make(BPF_LD | BPF_B | BPF_ABS, offset) }
    /// Two bytes in network order.
    fileprivate static func loadHalf(_ offset: UInt32) -> Self { make(BPF_LD | BPF_H | BPF_ABS, offset) }
    /// Four bytes in network order.
    fileprivate static func loadWord(_ offset: UInt32) -> Self { make(BPF_LD | BPF_W | BPF_ABS, offset) }
    fileprivate static var loadLength: Self { make(BPF_LD | BPF_W | BPF_LEN, 0) }
    fileprivate static func loadConstant(_ value: UInt32) -> Self { make(BPF_LD | BPF_IMM, value) }
    fileprivate static func loadMemory(_ cell: UInt32) -> Self { make(BPF_LD | BPF_MEM, cell) }
    fileprivate static func store(_ cell: UInt32) -> Self { make(BPF_ST, cell) }
    fileprivate static var toIndex: Self { make(BPF_MISC | BPF_TAX, 0) }
    fileprivate static var orIndex: Self { make(BPF_ALU | BPF_OR | BPF_X, 0) }
    fileprivate static var shiftRightByIndex: Self { make(BPF_ALU | BPF_RSH | BPF_X, 0) }
    fileprivate static func shiftLeft(_ bits: UInt32) -> Self { make(BPF_ALU | BPF_LSH | BPF_K, bits) }
    fileprivate static func subtract(_ value: UInt32) -> Self { make(BPF_ALU | BPF_SUB | BPF_K, value) }
    fileprivate static func skip(_ count: Int) -> Self { make(BPF_JMP | BPF_JA, UInt32(count)) }

    /// Tests the accumulator: BPF_JEQ, BPF_JGT or BPF_JGE, with BPF_X against the index register. Skips so many instructions.
    fileprivate static func jump(_ test: Int32, _ operand: UInt32, then: Int = 0, otherwise: Int = 0) -> Self {
        Self(code: UInt16(BPF_JMP | test), jumpTrue: UInt8(then), jumpFalse: UInt8(otherwise), operand: operand)
    }

    private static func make(_ code: Int32, _ operand: UInt32) -> Self {
        FilterInstruction(code: UInt16(code), operand: operand)
    }
}
