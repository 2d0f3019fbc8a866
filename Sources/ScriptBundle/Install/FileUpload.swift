import Cryptography
import REPL

/// How files reach a unit.
enum FileWay: Sendable {
    /// As ``FilePiece``s, which the helper reads from the REPL's input.
    case input
    /// As literals in commands. Works wherever the helper works.
    case literals
}

/// Uploads files under their temporary names. All have to be proved that are not in ``proven`` then.
struct FileUpload {
    /// Pieces under way take 3 kB of the unit's heap, an open file 1 kB.
    private static let leastFreeByteCount = 4000
    /// Longer than the unit is ever silent between two pieces: where a file ends and the next begins it erases four blocks.
    private static let leastPatience = Duration.seconds(1)
    /// What names the files in one command.
    private static let listByteCount = PythonCode.maximumPipelinedByteCount - "_ns.go()".utf8.count

    private let helper: ScriptHelper
    private let byteCount: Int
    private var way: FileWay
    private var pending: [ScriptSet.File]
    /// A copy of the first one may be open on the unit.
    private var mayBeOpen: Bool
    private var (finishedByteCount, bestByteCount) = (0, 0)
    private var fruitlessAttempts = 0
    /// The unit has digested them as they arrived.
    private(set) var proven: Set<ScriptSet.File> = []

    /// - Parameter areNew: none of the copies is on the unit.
    init(of files: [ScriptSet.File], to helper: ScriptHelper, areNew: Bool) {
        (self.helper, way, pending, mayBeOpen) = (helper, helper.way, files, !areNew)
        byteCount = files.byteCount
    }

    /// - Parameter memoryByteCount: what is free on the unit; 0 where its Python does not read its input as bytes.
    mutating func run(memoryByteCount: Int, _ report: (ScriptEvent) -> Void) async throws {
        if way == .input, memoryByteCount < Self.leastFreeByteCount {
            leaveInput(because: memoryByteCount == 0 ? InputPiece.isLacking : InputPiece.isShort(of: memoryByteCount), report)
        }
        while let file = pending.first {
            if fruitlessAttempts == 2 {
                guard way == .input else { throw ScriptError.uploadFailed(file.name) }
                leaveInput(because: "\(file.name) failed twice", report)
            }
            fruitlessAttempts += 1
            do {
                try await send(report)
            } catch where helper.session.isTransient(error) {
                if let short = error as? REPLError, short.isOutOfMemory {
                    guard way == .input else { throw short }
                    leaveInput(because: InputPiece.isShort, report)
                } else {
                    report(.notice("data was lost on the way; going on with \(pending.first?.name ?? file.name)"))
                }
                // What was typed in between may raise anything: the helper and its open file stay.
                if !helper.session.repl.isInStep { try await helper.session.recover(from: error) }
            }
        }
    }

    private mutating func leaveInput(because reason: String, _ report: (ScriptEvent) -> Void) {
        (way, fruitlessAttempts) = (.literals, 0)
        report(.notice("files go as Python text from here on, which takes longer: \(reason)"))
    }

    private mutating func send(_ report: (ScriptEvent) -> Void) async throws {
        let start = mayBeOpen || way == .literals ? try await helper.position(of: pending[0]) : 0
        mayBeOpen = true
        switch way {
        case .input: try await sendAsInput(from: start, report)
        case .literals: try await sendAsLiterals(from: start, report)
        }
    }

    private mutating func sendAsInput(from start: Int, _ report: (ScriptEvent) -> Void) async throws {
        let files = listed
        let pieces = FilePiece.pieces(of: files, from: start, packetByteCount: helper.session.repl.piecePacketByteCount)
        var finished = 0
        defer { finish(finished) }
        let answer = try await helper.session.feed(
            "go(\(files.map(\.listing).joined(separator: ",")))", pieces.map(\.bytes), patience: Self.leastPatience
        ) { readCount in
            guard readCount > 0, let piece = pieces.prefix(readCount).last else { return }
            finished = piece.file
            note(files[..<piece.file].byteCount + piece.end, report)
        }
        let words = answer.split(separator: " ").map(String.init)
        guard words.last == "0", words.count == files.count + 1 else { throw REPLError.garbage("the end of a file") }
        for (file, word) in zip(files, words) where try ScriptHelper.file(from: word) == file.expectation { proven.insert(file) }
        finished = files.count
    }

    /// As many of the files as one command names.
    private var listed: [ScriptSet.File] {
        var room = Self.listByteCount
        let others = pending.dropFirst().prefix { file in
            room -= file.listing.utf8.count + 1
            return room >= pending[0].listing.utf8.count
        }
        return [pending[0]] + others
    }

    private mutating func sendAsLiterals(from start: Int, _ report: (ScriptEvent) -> Void) async throws {
        try await helper.session.send(pending[0].commands(from: start), position: ScriptHelper.position(from:)) { note($0, report) }
        try await helper.session.tell("end()")
        finish(1)
    }

    private mutating func note(_ byteCount: Int, _ report: (ScriptEvent) -> Void) {
        let done = finishedByteCount + byteCount
        if done > bestByteCount { (bestByteCount, fruitlessAttempts) = (done, 0) }
        report(.uploading(bytesDone: done, bytesTotal: self.byteCount))
    }

    private mutating func finish(_ count: Int) {
        finishedByteCount += pending[..<count].byteCount
        pending.removeFirst(count)
    }
}

extension Collection<ScriptSet.File> {
    var byteCount: Int { reduce(0) { $0 + $1.bytes.count } }
}

extension ScriptHelper {
    /// How often a file is sent that arrives damaged.
    private static let uploadLimit = 3

    /// Sends each copy until the unit has its digest.
    /// - Parameters:
    ///   - areNew: none of the copies is on the unit.
    ///   - memoryByteCount: see ``Space``.
    func upload(_ files: [ScriptSet.File], areNew: Bool, memoryByteCount: Int, _ report: (ScriptEvent) -> Void) async throws {
        var missing = files
        for attempt in 0..<Self.uploadLimit where !missing.isEmpty {
            for file in missing where attempt > 0 { report(.notice("\(file.name) arrived damaged; sending it again")) }
            var upload = FileUpload(of: missing, to: self, areNew: areNew && attempt == 0)
            try await upload.run(memoryByteCount: memoryByteCount, report)
            missing = try await session.retrying({ report(.notice($0)) }) { [missing, proven = upload.proven] in
                try await self.missing(of: missing.filter { !proven.contains($0) })
            }
        }
        if let file = missing.first { throw ScriptError.uploadFailed(file.name) }
    }

    /// Files whose new copy is not on the unit.
    func missing(of files: [ScriptSet.File]) async throws -> [ScriptSet.File] {
        zip(files, try await self.files(files, areCopies: true)).filter { $0.expectation != $1 }.map { $0.0 }
    }

    /// Puts a file's new content in its place once the unit has proved it.
    func replace(_ file: ScriptSet.File, _ report: (ScriptEvent) -> Void) async throws {
        let answers = try await session.retrying({ _ in }) {
            try await session.ask([Self.digestCall(file, isCopy: true), Self.spaceCall], atOnce: 2)
        }
        let (copy, space) = (try Self.file(from: answers[0]), try Space(from: answers[1]))
        if copy != file.expectation {
            try await upload([file], areNew: copy == nil, memoryByteCount: space.memoryByteCount, report)
        }
        var isFirst = true
        try await session.retrying({ _ in }) {
            // A lost answer: a copy that is gone is in its place.
            if !isFirst, try await self.file(file, isCopy: true) == nil { return }
            isFirst = false
            try await session.tell("place(0,\(Self.literal(file.name)))")
        }
    }

    /// Where a new copy goes on, which is begun unless it is open.
    func position(of file: ScriptSet.File) async throws -> Int {
        let name = Self.literal(file.copyName)
        let position = try Self.position(from: await session.ask("on(\(name))"))
        if let position, position <= file.bytes.count { return position }
        return try Self.position(from: await session.ask("new(\(name))")) ?? 0
    }
}

extension ScriptSet.File {
    /// For the helper's `go`.
    fileprivate var listing: String { "(\(ScriptHelper.literal(copyName)),\(bytes.count))" }

    /// Commands `_ns.a(offset,check,b'…')` that append what follows `offset`, each within the unit's ring.
    /// - Parameter offset: as reported by the unit. At the file's end there are no pieces.
    func commands(from offset: Int) throws -> [HelperPiece] {
        guard bytes.indices.contains(offset) else { return [] }
        // `_ns.a(` 6, offset 7, check 10, two commas, `b''` 3, closing parenthesis.
        let room = PythonCode.maximumPipelinedByteCount - 29
        var pieces: [HelperPiece] = []
        var rest = bytes[offset...]
        while !rest.isEmpty {
            let piece = PythonLiteral.prefix(of: rest, room: room)
            let head = Array("_ns.a(\(piece.startIndex),\(SHA256.number(of: piece)),".utf8)
            let code = try PythonCode(bytes: head + PythonLiteral.bytes(piece) + [UInt8(ascii: ")")])
            pieces.append(HelperPiece(range: piece.startIndex..<piece.endIndex, code: code))
            rest = rest[piece.endIndex...]
        }
        return pieces
    }
}
