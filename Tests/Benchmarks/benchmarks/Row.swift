// SPDX-License-Identifier: Apache-2.0

/// One line of the report: a figure, and the limit that it is compared with.
struct Row {
    /// The unit of a figure.
    enum Unit: String {
        case nanoseconds = "ns"
        case microseconds = "µs"
        case milliseconds = "ms"
        case bytes = "B"
        case count = ""
        case megabytes = "MB"
    }

    /// The demanded figure.
    enum Target {
        /// At most this many times the limit.
        case ratio(Double)
        /// At most this much.
        case most(Double)
        /// Nothing is demanded.
        case none
    }

    var name: String
    var unit: Unit
    var ours: Double
    var limit: Double?
    var target = Target.none
    /// How many times the target `Check` allows: a busy machine may add so much. A real mistake adds more.
    var tolerance = 2.0

    var ratio: Double? { limit.map { ours / $0 } }

    var isMet: Bool? { if case .none = target { nil } else { isWithin(1) } }
}

extension Row {
    /// Two figures that were measured in turns, for `count` things each, or in a unit so many times smaller.
    init(
        _ name: String, _ unit: Unit, _ result: (ours: Double, limit: Double), per count: Double = 1, ratio: Double?,
        tolerance: Double = 2
    ) {
        self.init(
            name: name, unit: unit, ours: result.ours / count, limit: result.limit / count,
            target: ratio.map(Target.ratio) ?? .none, tolerance: tolerance)
    }

    static let heading = ["row", "ours", "limit", "ratio", "target", "met"]

    var columns: [String] {
        let demand =
            switch target {
            case .ratio(let most): "≤ \(text(most, 2)) ×"
            case .most(let most): "≤ \(text(most, 0)) \(unit.rawValue)"
            case .none: "–"
            }
        return [
            name, figure(ours), limit.map(figure) ?? "–", ratio.map { text($0, 2) } ?? "–", demand,
            isMet.map { $0 ? "yes" : "NO" } ?? "–",
        ]
    }

    private func figure(_ value: Double) -> String {
        "\(text(value, value < 100 && value != value.rounded() ? 1 : 0)) \(unit.rawValue)"
    }

    /// As a JSON object.
    var json: String {
        var members = ["\"name\": \"\(name)\"", "\"unit\": \"\(unit.rawValue)\"", "\"ours\": \(ours)"]
        if let limit { members.append("\"limit\": \(limit)") }
        if let ratio { members.append("\"ratio\": \(ratio)") }
        switch target {
        case .ratio(let most): members.append("\"ratio_target\": \(most)")
        case .most(let most): members.append("\"target\": \(most)")
        case .none: break
        }
        if let isMet { members.append("\"met\": \(isMet)") }
        return "{" + members.joined(separator: ", ") + "}"
    }
}

/// A number with the given number of decimal places.
func text(_ value: Double, _ digits: Int) -> String {
    guard value.isFinite else { return "?" }
    var scale = 1
    for _ in 0..<digits { scale *= 10 }
    let scaled = Int((value * Double(scale)).rounded())
    let (whole, rest) = (abs(scaled) / scale, abs(scaled) % scale)
    let sign = scaled < 0 ? "-" : ""
    guard digits > 0 else { return "\(sign)\(whole)" }
    let fraction = String(rest)
    return "\(sign)\(whole).\(String(repeating: "0", count: digits - fraction.count))\(fraction)"
}
