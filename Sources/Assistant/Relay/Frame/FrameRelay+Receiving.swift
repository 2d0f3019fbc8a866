import Bluetooth
import REPL
import Support

// From the unit.
extension FrameRelay {
    public func answersProbe(_ packet: [UInt8]) -> Bool { packet.starts(with: FrameMessage.version.packet()) }

    public func showsLife(_ packet: [UInt8]) -> Bool { packet.first == FrameMessage.mark }

    public mutating func receive(_ packet: [UInt8], now: SessionClock.Instant) -> [RelayEvent] {
        guard packet.first == FrameMessage.mark else { return Self.printed(packet).map { .printed($0) } }
        guard packet.count > 1 else { return [.notice(.shortMessage(byteCount: 0))] }
        recorder.notePacket(now: now)
        let data = packet.dropFirst(2)
        switch FrameMessage(rawValue: packet[1]) {
        case .start: return relayed(recorder.begins(now: now))
        case .image: return relayed(recorder.takePhoto(data))
        case .audio: return relayed(recorder.takeSound(data, now: now))
        case .text: return relayed(recorder.takeText(data, now: now))
        case .end: return relayed(recorder.ends())
        case .version: return announced(data, now: now)
        case .hello: return greeting.answered() + [.taken]
        case .cancel:
            recorder.forget()
            return [.givenUp, .send(FrameMessage.cancel.packet())]
        case .taken: return [.taken]
        case .receipt: return receipt(data)
        case .ping: return pong(data)
        case .palette, .rows, .versionRequest, nil:
            let code = "0x" + HexText.encode([packet[1]])
            return [.notice(.unknownCommand(code, byteCount: packet.count - 1))]
        }
    }

    private func relayed(_ events: [WearerRecorder.Event]) -> [RelayEvent] {
        events.compactMap { if case .relay(let event) = $0 { event } else { nil } }
    }

    /// A program that announces itself once more has begun anew.
    private mutating func announced(_ data: ArraySlice<UInt8>, now: SessionClock.Instant) -> [RelayEvent] {
        // The unit's pieces are as large as fits, down to a multiple of 4; the last one is shorter.
        let isWhole = data.count < (payloadSize - 2) / 4 * 4
        guard let version = greeting.take(version: data, isWhole: isWhole) else { return [] }
        return recorder.abandon(.restarted) + [.version(version)] + greeting.begin(now: now)
    }

    private func receipt(_ data: ArraySlice<UInt8>) -> [RelayEvent] {
        guard let receipt = AnswerReceipt(parsing: data.prefix(20)) else {
            return [.notice(.brokenReceipt(PrintableText.of(data.prefix(60))))]
        }
        return [.receipt(receipt)]
    }

    private mutating func pong(_ data: ArraySlice<UInt8>) -> [RelayEvent] {
        guard let text = String(validating: data, as: UTF8.self), let id = pings.take(ConfirmationID(text)) else {
            return [.notice(.unknownConfirmation(PrintableText.of(data.prefix(60))))]
        }
        return [.confirmed(id)]
    }

    /// Printed text, or the text of an error (frame-codebase, `luaport.c`).
    private static func printed(_ bytes: [UInt8]) -> [ProgramOutput] {
        let exception = LuaException(bytes)
        let line = ProgramOutput.line(PrintableText.of(bytes.prefix(500)))
        if exception.isInterruption { return [line, .ended] }
        if exception.endsProgram { return [line, .raised(ProgramFault(exception)), .ended] }
        return exception.message.wholeMatch(of: /\[string ".*"\]:[0-9]+: .*/) == nil ? [line] : [line, .raised(ProgramFault(exception))]
    }
}
