import FoundationEssentials
import Support

/// Quantities as a human reads them. Decimal units: 1 kB is 1000 bytes.
enum Format {
    /// Up to three decimals, without trailing zeros: `12`, `0.5`.
    static func plain(_ value: Double) -> String {
        guard value.isFinite else { return "0" }
        var text = String(printf: "%.3f", value)
        while text.hasSuffix("0") { text.removeLast() }
        if text.hasSuffix(".") { text.removeLast() }
        return text == "-0" ? "0" : text
    }

    /// `1 file`, `2 files`
    static func count(_ count: Int, _ thing: String) -> String { "\(count) \(thing)\(count == 1 ? "" : "s")" }

    static func seconds(_ value: Double) -> String { String(printf: "%.1f", value) }

    /// `214,708`
    static func bytes(_ count: Int) -> String {
        var groups: [String] = []
        var rest = count.magnitude
        while rest >= 1000 {
            groups.insert(String(printf: "%03d", Int(rest % 1000)), at: 0)
            rest /= 1000
        }
        return (count < 0 ? "-" : "") + ([String(rest)] + groups).joined(separator: ",")
    }

    static func rate(bytesPerSecond: Double) -> String { String(printf: "%.1f kB/s", bytesPerSecond / 1000) }

    /// `0:32`, `12:05`, `1:02:03`; rounded up, so that nothing ends later than it said.
    static func clock(seconds: Double) -> String {
        let whole = seconds.isFinite ? Int(min(max(seconds, 0), 359_999).rounded(.up)) : 0
        let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60)
        return hours > 0
            ? String(printf: "%d:%02d:%02d", hours, minutes, rest) : String(printf: "%d:%02d", minutes, rest)
    }
}

extension Duration {
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
