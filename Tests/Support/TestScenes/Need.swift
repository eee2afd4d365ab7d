// SPDX-License-Identifier: Apache-2.0

import CTestTopology
import Glibc
package import TestTopology

/// What a scene needs of the machine beyond namespaces, veth pairs and bridges.
package enum Need: Hashable, Sendable {
    /// One of the capabilities of TestTopology, by the name of its case.
    case capability(Capability)
    /// A kind of link, such as `vrf`, that the kernel must be able to make.
    case link(String)

    init(_ word: Substring, _ place: String) throws {
        if let capability = Capability.allCases.first(where: { "\($0)" == word }) {
            self = .capability(capability)
        } else if word.hasPrefix("link="), word != "link=" {
            self = .link(String(word.dropFirst(5)))
        } else {
            throw Scene.Mistake(description: "\(place): no such need: \(word)")
        }
    }

    package var isMet: Bool {
        switch self {
        case .capability(let capability): capability.isAvailable
        case .link(let kind):
            (try? Machine().ip("link add probe type \(kind)\(kind == "vrf" ? " table 9" : "")")) != nil
        }
    }

    package var name: String {
        switch self {
        case .capability(let capability): capability.rawValue
        case .link(let kind): "links of kind \(kind)"
        }
    }

    /// Records by name what this machine cannot play, as tests are that it cannot run. Returns whether it can.
    package static func areMet(_ needs: [Need], of what: String) -> Bool {
        let missing = needs.filter { !$0.isMet }.map(\.name)
        guard !missing.isEmpty else { return true }
        if let path = unsafe getenv("SCENES_NOT_RUN") {
            let line = "\(what): needs \(missing.joined(separator: ", "))\n"
            _ = unsafe topology_append_file(path, line, line.utf8.count)
        }
        return false
    }
}
