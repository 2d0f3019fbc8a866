import Assistant
import Bluetooth
import Foundation
import Support
import VirtualDevices

/// A smoke test of a conversation: one step a line.
struct ChatScript: Sendable {
    enum Action: Sendable, Hashable {
        case send(String)
        case tap(UserInput.Pad)
        case hold(seconds: Double)
        /// A WAV file's bytes; a tap follows.
        case speak([UInt8])
        /// A JPEG file's bytes; the camera sees them from here on.
        case show([UInt8])
        /// For the unit's display.
        case picture(DisplayPicture)
        /// Numbered messages both ways, one at a time.
        case soak(SoakPlan)
        case expect(pattern: String, seconds: Double)

        /// Whether it needs a virtual unit's sensors.
        var needsVirtualUnit: Bool {
            switch self {
            case .tap, .hold, .speak, .show: true
            case .soak(let plan): plan.cutInterval != nil
            case .send, .expect, .picture: false
            }
        }
    }

    struct Step: Sendable, Hashable {
        /// From 1.
        var line: Int
        var action: Action
    }

    /// An invalid line.
    struct Fault: DiagnosableError {
        var path: String
        var line: Int
        var reason: String

        var diagnosis: Diagnosis {
            Diagnosis(
                "NOA-0015", .badData, nil, "\(path), line \(line): \(reason)",
                cause: "the script has no steps, or one that noafw chat does not know or cannot perform",
                remedy: "correct the line; the steps are send, tap, hold, speak, show, picture, soak and expect (docs/chat.md)")
        }
    }

    static let sizeLimit = 1 << 20
    private static let lineLimit = 10_000
    private static let fileLimit = 16 << 20
    private static let secondsLimit = 3600.0

    let steps: [Step]

    /// - Parameters:
    ///   - takesPictures: whether the unit's display can.
    ///   - read: reads a file relative to the script's folder.
    /// - Throws: ``Fault``, and what `read` throws.
    init(_ bytes: [UInt8], path: String, isVirtual: Bool, takesPictures: Bool = true, read: (String) throws -> [UInt8]) throws {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Fault(path: path, line: 1, reason: "the script is not UTF-8 text")
        }
        let lines = text.replacing("\r\n", with: "\n").split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count <= Self.lineLimit else {
            throw Fault(path: path, line: Self.lineLimit + 1, reason: "the script has more than \(Self.lineLimit) lines")
        }
        var steps: [Step] = []
        for (number, line) in lines.enumerated() {
            let line = line.trimmingCharacters(in: .whitespaces)
            if line.isEmpty || line.hasPrefix("#") { continue }
            func fault(_ reason: String) -> Fault { Fault(path: path, line: number + 1, reason: reason) }
            let words = line.split(separator: " ", maxSplits: 1)
            let rest = words.count > 1 ? words[1].trimmingCharacters(in: .whitespaces) : ""
            let action = try Self.action(String(words[0]), rest, fault, read)
            if case .picture = action, !takesPictures { throw fault("this family's display cannot show pictures") }
            guard isVirtual || !action.needsVirtualUnit else {
                throw fault("'\(words[0])' needs a virtual unit: a script cannot touch or speak to a real one")
            }
            steps.append(Step(line: number + 1, action: action))
        }
        guard !steps.isEmpty else { throw Fault(path: path, line: 1, reason: "the script has no steps, so it would test nothing") }
        self.steps = steps
    }

    private static func action(
        _ verb: String, _ rest: String, _ fault: (String) -> Fault, _ read: (String) throws -> [UInt8]
    ) throws -> Action {
        switch verb {
        case "send":
            guard SessionCommand.isQuestion(rest) else { throw fault("'send' needs a text") }
            guard rest.utf8.count <= LineEditor.limit else { throw fault("the text is longer than \(LineEditor.limit) bytes") }
            return .send(rest)
        case "tap":
            guard let pad = UserInput.Pad(rawValue: rest.isEmpty ? "A" : rest) else { throw fault("'tap' takes a pad: A or B") }
            return .tap(pad)
        case "hold":
            guard let seconds = rest.isEmpty ? 0.9 : self.seconds(rest) else { throw fault("'hold' takes a time such as 1s") }
            return .hold(seconds: seconds)
        case "speak", "show", "picture":
            guard !rest.isEmpty else { throw fault("'\(verb)' needs a file") }
            do {
                let bytes = try read(rest)
                return switch verb {
                case "speak": .speak(bytes)
                case "show": .show(bytes)
                default: .picture(try PictureInput.picture(of: bytes, name: rest))
                }
            } catch let error as any DiagnosableError {
                throw fault("\(error.diagnosis.message) (\(error.diagnosis.cause))")
            }
        case "soak":
            guard let plan = SoakPlan(rest, duration: Self.seconds) else {
                throw fault(
                    "'soak' takes COUNT every SECONDS, such as: soak 100 every 2s, or soak 100 every 2s cut every 30s; COUNT is 1 to "
                        + "\(SoakPlan.countLimit)"
                )
            }
            return .soak(plan)
        case "expect": return try expectation(rest, fault)
        default: throw fault("'\(verb.prefix(40))' is not a step")
        }
    }

    private static func expectation(_ rest: String, _ fault: (String) -> Fault) throws -> Action {
        guard let within = rest.range(of: " within ", options: .backwards), let seconds = Self.seconds(String(rest[within.upperBound...]))
        else { throw fault("'expect' takes REGEX within SECONDS, such as: expect hello within 5s") }
        let pattern = rest[..<within.lowerBound].trimmingCharacters(in: .whitespaces)
        do {
            _ = try TextPattern(pattern)
        } catch {
            throw fault("'\(pattern.prefix(80))' is not a regular expression that noafw supports: \(error.reason)")
        }
        return .expect(pattern: pattern, seconds: seconds)
    }

    /// `5s`, `0.5s`, `300ms`.
    private static func seconds(_ text: String) -> Double? {
        guard let match = text.wholeMatch(of: /([0-9]{1,6}(?:\.[0-9]{1,3})?)\s*(ms|s)/), let number = Double(match.1) else { return nil }
        let seconds = match.2 == "ms" ? number / 1000 : number
        return seconds <= secondsLimit ? seconds : nil
    }

    /// Reads a script and its files.
    static func load(_ path: NamedPath, isVirtual: Bool, takesPictures: Bool) throws -> ChatScript {
        let folder = (path.location as NSString).deletingLastPathComponent
        return try ChatScript(
            try InputFile.read(path, limit: sizeLimit), path: path.name, isVirtual: isVirtual, takesPictures: takesPictures
        ) { name in
            try InputFile.read(NamedPath(name, in: folder), limit: fileLimit)
        }
    }
}
