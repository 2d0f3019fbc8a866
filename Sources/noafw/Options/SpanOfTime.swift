import ArgumentParser
import Support

/// A time such as `2s`, `500ms` or `1.5` (seconds).
struct SpanOfTime: ExpressibleByArgument, Sendable, Hashable {
    static let most = 3600.0

    let seconds: Double

    init(seconds: Double) { self.seconds = seconds }

    init?(argument: String) {
        let isMilliseconds = argument.hasSuffix("ms")
        let digits = isMilliseconds ? argument.dropLast(2) : argument.hasSuffix("s") ? argument.dropLast() : argument[...]
        guard digits.allSatisfy({ $0.isASCII && $0.isNumber || $0 == "." }), let number = Double(digits), number >= 0.001 else {
            return nil
        }
        seconds = isMilliseconds ? number / 1000 : number
        guard seconds <= Self.most else { return nil }
    }

    var duration: Duration { .seconds(seconds) }
    var defaultValueDescription: String { "\(Format.plain(seconds))s" }
}
