// SPDX-License-Identifier: Apache-2.0

import Glibc

@_implementationOnly import CLinux

/// Names and numbers of interfaces, as the calling thread's namespace has them.
package enum Interfaces {
    /// The index of a named interface, or nil where there is none.
    package static func index(of name: String) -> UInt32? {
        // if_nametoindex(3) would cut a longer name off and find another interface.
        guard !name.isEmpty, name.utf8.count < Int(IF_NAMESIZE), !name.utf8.contains(0) else { return nil }
        let index = unsafe if_nametoindex(name)
        return index == 0 ? nil : index
    }

    /// The name of an interface, or nil where there is none.
    package static func name(of index: UInt32) -> String? {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(IF_NAMESIZE)) { buffer in
            guard let name = unsafe if_indextoname(index, buffer.baseAddress!) else { return nil }
            return unsafe String(cString: name)
        }
    }
}
