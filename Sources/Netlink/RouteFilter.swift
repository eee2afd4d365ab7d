package import LinuxSystem
package import NetworkFacts

package enum RouteFilter {
    package static func program(watching addresses: [IPAddress]) -> [FilterInstruction] {
        [FilterInstruction(code: 6, operand: .max)]
    }
}
