import Cryptography
import Support

@testable import REPL
@testable import ScriptBundle

extension FuzzTarget {
    /// Notifications of a Monocle's raw prompt. The upper bit of a piece's length says that a command was sent before.
    static let rawPrompt = FuzzTarget("raw-prompt", seeds: { [Samples.rawAnswers] }) { input in
        let pieces = Samples.pieces(of: input)
        guard let whole = answers(pieces) else { return }
        try BrokenPromise.check(whole == answers(pieces.flatMap(Samples.split)), "where a notification is cut changes what it says")
        let sent = pieces.filter(\.flag).count
        try BrokenPromise.check(whole.count <= sent, "\(whole.count) answers to \(sent) commands")
        for answer in whole {
            try BrokenPromise.check(answer.output.count <= Samples.outputLimit, "an answer of \(answer.output.count) bytes")
            if let traceback = answer.traceback { try check(PythonException(standardError: traceback)) }
        }
    }

    private struct RawAnswer: Equatable {
        var output: [UInt8] = []
        var traceback: [UInt8]?
    }

    private static func check(_ exception: PythonException) throws {
        try BrokenPromise.check(exception.lastLine == PrintableText.of(exception.lastLine.utf8), "an exception that is not printable")
    }

    private static func answers(_ pieces: [(flag: Bool, bytes: [UInt8])]) -> [RawAnswer]? {
        var machine = RawREPLMachine(outputLimit: Samples.outputLimit)
        var answers: [RawAnswer] = []
        for (flag, bytes) in pieces {
            if flag { machine.inFlight += 1 }
            guard let events = try? machine.receive(bytes) else { return nil }
            for event in events {
                switch event {
                case .accepted: answers.append(RawAnswer())
                case .printed(let bytes): answers[answers.count - 1].output += bytes
                case .answered(let traceback): answers[answers.count - 1].traceback = traceback
                }
            }
        }
        return answers
    }

    /// What a program prints, and the prompt behind it.
    static let programOutput = FuzzTarget("program-output", seeds: { [Samples.programOutput] }) { input in
        var (whole, byByte) = (ConsoleReader(), ConsoleReader())
        let events = whole.receive(input)
        try BrokenPromise.check(events == input.flatMap { byByte.receive([$0]) }, "where the output is cut changes what it says")
        for event in events {
            switch event {
            case .line(let line): try BrokenPromise.check(line == PrintableText.of(line.utf8), "a line that is not printable")
            case .raised(let exception): try check(exception)
            case .ended: continue
            }
        }
    }

    /// The signs by which a unit tells that it has read pieces: it is never sent more than its ring holds.
    static let pieceSigns = FuzzTarget("piece-signs", seeds: { [Array("\"#$%&'()*+,-./0123456789".utf8), Array("\"#!".utf8)] }) { input in
        let sizes = (0..<200).map { 100 + $0 * 37 % 400 }
        var stream = PieceStream(sizes.map { [UInt8](repeating: 0x41, count: $0) })
        var (sent, read) = (0, 0)
        for byte in input {
            while true {
                let packet = stream.nextPacket(atMost: 244)
                if packet.isEmpty { break }
                sent += packet.count
                try BrokenPromise.check(sent - read <= CommandPipeline.ringByteCount, "\(sent - read) bytes are under way")
            }
            _ = stream.receive([byte])
            try BrokenPromise.check(stream.readCount <= sizes.count, "more pieces than there are")
            read = sizes[..<stream.readCount].reduce(0, +)
            try BrokenPromise.check(read <= sent, "a piece was read that was not sent")
        }
    }

    /// What a helper answers, which gets its check here.
    static let helperAnswer = FuzzTarget("helper-answer", seeds: { Samples.helperAnswers }) { input in
        let text = PrintableText.of(input)
        let answer = Array("\(text) \(SHA256.check(of: text.utf8))\r\n".utf8)
        guard let checked = try? CheckedAnswer.decode(answer) else { return }
        if let file = try? ScriptHelper.file(from: checked) {
            try BrokenPromise.check((0...1 << 24).contains(file.byteCount), "a file of \(file.byteCount) bytes")
        }
        if let position = try? ScriptHelper.position(from: checked) {
            try BrokenPromise.check((0...1 << 24).contains(position), "a position of \(position)")
        }
        if let space = try? ScriptHelper.Space(from: checked) {
            try BrokenPromise.check(space.blockByteCount > 0 && space.freeByteCount >= 0, "a disk of \(space)")
        }
    }
}

extension Samples {
    static let outputLimit = 500

    /// In two, each half of which is a notification of its own.
    static func split(_ piece: (flag: Bool, bytes: [UInt8])) -> [(flag: Bool, bytes: [UInt8])] {
        let middle = piece.bytes.count / 2
        return [(piece.flag, Array(piece.bytes[..<middle])), (false, Array(piece.bytes[middle...]))]
    }

    private static func piece(_ text: String, isCommand: Bool = false) -> [UInt8] {
        [UInt8(text.utf8.count) | (isCommand ? 0x80 : 0)] + Array(text.utf8)
    }

    static let rawAnswers = piece("OK42\r\n\u{4}\u{4}>", isCommand: true)
        + piece("OK\u{4}Traceback\r\nOSError: 2\r\n\u{4}>", isCommand: true)
        + piece("callback\r\nOKhalf", isCommand: true) + piece(" of it\u{4}\u{4}>") + piece("raw REPL; CTRL-B to exit\r\n>")

    static let programOutput = Array(
        """
        ready
        Traceback (most recent call last):
          File "main.py", line 3, in <module>
        ValueError: no number
        MicroPython v1.19 on 2023; monocle
        Type "help()" for more information.
        >>>\u{20}
        """.utf8)

    static let helperAnswers = [
        "-", ":0", String(repeating: "ab", count: 32) + ":1234", "4096 400000 12000", "17", "-1", "6d61696e2e7079 6c69622f +",
    ].map { Array($0.utf8) }
}
