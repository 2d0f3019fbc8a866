import Assistant

/// Decodes the data of server-sent events (HTML Living Standard, 9.2.6) from bytes cut anywhere. Ignores comments and other fields.
struct ServerSentEvents {
    static let lineLimit = 64 << 10

    private var line: [UInt8] = []
    private var data: [UInt8] = []
    private var hasData = false
    private var lastWasCarriageReturn = false
    private var isFirstLine = true

    /// - Returns: the data of the event that the byte completes.
    mutating func receive(_ byte: UInt8) throws(AssistantError) -> [UInt8]? {
        defer { lastWasCarriageReturn = byte == 0x0D }
        if byte == 0x0A, lastWasCarriageReturn { return nil }
        if byte == 0x0A || byte == 0x0D { return try endLine() }
        guard line.count < Self.lineLimit else { throw .tooLong(what: "a line of the answer", limitBytes: Self.lineLimit) }
        line.append(byte)
        return nil
    }

    /// Servers omit the blank line after the last event.
    mutating func finish() throws(AssistantError) -> [UInt8]? {
        if !line.isEmpty { _ = try endLine() }
        return dispatch()
    }

    private mutating func endLine() throws(AssistantError) -> [UInt8]? {
        defer { line.removeAll(keepingCapacity: true) }
        if isFirstLine, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        isFirstLine = false
        guard !line.isEmpty else { return dispatch() }
        let name = line.prefix { $0 != UInt8(ascii: ":") }
        guard name.elementsEqual("data".utf8) else { return nil }
        var value = line.dropFirst(name.count + 1)
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        guard data.count + value.count <= Self.lineLimit else {
            throw .tooLong(what: "an event of the answer", limitBytes: Self.lineLimit)
        }
        if hasData { data.append(0x0A) }
        data += value
        hasData = true
        return nil
    }

    private mutating func dispatch() -> [UInt8]? {
        defer { (data, hasData) = ([], false) }
        return hasData ? data : nil
    }
}
