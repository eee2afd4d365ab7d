// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

@_implementationOnly import CLinux

/// Writes a classic BPF program from end to beginning (linux/filter.h).
///
/// Jumps go forward only, so every target is known when its jump is written. A conditional jump reaches 255 instructions.
/// If a target is further away, an unconditional jump or another return is inserted within reach.
struct FilterAssembler {
    /// An instruction that has been written: the number of instructions after it.
    struct Label {
        fileprivate let position: Int
    }

    /// The target of a jump.
    enum Target {
        case pass, drop
        case label(Label)
    }

    private var reversed: [FilterInstruction] = []
    private var lastPass: Label?
    private var lastDrop: Label?

    /// A target at this distance stays in reach if the other target of the same jump needs one more instruction.
    private static let reach = 254

    /// The program in the order of execution.
    var program: [FilterInstruction] { reversed.reversed() }

    /// The instruction written last, which runs first.
    var head: Label { Label(position: reversed.count - 1) }

    /// Puts instructions in front of the program. They are given in the order of execution.
    mutating func prepend(_ instructions: FilterInstruction...) {
        reversed.append(contentsOf: instructions.reversed())
    }

    /// Puts a test of the accumulator in front of the program: BPF_JEQ, BPF_JGT or BPF_JGE, with BPF_X against the index
    /// register.
    mutating func branch(_ test: Int32, _ operand: UInt32 = 0, then: Target, otherwise: Target) {
        let thenLabel = reachable(then)
        let otherwiseLabel = reachable(otherwise)
        reversed.append(
            FilterInstruction(
                code: UInt16(BPF_JMP | test), jumpTrue: UInt8(distance(thenLabel)),
                jumpFalse: UInt8(distance(otherwiseLabel)), operand: operand))
    }

    /// Puts a jump in front of the program.
    mutating func jump(to target: Target) {
        // A filter returns how many bytes of the message the socket receives. Zero drops the message.
        switch target {
        case .pass:
            reversed.append(FilterInstruction(code: UInt16(BPF_RET | BPF_K), operand: .max))
            lastPass = head
        case .drop:
            reversed.append(FilterInstruction(code: UInt16(BPF_RET | BPF_K), operand: 0))
            lastDrop = head
        case .label(let label):
            reversed.append(FilterInstruction(code: UInt16(BPF_JMP | BPF_JA), operand: UInt32(distance(label))))
        }
    }

    /// The number of instructions that a jump written next would skip.
    private func distance(_ label: Label) -> Int { reversed.count - 1 - label.position }

    private mutating func reachable(_ target: Target) -> Label {
        let known =
            switch target {
            case .label(let label): label
            case .pass: lastPass
            case .drop: lastDrop
            }
        if let known, distance(known) <= Self.reach { return known }
        jump(to: target)
        return head
    }
}

/// The instructions of the route filter. A load past the end of the message ends the program and drops the message
/// (Documentation/networking/filter.rst), so the program loads only bytes that exist.
extension FilterInstruction {
    static func loadByte(_ offset: UInt32) -> Self { load(BPF_B | BPF_ABS, offset) }
    /// Two bytes in network order.
    static func loadHalf(_ offset: UInt32) -> Self { load(BPF_H | BPF_ABS, offset) }
    /// Four bytes in network order.
    static func loadWord(_ offset: UInt32) -> Self { load(BPF_W | BPF_ABS, offset) }
    static var loadLength: Self { load(BPF_W | BPF_LEN, 0) }
    static func loadConstant(_ value: UInt32) -> Self { load(BPF_IMM, value) }
    static func loadMemory(_ cell: UInt32) -> Self { load(BPF_MEM, cell) }
    static func loadIndexFromMemory(_ cell: UInt32) -> Self { make(BPF_LDX | BPF_MEM, cell) }
    static func store(_ cell: UInt32) -> Self { make(BPF_ST, cell) }
    static var toIndex: Self { make(BPF_MISC | BPF_TAX, 0) }
    static var fromIndex: Self { make(BPF_MISC | BPF_TXA, 0) }
    static var orIndex: Self { make(BPF_ALU | BPF_OR | BPF_X, 0) }
    static var xorIndex: Self { make(BPF_ALU | BPF_XOR | BPF_X, 0) }
    static var shiftRightByIndex: Self { make(BPF_ALU | BPF_RSH | BPF_X, 0) }
    static func shiftLeft(_ bits: UInt32) -> Self { make(BPF_ALU | BPF_LSH | BPF_K, bits) }
    static func subtract(_ value: UInt32) -> Self { make(BPF_ALU | BPF_SUB | BPF_K, value) }

    private static func load(_ mode: Int32, _ operand: UInt32) -> Self { make(BPF_LD | mode, operand) }

    private static func make(_ code: Int32, _ operand: UInt32) -> Self {
        FilterInstruction(code: UInt16(code), operand: operand)
    }
}
