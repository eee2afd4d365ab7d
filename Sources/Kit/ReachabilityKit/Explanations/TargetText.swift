// SPDX-License-Identifier: Apache-2.0

import ReachabilityResolverFiles

/// A target in the form in which people write it: a name, an address, `default`, or `LOCAL,REMOTE`.
package enum TargetText: Hashable, Sendable {
    case name(String)
    case address(String)
    case pair(local: String?, remote: String?)
    case defaultPath

    package init(_ text: String) throws(ReachabilityError) {
        if text == "default" {
            self = .defaultPath
        } else if text.contains(",") {
            let sides = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            guard sides.count == 2, sides != ["", ""] else {
                throw Self.problem(
                    text, "a pair is written LOCAL,REMOTE with one comma, and one of the two may be left out")
            }
            for side in sides where !side.isEmpty && AddressText(side) == nil {
                throw Self.problem(
                    text, AddressText.hint(side) ?? "'\(side)' is not an address, and a pair is made of addresses")
            }
            self = .pair(local: sides[0].isEmpty ? nil : sides[0], remote: sides[1].isEmpty ? nil : sides[1])
        } else if AddressText(text) != nil {
            self = .address(text)
        } else {
            self = .name(text)
        }
    }

    /// What is wrong with a name that can never be resolved; nil for any other target.
    package var problem: ReachabilityError? {
        guard case .name(let name) = self else { return nil }
        do throws(HostNameError) {
            _ = try HostName(name)
            return nil
        } catch {
            return ReachabilityError(.invalidTarget, "use the name", name, "\(error)")
        }
    }

    private static func problem(_ text: String, _ explanation: String) -> ReachabilityError {
        ReachabilityError(.invalidTarget, "use the target", text, explanation)
    }
}

extension ReachabilityRef {
    /// Makes a reference to a target in the form in which people write it.
    package convenience init(
        text: TargetText, options: ReachabilityOptions
    ) throws(ReachabilityError) {
        switch text {
        case .name(let name): try self.init(hostname: name, options: options)
        case .address(let address): try self.init(address: address, options: options)
        case .pair(let local, let remote): try self.init(local: local, remote: remote, options: options)
        case .defaultPath: try self.init(target: .defaultPath, options: options)
        }
    }
}
