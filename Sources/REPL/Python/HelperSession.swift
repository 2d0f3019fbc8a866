import Cryptography
import Support

/// Parses `text check`, as ``RemoteHelper``'s `say` prints it: notifications can be lost or damaged.
package enum CheckedAnswer {
    package static func decode(_ answer: [UInt8]) throws -> String {
        let text = PrintableText.of(answer)
        guard let space = text.lastIndex(of: " "),
            text[text.index(after: space)...] == SHA256.check(of: text[..<space].utf8)
        else { throw REPLError.unreadable(String(text.suffix(80))) }
        return String(text[..<space])
    }
}

/// A command that sends the part `range` of a file to a helper.
package struct HelperPiece: Sendable, Hashable {
    package let range: Range<Int>
    package let code: PythonCode

    package init(range: Range<Int>, code: PythonCode) { (self.range, self.code) = (range, code) }
}

/// Calls a helper's methods, checks their answers, and recovers lost ones.
package struct HelperSession: Sendable {
    /// What the unit may take for a method that neither erases nor reads much: collecting its garbage takes 30 ms, a block of its flash 60.
    private static let leastPatience = Duration.milliseconds(1500)
    /// Round trips that a command and its answer may take, both in several packets, with retransmissions.
    private static let patientAnswerTrips = 30
    private static let callsInFlight = 16
    /// A survey's forty packets are all there in one try of two where the host drops one in fifty.
    private static let mostTries = 3
    /// Round trips that a piece and the sign that it was read may take, with retransmissions.
    private static let patientRoundTrips = 8
    /// To get back to the prompt after a loss.
    package static let recoveryTimeout = Duration.seconds(20)

    package let repl: PythonREPL
    private let helper: RemoteHelper
    package let answerTimeout: Duration
    private let lastingExceptions: [String]

    /// - Parameter lastingExceptions: names of Python exceptions that asking again does not cure.
    package init(of helper: RemoteHelper, on repl: PythonREPL, answerTimeout: Duration, lastingExceptions: [String] = []) {
        (self.helper, self.repl, self.answerTimeout, self.lastingExceptions) = (helper, repl, answerTimeout, lastingExceptions)
    }

    /// Uploads the helper unless the unit has it.
    package func ensure() async throws { try await using {} }

    /// Runs what needs the helper. Sends the helper once more if an answer meanwhile was lost, and runs all once more if a restart of
    /// Python removed a helper that was assumed to be there.
    package func using<Value>(_ body: () async throws -> Value) async throws -> Value {
        let isRemembered = repl.remembers(helper)
        func prepared() async throws -> Value {
            do {
                try await helper.ensure(on: repl, within: patience)
            } catch where isTransient(error) {
                try await repl.recover(within: Self.recoveryTimeout)
                try await helper.ensure(on: repl, within: patience)
            }
            do {
                return try await body()
            } catch where showsDamage(error) {
                try? await helper.discard(on: repl, within: patience)
                throw error
            }
        }
        do {
            return try await prepared()
        } catch REPLError.exception(let exception) where isRemembered && exception.lastLine.hasPrefix("NameError") {
            return try await prepared()
        }
    }

    /// For an answer that comes soon: a lost one is asked for again after this time.
    package var patience: Duration { min(answerTimeout, max(Self.leastPatience, repl.roundTrip * Self.patientAnswerTrips)) }

    package func tell(_ call: String, within limit: Duration? = nil) async throws {
        _ = try await repl.run(code(of: call), within: limit ?? patience)
    }

    /// Calls a method once and returns its checked answer.
    package func perform(_ call: String, within limit: Duration? = nil) async throws -> String {
        try CheckedAnswer.decode(await repl.run(code(of: call), within: limit ?? patience))
    }

    /// Asks several questions in one go, all again if an answer was damaged. Use only for methods that are safe to repeat.
    /// - Parameters:
    ///   - call: a method that answers nothing, called once before.
    ///   - inFlight: so many answers are below 1000 bytes together.
    package func ask(
        _ calls: [String], after call: String? = nil, atOnce inFlight: Int, within limit: Duration? = nil
    ) async throws -> [String] {
        func decoded(_ before: [String] = []) async throws -> [String] {
            let answers = try await answers(to: before + calls, atOnce: inFlight, within: limit ?? patience)
            return try answers.dropFirst(before.count).map(CheckedAnswer.decode)
        }
        if let call {
            // Anything else leaves open whether it was called.
            do { return try await decoded([call]) } catch REPLError.unreadable {}
        }
        return try await insisting { try await decoded() }
    }

    /// Calls methods in order, as long as none raises. Those that were under way by then run as well.
    package func tell(_ calls: [String]) async throws { _ = try await answers(to: calls, atOnce: Self.callsInFlight, within: patience) }

    private func answers(to calls: [String], atOnce inFlight: Int, within limit: Duration) async throws -> [[UInt8]] {
        var answers: [[UInt8]] = []
        try await repl.pipeline(calls.map { try code(of: $0) }, atOnce: inFlight, within: limit) { answers.append($1) }
        return answers
    }

    /// Asks again if the answer was damaged. Use only for methods that are safe to repeat.
    package func ask(_ call: String, within limit: Duration? = nil) async throws -> String {
        try await insisting { try await perform(call, within: limit) }
    }

    /// Asks up to three times: again at once if the answer was damaged, from a fresh prompt if what encloses it was. Use only for what is
    /// safe to repeat.
    package func insisting<Value>(_ question: () async throws -> Value) async throws -> Value {
        for _ in 0..<2 {
            do {
                return try await question()
            } catch REPLError.unreadable {
                continue
            } catch REPLError.garbage(let what) {
                try await recover(from: REPLError.garbage(what))
            }
        }
        return try await question()
    }

    /// - Throws: ``REPLError/lacking(_:)`` when the firmware lacks the part that the question needs.
    package func asking<Value>(for part: String, _ question: () async throws -> Value) async throws -> Value {
        do {
            return try await question()
        } catch REPLError.exception(let exception) where REPLError.lacking(in: exception) != nil {
            throw REPLError.lacking(part)
        }
    }

    private func code(of call: String) throws -> PythonCode { try PythonCode("\(helper.name).\(call)") }

    /// Sends pieces, several in flight. Each answer is the helper's new position.
    package func send(
        _ pieces: [HelperPiece], position: (String) throws -> Int?, onProgress: (Int) -> Void
    ) async throws {
        try await repl.pipeline(pieces.lazy.map(\.code), within: patience) { index, answer in
            let position = try position(CheckedAnswer.decode(answer))
            // Something before this piece was lost, or it arrived damaged.
            guard position == pieces[index].range.upperBound else { throw REPLError.garbage("the end of a piece") }
            onProgress(pieces[index].range.upperBound)
        }
    }

    /// Calls a helper's `go`, which reads pieces and answers once (``InputPiece/helper(_:)``).
    /// - Parameters:
    ///   - pieces: without their end.
    ///   - least: longer than the unit is ever silent between two pieces.
    ///   - onRead: how many pieces were read.
    package func feed(
        _ call: String, _ pieces: [[UInt8]], patience least: Duration, onRead: (Int) -> Void
    ) async throws -> String {
        let output = try await repl.feed(
            code(of: call), pieces + [InputPiece.end], patience: max(least, repl.roundTrip * Self.patientRoundTrips),
            within: answerTimeout, onRead: onRead)
        // The answer is the last line, after the signs of the pieces.
        let answer = output.split(separator: UInt8(ascii: "\n")).last { $0.contains(UInt8(ascii: " ")) }
        return try CheckedAnswer.decode(Array(answer ?? []))
    }

    package func isTransient(_ error: any Error) -> Bool {
        switch error {
        case REPLError.exception(let exception):
            !lastingExceptions.contains { exception.lastLine.hasPrefix($0) } || missesOtherName(exception)
        case REPLError.timedOut, REPLError.garbage, REPLError.unreadable: true
        default: false
        }
    }

    package func retrying<Value>(_ notice: (String) -> Void, _ step: () async throws -> Value) async throws -> Value {
        for _ in 1..<Self.mostTries {
            do {
                return try await step()
            } catch where isTransient(error) {
                notice("an answer was lost; asking again")
                try await recover(from: error)
            }
        }
        return try await step()
    }

    /// What a whole helper may raise, too.
    private static let usualExceptions = ["KeyboardInterrupt", "MemoryError"]

    /// It raised what a helper does that arrived damaged.
    private func showsDamage(_ error: any Error) -> Bool {
        guard case REPLError.exception(let exception) = error, isTransient(error), !exception.isUnparsed else { return false }
        return !Self.usualExceptions.contains { exception.lastLine.hasPrefix($0) }
    }

    /// A name within the helper, which arrived damaged: a restart of Python would have taken the helper's own.
    private func missesOtherName(_ exception: PythonException) -> Bool {
        exception.lastLine.hasPrefix("NameError")
            && ![helper.name, RemoteHelper.ground.name].contains { exception.lastLine.contains("'\($0)'") }
    }

    /// Gets back to the prompt, and uploads the helper again unless its loss must end the step.
    package func recover(from error: any Error) async throws {
        try await repl.recover(within: Self.recoveryTimeout)
        do {
            if showsDamage(error) { try await helper.discard(on: repl, within: patience) }
            if !lastingExceptions.contains("NameError") { try await ensure() }
        } catch where isTransient(error) {
            try await repl.recover(within: Self.recoveryTimeout)
        }
    }
}
