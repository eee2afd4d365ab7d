// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem

/// Samples under one name (a MetricFamily of OpenMetrics).
struct MetricFamily {
    enum Kind: String {
        case gauge, counter, info

        /// What is added to the name of the family in a sample.
        fileprivate var suffix: String {
            switch self {
            case .gauge: ""
            case .counter: "_total"
            case .info: "_info"
            }
        }
    }

    /// Without what the kind adds to the name of a sample.
    let name: String
    let kind: Kind
    /// The last word of the name, if the values have a unit.
    var unit: String?
    /// One sentence.
    let help: String
    let samples: [MetricSample]
}

/// A value with its labels.
struct MetricSample {
    struct Label {
        let name: String
        let value: String
    }

    let labels: [Label]
    let value: String
    /// For a counter, when it was 0.
    var created: WallTime?
}

/// How metrics are written.
///
/// The formats have the same lines for samples, and differ in what stands before them. No text is right in both. OpenMetrics has
/// the type `info`, and names a counter without `_total`; the textfile collector of node_exporter reads Prometheus' older format,
/// rejects a file with that type, and takes such a counter for a value without a type. An OpenMetrics parser needs `# EOF`, and
/// rejects `# TYPE x_total counter`.
enum MetricFormat: String, CaseIterable, Sendable {
    /// OpenMetrics 1.0 (prometheus.io/docs/specs/om).
    case openMetrics = "openmetrics"
    /// Text format 0.0.4 (prometheus.io/docs/instrumenting/exposition_formats).
    case prometheus

    /// The whole text. A family without samples is left out.
    func text(_ families: [MetricFamily]) -> String {
        let lines = families.filter { !$0.samples.isEmpty }.flatMap(lines)
        return (lines + (self == .openMetrics ? ["# EOF"] : [])).map { $0 + "\n" }.joined()
    }

    private func lines(_ family: MetricFamily) -> [String] {
        let sampleName = family.name + family.kind.suffix
        let (name, type, unit): (String, String, String?) =
            switch self {
            case .openMetrics: (family.name, family.kind.rawValue, family.unit)
            case .prometheus: (sampleName, family.kind == .info ? "gauge" : family.kind.rawValue, nil)
            }
        var lines = ["# TYPE \(name) \(type)"]
        if let unit { lines.append("# UNIT \(name) \(unit)") }
        lines.append("# HELP \(name) \(escaped(family.help, quotes: self == .openMetrics))")
        for sample in family.samples {
            let labels = sample.labels.isEmpty ? "" : "{" + sample.labels.map(label).joined(separator: ",") + "}"
            lines.append("\(sampleName)\(labels) \(sample.value)")
            // The other format would need a family of its own for it.
            if self == .openMetrics, let created = sample.created {
                lines.append("\(family.name)_created\(labels) \(Timestamp.unix(created))")
            }
        }
        return lines
    }

    private func label(_ label: MetricSample.Label) -> String {
        "\(label.name)=\"\(escaped(label.value, quotes: true))\""
    }

    /// The escapes that both formats have.
    private func escaped(_ text: String, quotes: Bool) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\"" where quotes: result += "\\\""
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
