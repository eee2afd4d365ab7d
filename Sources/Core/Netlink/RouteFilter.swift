// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem

@_implementationOnly import CLinux

/// A socket filter that drops announcements of routes which contain no watched address.
///
/// It examines only route messages in the exact layout that the kernel uses, and passes everything else. So it may pass too
/// much, but never too little. Its cost grows with the logarithm of the number of addresses.
package enum RouteFilter {
    /// The largest number of instructions that the kernel accepts (BPF_MAXINSNS, linux/bpf_common.h).
    package static let largestProgram = Int(BPF_MAXINSNS)

    /// Enough for one range of each family.
    private static let smallestLimit = 256

    /// Attaches a program for these addresses. Replaces an earlier one in a single step.
    ///
    /// The kernel charges a program to the socket's option memory, and during the exchange its predecessor as well
    /// (sk_filter_charge in net/core/filter.c). A program of full size needs more than the 20 KiB that older kernels such
    /// as 6.1 allow by default (net.core.optmem_max). There two programs of 512 instructions were seen to fit, and two of
    /// 768 not. A smaller program is less exact and just as correct.
    package static func attach(
        watching addresses: [IPAddress], to socket: borrowing NetlinkSocket
    ) throws(Errno) {
        for limit in [largestProgram, 512] {
            do throws(Errno) {
                try socket.attachFilter(program(watching: addresses, limit: limit))
                return
            } catch {
                if error != .outOfMemory { throw error }
            }
        }
        try socket.attachFilter(program(watching: addresses, limit: smallestLimit))
    }

    /// - Parameter limit: the largest number of instructions. If the program would have more, neighbouring addresses are
    ///   joined to ranges, the closest first.
    package static func program(
        watching addresses: [IPAddress], limit: Int = largestProgram
    ) -> [FilterInstruction] {
        precondition(limit >= smallestLimit && limit <= largestProgram)
        var keys: (v4: [UInt64], v6: [UInt64]) = ([], [])
        for address in addresses {
            switch address.unmapped {
            case .v4(let address): keys.v4.append(UInt64(address.rawValue))
            case .v6(let address, _): keys.v6.append(address.high)
            }
        }
        // A range needs at least three instructions.
        let v4 = WatchedRanges(keys.v4).joined(to: limit / 3)
        let v6 = WatchedRanges(keys.v6).joined(to: limit / 3)
        var best = assemble(v4, v6)
        guard best.count > limit else { return best }
        // Finds the largest number of ranges for each family with which the program fits. One always fits.
        var fitting = 1
        var tooMany = max(v4.count, v6.count)
        best = assemble(v4.joined(to: 1), v6.joined(to: 1))
        while tooMany - fitting > 1 {
            let middle = (fitting + tooMany) / 2
            let program = assemble(v4.joined(to: middle), v6.joined(to: middle))
            if program.count <= limit {
                (best, fitting) = (program, middle)
            } else {
                tooMany = middle
            }
        }
        return best
    }

    private static func assemble(_ v4: WatchedRanges, _ v6: WatchedRanges) -> [FilterInstruction] {
        var assembler = FilterAssembler()
        assembler.search(v6.twoWords)
        assembler.computeIPv6Range()
        let ipv6 = assembler.head
        assembler.search(v4.singleWords)
        assembler.computeIPv4Range()
        let ipv4 = assembler.head
        assembler.recognize(ipv4: ipv4, ipv6: ipv6)
        return assembler.program
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

/// Cells of the program's memory. They hold words of the first and last address of the prefix.
private enum Cell {
    static let firstHigh: UInt32 = 0
    static let secondLow: UInt32 = 1
    static let secondHigh: UInt32 = 2
}

extension FilterAssembler {
    /// Passes everything except announcements of routes with a destination.
    fileprivate mutating func recognize(ipv4: Label, ipv6: Label) {
        requireDestination(length: 20, smallestMessage: 56, then: ipv6)
        let destination6 = head
        requireDestination(length: 8, smallestMessage: 44, then: ipv4)
        let destination4 = head

        branch(BPF_JEQ, UInt32(AF_INET6), then: .label(destination6), otherwise: .pass)
        branch(BPF_JEQ, UInt32(AF_INET), then: .label(destination4), otherwise: .label(head))
        prepend(.loadByte(Layout.family))
        branch(BPF_JEQ, Layout.attribute(length: 8, type: RTA_TABLE), then: .label(head), otherwise: .pass)
        prepend(.loadWord(Layout.table))
        branch(BPF_JEQ, 0, then: .pass, otherwise: .label(head))
        prepend(.loadByte(Layout.prefixLength))
        requireSingleMessage()
        let route = head
        branch(BPF_JEQ, Layout.seen(Int32(RTM_DELROUTE)), then: .label(route), otherwise: .pass)
        branch(BPF_JEQ, Layout.seen(Int32(RTM_NEWROUTE)), then: .label(route), otherwise: .label(head))
        prepend(.loadHalf(Layout.type))
        // The message must reach to the header of RTA_DST before any byte is loaded.
        branch(BPF_JGE, 40, then: .label(head), otherwise: .pass)
        prepend(.loadLength)
    }

    /// Requires that the datagram is a single message: that nlmsg_len, in the machine's byte order, is its length.
    private mutating func requireSingleMessage() {
        branch(BPF_JEQ | BPF_X, then: .label(head), otherwise: .pass)
        #if _endian(little)
        prepend(
            .loadByte(1), .shiftLeft(8), .toIndex, .loadByte(0), .orIndex,
            .toIndex, .loadLength)
        branch(BPF_JEQ, 0, then: .label(head), otherwise: .pass)
        prepend(.loadHalf(2))
        #else
        prepend(.loadWord(0), .toIndex, .loadLength)
        #endif
    }

    private mutating func requireDestination(length: Int32, smallestMessage: UInt32, then next: Label) {
        branch(BPF_JGE, smallestMessage, then: .label(next), otherwise: .pass)
        prepend(.loadLength)
        branch(BPF_JEQ, Layout.attribute(length: length, type: RTA_DST), then: .label(head), otherwise: .pass)
        prepend(.loadWord(Layout.destinationHeader))
    }

    /// Puts the first address of the prefix into the accumulator and the last into the index register.
    fileprivate mutating func computeIPv4Range() {
        computeRange(of: Layout.destination, high: Cell.firstHigh)
        loadMask()
        branch(BPF_JGT, 32, then: .pass, otherwise: .label(head))
        prepend(.loadByte(Layout.prefixLength))
    }

    /// The same for the first word of an IPv6 prefix. The range of the second word is stored in memory.
    fileprivate mutating func computeIPv6Range() {
        computeRange(of: Layout.destination, high: Cell.firstHigh)
        loadMask()
        prepend(.loadByte(Layout.prefixLength))
        prepend(.store(Cell.secondLow))
        computeRange(of: Layout.destination + 4, high: Cell.secondHigh)
        let masked = head
        loadMask()
        prepend(.subtract(32))
        let partly = head
        jump(to: .label(masked))
        prepend(.loadConstant(.max))
        branch(BPF_JGT, 32, then: .label(partly), otherwise: .label(head))
        branch(BPF_JGT, 128, then: .pass, otherwise: .label(head))
        prepend(.loadByte(Layout.prefixLength))
    }

    /// Expects the mask of the bits after the prefix in the accumulator. Puts the lowest value of the word there, and the
    /// highest into the index register.
    private mutating func computeRange(of word: UInt32, high: UInt32) {
        prepend(
            .toIndex, .loadWord(word), .orIndex, .store(high),
            .xorIndex, .loadIndexFromMemory(high))
    }

    /// Replaces a count of leading bits in the accumulator by the mask of the bits after them. A shift by the full width is
    /// undefined, so counts from 32 up are handled separately.
    private mutating func loadMask() {
        let done = head
        prepend(.loadConstant(0))
        let none = head
        jump(to: .label(done))
        prepend(.toIndex, .loadConstant(.max), .shiftRightByIndex)
        branch(BPF_JGE, 32, then: .label(none), otherwise: .label(head))
    }

    /// Passes if the range from the accumulator to the index register overlaps one of the words. Searches a balanced tree
    /// for the first word that does not end before the range begins. That word must not begin after the range ends.
    fileprivate mutating func search(_ words: [WordRange]) {
        guard let last = words.last else {
            jump(to: .drop)
            return
        }
        search(words[...])
        if last.high < .max { branch(BPF_JGT, last.high, then: .drop, otherwise: .label(head)) }
    }

    private mutating func search(_ words: ArraySlice<WordRange>) {
        guard words.count > 1 else {
            test(words.first!)
            return
        }
        let middle = words.startIndex + words.count / 2
        search(words[middle...])
        let right = head
        search(words[..<middle])
        branch(BPF_JGT, words[middle - 1].high, then: .label(right), otherwise: .label(head))
    }

    private mutating func test(_ word: WordRange) {
        if word.next.isEmpty {
            branch(BPF_JGE, word.low, then: .pass, otherwise: .drop)
        } else {
            // A prefix that ends in the first word covers all values of the second, and overlaps any range of it.
            search(word.next)
            prepend(.loadIndexFromMemory(Cell.secondHigh), .loadMemory(Cell.secondLow))
            branch(BPF_JGE, word.low, then: .label(head), otherwise: .drop)
        }
        prepend(.fromIndex)
    }
}
