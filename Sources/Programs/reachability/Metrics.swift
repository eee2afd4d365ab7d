// SPDX-License-Identifier: Apache-2.0

/// Samples under one name, in Prometheus' text format 0.0.4 (prometheus.io/docs/instrumenting/exposition_formats), which the
/// textfile collector of node_exporter reads.
struct MetricFamily {
    enum Kind: String {
        case gauge, counter
    }

    typealias Label = (name: String, value: String)

    /// That of each sample.
    let name: String
    let kind: Kind
    /// One sentence.
    let help: String
    let samples: [(labels: [Label], value: String)]

    /// The lines; none without samples.
    var text: String {
        guard !samples.isEmpty else { return "" }
        let lines = samples.map { sample in
            let labels = sample.labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",")
            return "\(name){\(labels)} \(sample.value)\n"
        }
        return "# TYPE \(name) \(kind.rawValue)\n# HELP \(name) \(help)\n" + lines.joined()
    }

    private static func escaped(_ value: String) -> String {
        value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}
