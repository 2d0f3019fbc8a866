import Cryptography
import REPL
import Support

/// Whether an FPGA works.
public enum FPGACondition: Sendable, Hashable {
    /// It answers its identification. The version is untrusted but printable, such as `v23.230.0808`.
    case running(version: String)
    /// The firmware holds it in reset, as after an unfinished update. A chip reset starts it.
    case stopped
    /// It should run but does not answer.
    case silent
}

public struct FPGAProbe: Sendable {
    /// Digests are 17 bytes each, and all answers in flight must stay below 1000 bytes.
    private static let pagesPerCommand = 16
    private static let surveysInFlight = 3
    private static let identification = Array("Mncl".utf8)

    /// Reads both registers at once: a version counts only together with the identification.
    static let registersCode = """
        import fpga
        for _n in fpga.read(1,4),fpga.read(2,12):
         print('%02x'*len(_n)%tuple(_n))
        """
    static let runCode = "import fpga\nprint(fpga.run())"

    let helper: FlashHelper
    private var session: HelperSession { helper.session }
    private var repl: PythonREPL { session.repl }

    public init(repl: PythonREPL) { self.init(repl: repl, answerTimeout: FlashHelper.answerTimeout) }

    init(repl: PythonREPL, answerTimeout: Duration) { helper = FlashHelper(repl: repl, answerTimeout: answerTimeout) }

    /// `nil` when no image answers. Untrusted but printable.
    public func readVersion() async throws -> String? {
        guard case .running(let version) = try await condition(), !version.isEmpty else { return nil }
        return version
    }

    /// With no image running the data line floats and may read as anything, so nothing counts before the identification `Mncl`
    /// (monocle-micropython, `modules/fpga.c`).
    public func condition() async throws -> FPGACondition {
        let text = try await repl.runText(Self.registersCode, using: "fpga.read", within: session.patience)
        let registers = text.split(separator: "\n").compactMap { HexText.decode($0) }
        guard registers.map(\.count) == [4, 12] else { throw REPLError.unreadable(String(text.suffix(80))) }
        if registers[0] == Self.identification {
            return .running(version: PrintableText.of(registers[1].prefix { $0 != 0 }))
        }
        let runs = try await repl.runText(Self.runCode, using: "fpga.run", within: session.patience)
        return runs == "False" ? .stopped : .silent
    }

    /// SHA-256 of the 444,430 bytes in flash, computed on the unit.
    /// - Parameter session: of the helper's beginning, unless more is asked of it soon.
    func digest(by session: HelperSession? = nil, onProgress: (Int) -> Void = { _ in }) async throws -> [UInt8] {
        let session = session ?? helper.reader
        return try await session.using { try await session.insisting { try await digestOnce(onProgress: onProgress) } }
    }

    private func digestOnce(onProgress: (Int) -> Void) async throws -> [UInt8] {
        let ends = groups.map { FPGALimits.page($0.upperBound - 1).upperBound }
        let commands = try zip([0] + ends, ends).map { try PythonCode("_nf.sha(\($0),\($1))") }
        var last = ""
        try await repl.pipeline(commands, within: FlashHelper.readTimeout) { index, answer in
            last = try CheckedAnswer.decode(answer)
            onProgress(ends[index])
        }
        guard let digest = HexText.decode(last), digest.count == SHA256.byteCount else {
            throw REPLError.unreadable(String(last.suffix(80)))
        }
        return digest
    }

    private func marker() async throws -> [UInt8] {
        let marker = try await session.ask("mark()")
        guard let bytes = HexText.decode(marker), bytes.count == FPGALimits.marker.count else {
            throw REPLError.unreadable(String(marker.suffix(80)))
        }
        return bytes
    }

    func isCommitted(by session: HelperSession? = nil) async throws -> Bool {
        try await (session ?? helper.reader).using { try await marker() == FPGALimits.marker }
    }

    /// Reads the marker and the digests of all pages and of the whole flash, computed on the unit.
    /// - Parameter image: also reads what a plan for this image needs.
    func survey(for image: FPGAImage? = nil) async throws -> FlashState {
        try await session.using {
            let counter = try await helper.counter()
            let (digests, sha256) = try await session.insisting { try await flashDigests() }
            var survey = FlashState(pageDigests: digests, sha256: sha256, marker: try await marker(), counter: counter)
            if let image, let page = FPGAPlan.openPage(survey: survey, image: image) { survey.edge = try await edge(of: page) }
            return survey
        }
    }

    private func flashDigests() async throws -> (pages: [UInt64], whole: [UInt8]) {
        let groups = groups
        let commands = try groups.map { try PythonCode("_nf.pages(\($0.lowerBound),\($0.count))") }
        var pages: [UInt64] = []
        var whole: [UInt8] = []
        try await repl.pipeline(commands, atOnce: Self.surveysInFlight, within: FlashHelper.readTimeout) { index, answer in
            let text = try CheckedAnswer.decode(answer)
            var words = text.split(separator: " ")
            if index == groups.count - 1 { whole = words.popLast().flatMap { HexText.decode($0) } ?? [] }
            let values = words.compactMap { Self.digest(from: $0) }
            guard values.count == groups[index].count else { throw REPLError.unreadable(String(text.suffix(80))) }
            pages += values
        }
        guard whole.count == SHA256.byteCount else { throw REPLError.unreadable("no digest of the flash") }
        return (pages, whole)
    }

    private func edge(of page: Int) async throws -> FlashState.Edge {
        let range = FPGALimits.page(page)
        let answer = try await session.ask("tail(\(range.lowerBound),\(range.upperBound))", within: FlashHelper.readTimeout)
        let words = answer.split(separator: " ")
        guard words.count == 2, let count = Int(words[0]), (0...range.count).contains(count),
            let digest = Self.digest(from: words[1])
        else { throw REPLError.unreadable(String(answer.suffix(80))) }
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

    /// Differences from an image, in an operator's words; empty when the flash holds it, committed.
    public func differences(from image: FPGAImage) async throws -> [String] {
        if try await isCommitted(), try await digest() == image.sha256 { return [] }
        let survey = try await survey()
        var found = survey.differingPages(from: image).map { "page \($0) of the FPGA flash" }
        if !survey.isCommitted { found.append("the FPGA commit marker") }
        if found.isEmpty, survey.sha256 != image.sha256 { found.append("the digest of the FPGA flash") }
        return found
    }
}
