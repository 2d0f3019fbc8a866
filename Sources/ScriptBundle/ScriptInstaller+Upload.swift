import REPL

/// A piece of a file was lost or damaged on the way.
enum UploadSetback: Error { case pieceRefused }

extension ScriptInstaller {
    func retrying<Value>(_ onEvent: (ScriptEvent) -> Void, _ step: () async throws -> Value) async throws -> Value {
        try await session.retrying({ onEvent(.notice($0)) }, step)
    }

    /// Uploads one file under its temporary name and verifies it there by its digest.
    func upload(
        _ file: ScriptSet.File, onProgress: (Int) -> Void, notice: (String) -> Void
    ) async throws {
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
                try await session.tell("end()")
                if try await helper.file(file.copyName) == file.expectation { return }
                notice("\(file.name) arrived damaged; sending it again")
            } catch where session.isTransient(error) {
                notice("data was lost on the way; going on with \(file.name)")
                try await session.recover()
            }
        }
        throw ScriptError.uploadFailed(file.name)
    }

    /// Goes on where the file under way stands, or begins it.
    private func send(_ file: ScriptSet.File, onProgress: (Int) -> Void) async throws {
        let name = ScriptHelper.literal(file.copyName)
        let start: Int
        if let position = try await helper.position(), position <= file.bytes.count,
            try await session.ask("cur()") == file.copyName
        {
            start = position
        } else {
            start = try ScriptHelper.position(from: await session.ask("new(\(name))")) ?? 0
        }
        let chunks = Array(ScriptChunks(of: file.bytes, from: start))
        try await session.repl.pipeline(chunks.lazy.map(\.code), within: ScriptHelper.command) { index, answer in
            let position = try ScriptHelper.position(from: CheckedAnswer.decode(answer))
            guard position == chunks[index].range.upperBound else { throw UploadSetback.pieceRefused }
            onProgress(chunks[index].range.upperBound)
        }
    }
}
