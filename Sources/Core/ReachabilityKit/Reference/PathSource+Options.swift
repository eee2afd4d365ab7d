// SPDX-License-Identifier: Apache-2.0

extension PathSource {
    /// The path of the namespace that the options name.
    package init(_ options: ReachabilityOptions) throws(ReachabilityError) {
        self.init(of: try CheckedOptions(options).namespace)
    }
}
