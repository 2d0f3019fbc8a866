import Cryptography
import REPL

extension ScriptInstaller {
    func retrying<Value>(_ report: (ScriptEvent) -> Void, _ step: () async throws -> Value) async throws -> Value {
        try await session.retrying({ report(.notice($0)) }, step)
    }
}

extension ScriptHelper {
    /// Uploads one file under its temporary name and verifies its digest there.
    func upload(_ file: ScriptSet.File, _ report: (ScriptEvent) -> Void, onProgress: (Int) -> Void) async throws {
        var fruitlessAttempts = 0
        var best = 0
        while fruitlessAttempts < 2 {
            fruitlessAttempts += 1
            do {
                try await send(file) { position in
                    if position > best { fruitlessAttempts = 0 }
                    best = max(best, position)
                    onProgress(position)
                }
                if try await end(file.copyName) == file.expectation { return }
                report(.notice("\(file.name) arrived damaged; sending it again"))
            } catch where session.isTransient(error) {
                report(.notice("data was lost on the way; going on with \(file.name)"))
                try await session.recover()
            }
        }
        throw ScriptError.uploadFailed(file.name)
    }

    private func send(_ file: ScriptSet.File, onProgress: (Int) -> Void) async throws {
        var start = try await position(of: file.copyName)
        if let position = start, position > file.bytes.count {
            start = try ScriptHelper.position(from: await session.ask("new(\(ScriptHelper.literal(file.copyName)))"))
        }
        try await session.send(file.pieces(from: start ?? 0), position: ScriptHelper.position(from:), onProgress: onProgress)
    }

    /// Closes the file and digests it, in one round trip.
    private func end(_ name: String) async throws -> RemoteFile? {
        do {
            return try Self.file(from: await session.tell("end()", thenPerform: Self.digestCall(name)))
        } catch REPLError.unreadable {
            return try await file(name)
        }
    }
}

extension ScriptSet.File {
    /// Commands `_ns.a(offset,check,b'…')` that append what follows `offset`, each within the unit's ring.
    /// - Parameter offset: as reported by the unit. Past the file's end there are no pieces, and the digest then differs.
    func pieces(from offset: Int) throws -> [HelperPiece] {
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
