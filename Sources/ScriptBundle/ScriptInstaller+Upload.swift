import REPL

extension ScriptInstaller {
    private enum Setback: Error { case pieceRefused }

    private static func isTransient(_ error: any Error) -> Bool {
        switch error {
        case REPLError.exception(let exception): !exception.lastLine.hasPrefix("OSError")
        case REPLError.timedOut, REPLError.garbage, REPLError.outOfStep, REPLError.unreadable: true
        default: error is Setback
        }
    }

    /// Repeats a step that may be repeated, after getting back to the prompt; the helper is brought again if the unit restarted.
    func retrying<Value>(_ onEvent: (ScriptEvent) -> Void, _ step: () async throws -> Value) async throws -> Value {
        do {
            return try await step()
        } catch where Self.isTransient(error) {
            onEvent(.notice("an answer was lost; asking again"))
            try await recover()
        }
        return try await step()
    }

    private func recover() async throws {
        try await helper.repl.recover(within: .seconds(20))
        do {
            try await helper.ensure()
        } catch where Self.isTransient(error) {
            try await helper.repl.recover(within: .seconds(20))
        }
    }

    /// Uploads one file under its temporary name and proves it there by its digest.
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
                try await helper.tell("end()")
                if try await helper.file(file.temporaryName) == file.expectation { return }
                notice("\(file.name) arrived damaged; sending it again")
            } catch where Self.isTransient(error) {
                notice("data was lost on the way; going on with \(file.name)")
                try await recover()
            }
        }
        throw ScriptError.uploadFailed(file.name)
    }

    /// Goes on where the file under way stands, or begins it.
    private func send(_ file: ScriptSet.File, onProgress: (Int) -> Void) async throws {
        let name = ScriptHelper.literal(file.temporaryName)
        let start: Int
        if let position = try await helper.position(), position <= file.bytes.count,
            try await helper.ask("cur()") == file.temporaryName
        {
            start = position
        } else {
            start = try ScriptHelper.position(from: await helper.ask("new(\(name))")) ?? 0
        }
        let chunks = Array(ScriptChunks(of: file.bytes, from: start))
        try await helper.repl.pipeline(chunks.lazy.map(\.code), within: ScriptHelper.command) { index, answer in
            let position = try ScriptHelper.position(from: CheckedAnswer.decode(answer))
            guard position == chunks[index].range.upperBound else { throw Setback.pieceRefused }
            onProgress(chunks[index].range.upperBound)
        }
    }
}
