// SPDX-License-Identifier: Apache-2.0

@_implementationOnly import CLinux

/// Names and indices of the interfaces in the calling thread's namespace.
package enum Interfaces {
    /// The index of a named interface; nil if there is none.
    package static func index(of name: String) -> UInt32? {
        // if_nametoindex(3) truncates a longer name and might find another interface.
        guard !name.isEmpty, name.utf8.count < Int(IF_NAMESIZE), !name.utf8.contains(0) else { return nil }
        let index = unsafe if_nametoindex(name)
        return index == 0 ? nil : index
    }

    /// The name of an interface; nil if there is none.
    package static func name(of index: UInt32) -> String? {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(IF_NAMESIZE)) { buffer in
            guard let name = unsafe if_indextoname(index, buffer.baseAddress!) else { return nil }
            return unsafe String(cString: name)
        }
    }
}
