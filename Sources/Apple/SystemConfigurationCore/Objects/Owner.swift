// SPDX-License-Identifier: Apache-2.0

/// The object clients hold. The client decides which threads use it, as with every object of CoreFoundation.
package struct Owner: @unchecked Sendable {
    package let object: AnyObject

    package init(object: AnyObject) {
        self.object = object
    }
}

/// The same without a reference.
package struct WeakOwner {
    package weak var object: AnyObject?

    package init() {}
}
