// SPDX-License-Identifier: Apache-2.0

@_implementationOnly import CLinux

/// Names and indices of the interfaces in the calling thread's namespace.
package enum Interfaces {
    /// The index of a named interface; nil if there is none.
    package static func index(of name: String) -> UInt32? {
        // if_nametoindex(3) truncates a longer name and might find another interface.
        let bytes = name.unescapedBytes
        guard !bytes.isEmpty, bytes.count < Int(IF_NAMESIZE), !bytes.contains(0) else { return nil }
        let index = unsafe if_nametoindex(bytes.map(CChar.init(bitPattern:)) + [0])
        return index == 0 ? nil : index
    }

    /// The name of an interface; nil if there is none.
    package static func name(of index: UInt32) -> String? {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(IF_NAMESIZE)) { buffer in
            guard let name = unsafe if_indextoname(index, buffer.baseAddress!) else { return nil }
            return unsafe String(escapingCString: name)
        }
    }
}
