import Foundation

/// Figures as a person reads them.
public enum FigureText {
    /// Such as `98.7 %`, or `–` of nothing.
    public static func percent(_ share: Double?) -> String { share.map { "\(decimal($0 * 100, 1)) %" } ?? "–" }

    /// Such as `95.2–99.6 %`.
    public static func interval(_ share: Share) -> String {
        share.total == 0 ? "–" : "\(decimal(share.interval.lowerBound * 100, 1))–\(decimal(share.interval.upperBound * 100, 1)) %"
    }

    /// Such as `0.42 s`, `12.3 s`, `214 s`: three digits.
    public static func seconds(_ value: Double?) -> String {
        guard let value, value.isFinite else { return "–" }
        return "\(decimal(value, value < 10 ? 2 : value < 100 ? 1 : 0)) s"
    }

    /// Such as `12,345`.
    public static func count(_ number: Int) -> String {
        var digits = String(number.magnitude)
        var groups: [String] = []
        while digits.count > 3 {
            groups.insert(String(digits.suffix(3)), at: 0)
            digits.removeLast(3)
        }
        return (number < 0 ? "-" : "") + ([digits] + groups).joined(separator: ",")
    }

    static func decimal(_ value: Double, _ digits: Int) -> String {
        value.isFinite ? String(format: "%.\(digits)f", value) : "–"
    }
}
