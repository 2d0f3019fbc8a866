import Support

/// A file as mpremote 1.24 sends it (micropython, `tools/mpremote/mpremote/transport.py` and `transport_serial.py`): 256 bytes a
/// command, as a literal, in raw paste mode, one command at a time. The serial port is a radio link here. The pauses of 10 ms in which
/// mpremote polls its port are left out.
package struct Mpremote: Sendable {
    package struct Failure: Error {
        package let reason: String
    }

    private static let chunk = 256
    private static let patience = Duration.seconds(10)

    package let prompt: TextPrompt

    package init(prompt: TextPrompt) { self.prompt = prompt }

    package func enterRawREPL() async throws {
        try await prompt.send("\r\u{3}")
        _ = prompt.poll()
        try await prompt.send("\r\u{1}")
        _ = try await prompt.read(until: "raw REPL; CTRL-B to exit\r\n", patience: Self.patience)
    }

    package func put(_ content: [UInt8], as name: String) async throws {
        try await execute(Array("f=open('\(name)','wb')\nw=f.write".utf8))
        for start in stride(from: 0, to: content.count, by: Self.chunk) {
            let part = content[start..<min(content.count, start + Self.chunk)]
            try await execute(Array("w(".utf8) + Self.literal(part) + Array(")".utf8))
        }
        try await execute(Array("f.close()".utf8))
    }

    private func execute(_ command: [UInt8]) async throws {
        _ = try await prompt.read(until: ">", patience: Self.patience)
        try await prompt.send([0x05, 0x41, 0x01])
        let answer = try await prompt.read(2, patience: Self.patience)
        guard answer == [0x52, 0x01] else { throw Failure(reason: "no raw paste mode") }
        try await paste(command)
        _ = try await prompt.read(until: "\u{4}", patience: Self.patience)
        _ = try await prompt.read(until: "\u{4}", patience: Self.patience)
        let error = try await prompt.read(until: "\u{4}", patience: Self.patience)
        guard error.count == 1 else { throw Failure(reason: error) }
    }

    /// As much as the window allows; each 0x01 opens another one.
    private func paste(_ command: [UInt8]) async throws {
        let size = try await prompt.read(2, patience: Self.patience)
        let window = Int(size[0]) | Int(size[1]) << 8
        guard window > 0 else { throw Failure(reason: "no window") }
        var (room, sent) = (window, 0)
        while sent < command.count {
            var signs = prompt.poll()
            while room == 0 || !signs.isEmpty {
                if signs.isEmpty { signs = try await prompt.read(1, patience: Self.patience) }
                guard signs.removeFirst() == 0x01 else { throw Failure(reason: "an unexpected byte") }
                room += window
            }
            let count = min(room, command.count - sent)
            try await prompt.send(Array(command[sent..<sent + count]))
            room -= count
            sent += count
        }
        try await prompt.send([0x04])
    }

    /// Python's `repr` of bytes.
    static func literal(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        let (single, double) = (UInt8(ascii: "'"), UInt8(ascii: "\""))
        let quote = bytes.contains(single) && !bytes.contains(double) ? double : single
        let body = bytes.flatMap { byte -> [UInt8] in
            switch byte {
            case 0x09: Array("\\t".utf8)
            case 0x0A: Array("\\n".utf8)
            case 0x0D: Array("\\r".utf8)
            case UInt8(ascii: "\\"), quote: [UInt8(ascii: "\\"), byte]
            case 0x20...0x7E: [byte]
            default: Array("\\x\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8)
            }
        }
        return [UInt8(ascii: "b"), quote] + body + [quote]
    }
}
