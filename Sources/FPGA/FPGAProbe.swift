import Cryptography
import REPL
import Support

/// Whether an FPGA works.
public enum FPGACondition: Sendable, Hashable {
    /// It answers its identification. The version is untrusted, but printable, such as `v23.230.0808`.
    case running(version: String)
    /// The firmware holds it in reset, as an update that did not come to its end leaves it. A chip reset starts it.
    case stopped
    /// It should run, and does not answer.
    case silent
}

/// Read-only questions about a unit's FPGA and its flash.
public struct FPGAProbe: Sendable {
    /// Their digests, 17 bytes each, and the answers in flight together stay below 1000 bytes.
    private static let pagesPerCommand = 16
    private static let surveysInFlight = 3
    private static let identification = Array("Mncl".utf8)

    /// Both registers at once: the version is believed only beside the identification.
    static let registersCode = """
        import fpga
        for _n in fpga.read(1,4),fpga.read(2,12):
         print('%02x'*len(_n)%tuple(_n))
        """
    static let runCode = "import fpga\nprint(fpga.run())"

    private let repl: PythonREPL
    private let timing: FPGATiming
    private let helper: FlashHelper

    public init(repl: PythonREPL, timing: FPGATiming = .init()) {
        self.repl = repl
        self.timing = timing
        helper = FlashHelper(repl: repl, timing: timing)
    }

    /// `nil` when no image answers. Untrusted, but printable.
    public func readVersion() async throws -> String? {
        guard case .running(let version) = try await condition(), !version.isEmpty else { return nil }
        return version
    }

    /// With no image running the data line floats, and anything may be read, so nothing is believed before the identification
    /// `Mncl` (monocle-micropython, `modules/fpga.c`).
    public func condition() async throws -> FPGACondition {
        let text = try await repl.runText(Self.registersCode, using: "fpga.read", within: timing.command)
        let registers = text.split(separator: "\n").compactMap { HexText.decode($0) }
        guard registers.map(\.count) == [4, 12] else { throw FPGAError.answerUnreadable(String(text.suffix(80))) }
        if registers[0] == Self.identification {
            return .running(version: PrintableText.of(registers[1].prefix { $0 != 0 }))
        }
        let runs = try await repl.runText(Self.runCode, using: "fpga.run", within: timing.command)
        return runs == "False" ? .stopped : .silent
    }

    /// SHA-256 over the 444,430 bytes in flash, computed on the unit.
    /// - Parameter onProgress: bytes read so far.
    public func digest(onProgress: (Int) -> Void = { _ in }) async throws -> [UInt8] {
        try await helper.session.using { try await CheckedAnswer.insisting { try await digestOnce(onProgress: onProgress) } }
    }

    private func digestOnce(onProgress: (Int) -> Void) async throws -> [UInt8] {
        let ends = groups.map { FPGALimits.page($0.upperBound - 1).upperBound }
        let commands = try zip([0] + ends, ends).map { try PythonCode("_nf.sha(\($0),\($1))") }
        var last = ""
        try await repl.pipeline(commands, within: timing.read) { index, answer in
            last = try CheckedAnswer.decode(answer)
            onProgress(ends[index])
        }
        guard let digest = HexText.decode(last), digest.count == SHA256.byteCount else {
            throw FPGAError.answerUnreadable(String(last.suffix(80)))
        }
        return digest
    }

    /// Whether the marker behind the image is there.
    func isCommitted() async throws -> Bool {
        try await helper.session.using { HexText.decode(try await helper.session.ask("mark()")) == FPGALimits.marker }
    }

    /// Digests of all pages and of the whole flash, computed on the unit, and the marker.
    /// - Parameters:
    ///   - image: when given, what a plan for it needs beside them is asked, too.
    ///   - onProgress: bytes read so far.
    public func survey(for image: FPGAImage? = nil, onProgress: (Int) -> Void = { _ in }) async throws -> FlashState {
        try await helper.session.using { try await surveyOnce(for: image, onProgress: onProgress) }
    }

    private func surveyOnce(for image: FPGAImage?, onProgress: (Int) -> Void) async throws -> FlashState {
        let counter = try await helper.counter()
        let (digests, sha256) = try await CheckedAnswer.insisting { try await flashDigests(onProgress: onProgress) }
        let marker = try await helper.session.ask("mark()")
        guard let bytes = HexText.decode(marker), bytes.count == FPGALimits.marker.count else {
            throw FPGAError.answerUnreadable(marker)
        }
        var survey = FlashState(pageDigests: digests, sha256: sha256, marker: bytes, counter: counter)
        if let image, let page = FPGAPlan.openPage(survey: survey, image: image) { survey.edge = try await edge(of: page) }
        return survey
    }

    private func flashDigests(onProgress: (Int) -> Void) async throws -> (pages: [UInt64], whole: [UInt8]) {
        let groups = groups
        let commands = try groups.map { try PythonCode("_nf.pages(\($0.lowerBound),\($0.count))") }
        var pages: [UInt64] = []
        var whole: [UInt8] = []
        try await repl.pipeline(commands, atOnce: Self.surveysInFlight, within: timing.read) { index, answer in
            let text = try CheckedAnswer.decode(answer)
            var words = text.split(separator: " ")
            if index == groups.count - 1 { whole = words.popLast().flatMap { HexText.decode($0) } ?? [] }
            let values = words.compactMap { Self.digest(from: $0) }
            guard values.count == groups[index].count else { throw FPGAError.answerUnreadable(String(text.suffix(80))) }
            pages += values
            onProgress(FPGALimits.page(groups[index].upperBound - 1).upperBound)
        }
        guard whole.count == SHA256.byteCount else { throw FPGAError.answerUnreadable("no digest of the flash") }
        return (pages, whole)
    }

    private func edge(of page: Int) async throws -> FlashState.Edge {
        let range = FPGALimits.page(page)
        let answer = try await helper.session.ask("tail(\(range.lowerBound),\(range.upperBound))", within: timing.read)
        let words = answer.split(separator: " ")
        guard words.count == 2, let count = Int(words[0]), (0...range.count).contains(count),
            let digest = Self.digest(from: words[1])
        else { throw FPGAError.answerUnreadable(String(answer.suffix(80))) }
        return FlashState.Edge(page: page, byteCount: count, digest: digest)
    }

    private static func digest(from text: Substring) -> UInt64? {
        text.utf8.count == 2 * FPGALimits.pageDigestByteCount ? UInt64(text, radix: 16) : nil
    }

    private var groups: [Range<Int>] {
        stride(from: 0, to: FPGALimits.pageCount, by: Self.pagesPerCommand).map {
            $0..<min($0 + Self.pagesPerCommand, FPGALimits.pageCount)
        }
    }

    /// What differs from an image, in an operator's words; empty when the flash holds it, committed.
    public func differences(from image: FPGAImage) async throws -> [String] {
        if try await isCommitted(), try await digest() == image.sha256 { return [] }
        let survey = try await survey()
        var found = survey.differingPages(from: image).map { "page \($0) of the FPGA flash" }
        if !survey.isCommitted { found.append("the FPGA commit marker") }
        if found.isEmpty, survey.sha256 != image.sha256 { found.append("the digest of the FPGA flash") }
        return found
    }
}

extension FlashState {
    /// Pages of 4 KiB whose digest differs.
    public func differingPages(from image: FPGAImage) -> [Int] {
        zip(pageDigests, image.pageDigests).enumerated().filter { $1.0 != $1.1 }.map(\.offset)
    }
}
