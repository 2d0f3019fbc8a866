import REPL

/// Read-only questions about a unit's FPGA and its flash.
public struct FPGAProbe: Sendable {
    private static let pagesPerCommand = 16

    private let repl: PythonREPL
    private let timing: FPGATiming
    private let helper: FlashHelper

    public init(repl: PythonREPL, timing: FPGATiming = .init()) {
        self.repl = repl
        self.timing = timing
        helper = FlashHelper(repl: repl, timing: timing)
    }

    /// Such as `v23.230.0808`; `nil` when no image answers. Untrusted, but printable.
    public func readVersion() async throws -> String? {
        let bytes = try await registers(at: 2, count: 12)
        let text = UnitText.printable(bytes.prefix { $0 != 0 })
        return text.isEmpty ? nil : text
    }

    /// Whether the FPGA answers its identification, `Mncl`.
    public func isAlive() async throws -> Bool {
        try await registers(at: 1, count: 4) == Array("Mncl".utf8)
    }

    private func registers(at address: Int, count: Int) async throws -> [UInt8] {
        let code = "import fpga,binascii\nprint(binascii.hexlify(fpga.read(\(address),\(count))).decode())"
        let text = try await repl.runText(code, within: timing.command)
        guard let bytes = HexText.decode(text), bytes.count == count else {
            throw FPGAError.answerUnreadable(String(text.suffix(80)))
        }
        return bytes
    }

    /// SHA-256 over the 444,430 bytes in flash, computed on the unit.
    /// - Parameter onProgress: bytes read so far.
    public func digest(onProgress: (Int) -> Void = { _ in }) async throws -> [UInt8] {
        try await helper.ensure()
        return try await CheckedAnswer.insisting { try await digestOnce(onProgress: onProgress) }
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

    /// Checksums of all pages, computed on the unit, and the marker.
    /// - Parameter onProgress: bytes read so far.
    public func survey(onProgress: (Int) -> Void = { _ in }) async throws -> FPGASurvey {
        try await helper.ensure()
        let counter = try await helper.counter()
        let crcs = try await CheckedAnswer.insisting { try await pageCRCs(onProgress: onProgress) }
        let marker = try await helper.askSafely("mark()", within: timing.command)
        guard let bytes = HexText.decode(marker), bytes.count == FPGALimits.marker.count else {
            throw FPGAError.answerUnreadable(marker)
        }
        return FPGASurvey(pageCRCs: crcs, marker: bytes, counter: counter)
    }

    private func pageCRCs(onProgress: (Int) -> Void) async throws -> [UInt32] {
        let groups = groups
        let commands = try groups.map { try PythonCode("_nf.crcs(\($0.lowerBound),\($0.count))") }
        var crcs: [UInt32] = []
        try await repl.pipeline(commands, within: timing.read) { index, answer in
            let text = try CheckedAnswer.decode(answer)
            let values = text.split(separator: " ").compactMap { UInt32($0, radix: 16) }
            guard values.count == groups[index].count else { throw FPGAError.answerUnreadable(text) }
            crcs += values
            onProgress(FPGALimits.page(groups[index].upperBound - 1).upperBound)
        }
        return crcs
    }

    private var groups: [Range<Int>] {
        stride(from: 0, to: FPGALimits.pageCount, by: Self.pagesPerCommand).map {
            $0..<min($0 + Self.pagesPerCommand, FPGALimits.pageCount)
        }
    }

    /// What differs from an image, in an operator's words; empty when the flash holds it, committed.
    public func differences(from image: FPGAImage) async throws -> [String] {
        let survey = try await survey()
        var found = survey.differingPages(from: image).map { "page \($0) of the FPGA flash" }
        if !survey.isCommitted { found.append("the FPGA commit marker") }
        if found.isEmpty, try await digest() != image.sha256 { found.append("the digest of the FPGA flash") }
        return found
    }
}

extension FPGASurvey {
    /// Pages of 4 KiB whose checksum differs.
    public func differingPages(from image: FPGAImage) -> [Int] {
        zip(pageCRCs, image.pageCRCs).enumerated().filter { $1.0 != $1.1 }.map(\.offset)
    }
}
