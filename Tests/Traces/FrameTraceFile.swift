import Foundation

/// What a Frame's own firmware was recorded to answer: a session of single writes, or timed sequences, a JSON object a line.
struct FrameTraceFile {
    /// Its whole text is one value for the receiving characteristic.
    struct Write: Sendable {
        var bytes: [UInt8]
        /// What one reads of it.
        var text: String
    }

    enum Action: Sendable {
        case write(Write)
        case wait(Duration)
        case tap, disconnect, connect, end
    }

    struct Step: Sendable {
        var action: Action
        /// Since the step before; Latin-1.
        var expected: [String]
        var isGone = false
        /// What came after a break that was sent then.
        var afterBreak: [String]?
        /// A reset by 04 follows.
        var restarts = false
    }

    /// One unit's life: a session, or one sequence.
    struct Course: Sendable {
        var firmware: String
        /// `nil` for the session, whose lines are told apart by their numbers.
        var name: String?
        var steps: [Step]
        /// Of a session's lines.
        var numbers: [Int] = []
    }

    private(set) var courses: [Course] = []
    /// In bytes.
    static let largestLine = 1 << 20

    /// - Parameter isTaken: whether a line is played; all are read.
    init(contentsOf path: String, where isTaken: (FrameTraceLine) -> Bool = { _ in true }) throws {
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        for (index, line) in lines.enumerated() {
            do {
                let line = try FrameTraceLine(parsing: String(line))
                if isTaken(line) { try add(line) }
            } catch {
                throw TraceFault("line \(index + 1): \(TraceFault.words(of: error))")
            }
        }
        guard !courses.isEmpty else { throw TraceFault("the file is empty") }
    }

    /// Whether a file of this first line is one of these, and not of the bootloader's.
    static func isOne(_ line: Substring) -> Bool {
        ((try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: Any])?["firmware"] != nil
    }

    private mutating func add(_ line: FrameTraceLine) throws {
        if let steps = line.steps {
            guard line.write == nil, let name = line.name else { throw TraceFault("a sequence has a name and no write of its own") }
            courses.append(Course(firmware: line.firmware, name: name, steps: try steps.map { try $0.step() }))
            return
        }
        let step = try line.step()
        if let last = courses.last, last.name == nil, last.firmware == line.firmware {
            courses[courses.count - 1].steps.append(step)
            courses[courses.count - 1].numbers.append(line.index)
        } else {
            courses.append(Course(firmware: line.firmware, name: nil, steps: [step], numbers: [line.index]))
        }
    }
}

extension TraceFault {
    /// - Returns: what is wrong with a line, in words.
    static func words(of error: any Error) -> String {
        switch error {
        case let fault as TraceFault: fault.description
        case DecodingError.keyNotFound(let key, _): "\(key.stringValue) is missing"
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
            "\(context.codingPath.map(\.stringValue).joined(separator: ".")) is of another kind than expected"
        case DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty:
            "\(context.codingPath.map(\.stringValue).joined(separator: ".")): \(context.debugDescription)"
        default: "no JSON object"
        }
    }
}

/// A line, or a step of one.
struct FrameTraceLine: Decodable {
    var firmware: String
    var index: Int
    var topic: String?
    var name: String?
    var steps: [FrameTraceStep]?
    var write: String?
    private var notify: [String]?
    private var gone: Bool?
    private var after03: [String]?
    private var restart: Bool?

    private static let known: Set<String> = [
        "firmware", "index", "topic", "name", "steps", "write", "notify", "gone", "after03", "restart", "unstable",
    ]

    init(parsing text: String) throws {
        guard text.utf8.count <= FrameTraceFile.largestLine else { throw TraceFault("longer than \(FrameTraceFile.largestLine) bytes") }
        try FrameTraceStep.refuseUnknown(Data(text.utf8), Self.known)
        self = try JSONDecoder().decode(Self.self, from: Data(text.utf8))
    }

    /// A command of the topic `cmd` is bytes, any other one text.
    func step() throws -> FrameTraceFile.Step {
        guard let write else { throw TraceFault("neither write nor steps") }
        return FrameTraceFile.Step(
            action: .write(try FrameTraceStep.write(write, isLatin: topic == "cmd")), expected: notify ?? [], isGone: gone ?? false,
            afterBreak: after03, restarts: restart ?? false)
    }
}

struct FrameTraceStep: Decodable {
    private var write: String?
    private var wait: Double?
    private var tap: Bool?
    private var disconnect: Bool?
    private var connect: Bool?
    private var end: Bool?
    private var notify: [String]?
    private var gone: Bool?

    private static let actions: Set<String> = ["write", "wait", "tap", "disconnect", "connect", "end"]

    /// Keys that nobody here knows mean something that nobody here plays.
    static func refuseUnknown(_ bytes: Data, _ known: Set<String>) throws {
        guard let object = try? JSONSerialization.jsonObject(with: bytes) as? [String: Any] else { throw TraceFault("no JSON object") }
        if let key = object.keys.sorted().first(where: { !known.contains($0) }) { throw TraceFault("\(key) is not known here") }
        for case let step as [String: Any] in object["steps"] as? [Any] ?? [] {
            if let key = step.keys.sorted().first(where: { !actions.union(["notify", "gone", "unstable"]).contains($0) }) {
                throw TraceFault("a step's \(key) is not known here")
            }
        }
    }

    static func write(_ text: String, isLatin: Bool) throws -> FrameTraceFile.Write {
        guard isLatin else { return FrameTraceFile.Write(bytes: Array(text.utf8), text: text) }
        let bytes = try text.unicodeScalars.map { scalar in
            guard let byte = UInt8(exactly: scalar.value) else { throw TraceFault("a write that is not Latin-1") }
            return byte
        }
        return FrameTraceFile.Write(bytes: bytes, text: text)
    }

    func step() throws -> FrameTraceFile.Step {
        FrameTraceFile.Step(action: try action(), expected: notify ?? [], isGone: gone ?? false)
    }

    private func action() throws -> FrameTraceFile.Action {
        if let write { return .write(try Self.write(write, isLatin: false)) }
        if let wait {
            guard (0...3600).contains(wait) else { throw TraceFault("a wait of \(wait) s") }
            return .wait(.microseconds(Int64(wait * 1e6)))
        }
        if tap == true { return .tap }
        if disconnect == true { return .disconnect }
        if connect == true { return .connect }
        guard end == true else { throw TraceFault("a step without an action") }
        return .end
    }
}
