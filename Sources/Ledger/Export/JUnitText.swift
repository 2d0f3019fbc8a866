import Support

/// Results as JUnit's XML, restricted to what Jenkins, GitLab and junit-10.xsd of Jenkins' xUnit plugin accept.
public enum JUnitText {
    public enum Result: Sendable, Hashable {
        case passed
        case failure(message: String, type: String)
        case error(message: String, type: String)
        case skipped(message: String)
    }

    public struct Case: Sendable, Hashable {
        public var className: String
        public var name: String
        public var milliseconds: Int64
        public var result: Result

        /// - Parameters:
        ///   - words: the class's name, joined by dots; a dot inside one would divide packages.
        ///   - name: together with the class's name unique in its suite.
        public init(_ words: [String], name: String, milliseconds: Int64, result: Result) {
            className = words.map { $0.replacing(".", with: "_") }.joined(separator: ".")
            (self.name, self.milliseconds, self.result) = (name, milliseconds, result)
        }
    }

    public struct Suite: Sendable, Hashable {
        public var name: String
        public var start: UTCTime?
        public var host: String
        public var cases: [Case]

        public init(name: String, start: UTCTime?, host: String, cases: [Case]) {
            (self.name, self.start, self.host, self.cases) = (name, start, host, cases)
        }
    }

    struct Totals: Sendable {
        var name: String
        var start: UTCTime?
        var host: String
        private var cases = 0
        private var milliseconds: Int64 = 0
        private var results: [String: Int] = [:]

        init(name: String, start: UTCTime? = nil, host: String) { (self.name, self.start, self.host) = (name, start, host) }

        mutating func add(_ test: Case) {
            cases += 1
            milliseconds += bounded(test.milliseconds)
            if let element = element(test.result) { results[element.name, default: 0] += 1 }
        }

        fileprivate var attributes: [(String, String)] {
            [
                ("name", name), ("tests", "\(cases)"), ("failures", "\(results["failure"] ?? 0)"), ("errors", "\(results["error"] ?? 0)"),
                ("skipped", "\(results["skipped"] ?? 0)"), ("time", seconds(milliseconds)),
                ("timestamp", start.map { String($0.iso8601.prefix(19)) } ?? ""), ("hostname", host),
            ]
        }
    }

    static let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
    static let tail = "</testsuites>\n"
    static let end = "  </testsuite>\n"

    static func begin(_ totals: Totals) -> String { "  <testsuite\(text(totals.attributes))>\n" }

    public static func document(_ suites: [Suite]) -> String { head + suites.map(text).joined() + tail }

    private static func text(_ suite: Suite) -> String {
        var totals = Totals(name: suite.name, start: suite.start, host: suite.host)
        for test in suite.cases { totals.add(test) }
        return begin(totals) + suite.cases.map(text).joined() + end
    }

    static func text(_ test: Case) -> String {
        let attributes = text([("classname", test.className), ("name", test.name), ("time", seconds(bounded(test.milliseconds)))])
        guard let element = element(test.result) else { return "    <testcase\(attributes)/>\n" }
        return "    <testcase\(attributes)>\n      <\(element.name)\(text(element.attributes))/>\n    </testcase>\n"
    }

    private static func element(_ result: Result) -> (name: String, attributes: [(String, String)])? {
        switch result {
        case .passed: nil
        case .failure(let message, let type): ("failure", [("message", message), ("type", type)])
        case .error(let message, let type): ("error", [("message", message), ("type", type)])
        case .skipped(let message): ("skipped", [("message", message)])
        }
    }

    /// At most a year, so that no sum overflows.
    private static func bounded(_ milliseconds: Int64) -> Int64 { min(max(0, milliseconds), 31_536_000_000) }

    /// Readers refuse an exponent.
    private static func seconds(_ milliseconds: Int64) -> String {
        let rest = "\(milliseconds % 1000)"
        return "\(milliseconds / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
    }

    private static func text(_ attributes: [(String, String)]) -> String {
        attributes.map { " \($0.0)=\"\(XMLText.attribute($0.1))\"" }.joined()
    }
}

/// Text for XML 1.0.
enum XMLText {
    /// Replaces unprintable characters, which include those that XML 1.0 forbids, by U+FFFD.
    static func attribute(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&apos;"
            case "\t", "\n", "\r": result += "&#\(scalar.value);"
            case _ where !PrintableText.isPrintable(scalar): result.unicodeScalars.append("\u{FFFD}")
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
