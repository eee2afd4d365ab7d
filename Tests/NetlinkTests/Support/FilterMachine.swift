// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem

/// Runs the instructions of classic BPF that the package uses (Documentation/networking/filter.rst). What the kernel leaves
/// undefined is a fault here.
struct FilterMachine {
    enum Outcome: Hashable {
        case pass, drop
        case fault(String)
    }

    let program: [FilterInstruction]
    private(set) var steps = 0

    init(_ program: [FilterInstruction]) { self.program = program }

    /// Checks a program as the kernel does (bpf_check_classic), and for instructions that make no sense.
    static func objection(to program: [FilterInstruction]) -> String? {
        guard program.count <= 4096 else { return "\(program.count) instructions" }
        guard let last = program.last, last.code & 7 == 6 else { return "the last instruction is no return" }
        for (position, step) in program.enumerated() where step.code & 7 == 5 {
            let behind = program.count - position - 1
            let furthest = step.code == 5 ? Int(step.operand) : Int(max(step.jumpTrue, step.jumpFalse))
            if furthest >= behind { return "\(position) jumps past the end" }
        }
        return nil
    }

    mutating func run(_ message: [UInt8]) -> Outcome {
        var accumulator: UInt32 = 0
        var index: UInt32 = 0
        var memory = [UInt32?](repeating: nil, count: 16)
        var position = 0
        steps = 0
        func load(_ step: FilterInstruction, _ size: Int) -> UInt32? {
            let offset = Int(step.operand)
            guard offset + size <= message.count else { return nil }
            return message[offset..<offset + size].reduce(0) { $0 << 8 | UInt32($1) }
        }
        while position < program.count {
            let step = program[position]
            let operand = step.operand
            position += 1
            steps += 1
            switch step.code {
            case 0x20, 0x28, 0x30:
                guard let value = load(step, step.code == 0x20 ? 4 : step.code == 0x28 ? 2 : 1) else {
                    return .fault("load at \(operand) of \(message.count) bytes")
                }
                accumulator = value
            case 0x80: accumulator = UInt32(message.count)
            case 0x00: accumulator = operand
            case 0x60:
                guard let value = memory[Int(operand)] else { return .fault("cell \(operand) was not written") }
                accumulator = value
            case 0x02: memory[Int(operand)] = accumulator
            case 0x07: index = accumulator
            case 0x14: accumulator &-= operand
            case 0x4c: accumulator |= index
            case 0x64: accumulator <<= operand
            case 0x7c:
                guard index < 32 else { return .fault("shift by \(index)") }
                accumulator >>= index
            case 0x05: position += Int(operand)
            case 0x15: position += Int(accumulator == operand ? step.jumpTrue : step.jumpFalse)
            case 0x1d: position += Int(accumulator == index ? step.jumpTrue : step.jumpFalse)
            case 0x25: position += Int(accumulator > operand ? step.jumpTrue : step.jumpFalse)
            case 0x35: position += Int(accumulator >= operand ? step.jumpTrue : step.jumpFalse)
            case 0x06: return operand == 0 ? .drop : .pass
            default: return .fault("instruction \(step.code)")
            }
        }
        return .fault("ran off the end")
    }
}
