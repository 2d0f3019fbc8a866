import Foundation

/// What the processor's pins lead to on a virtual Frame: display, microphone, camera, battery.
struct FrameHardware {
    private let folder: UnitFolder
    private var recording: VirtualRecording?
    private var picture: ArraySlice<UInt8> = []
    private var exposed: Duration?

    /// From the trigger to the first byte.
    private static let exposure = Duration.milliseconds(150)

    /// The folder that holds `wire.lua`, `frame.lua` and `run.lua`.
    static func programs() throws(UnitFolderError) -> URL { try Resources.own.locate("Lua") }

    init(folder: UnitFolder) { self.folder = folder }

    /// The hardware's answer; `nil` for what is the radio's or the clock's to answer.
    mutating func answer(_ request: LuaWire.Request, now: Duration) -> LuaWire.Reply? {
        switch request.name {
        case "battery": return .text("\((try? folder.identity().batteryPercent) ?? 0)")
        case "display":
            try? UnitFolder.replace(folder.display, with: request.payload)
            return .done
        case "listen":
            let numbers = request.numbers
            guard numbers.count == 3 else { return .refusal("garbled request") }
            recording = VirtualRecording(
                of: folder.sound, milliseconds: numbers[0], bytesPerSample: numbers[1] == 16 ? 2 : 1, rate: numbers[2], start: now)
            return .done
        case "unlisten":
            recording = nil
            return .done
        case "sound":
            let count = request.numbers.first ?? 0
            let sound = recording?.read(bytes: count, now: now) ?? []
            return sound.isEmpty ? LuaWire.Reply.none : .value(sound)
        case "capture":
            picture = folder.scene[...]
            exposed = now + Self.exposure
            return .done
        case "captured": return .text(isExposed(now) && !picture.isEmpty ? "1" : "0")
        case "picture":
            guard isExposed(now), !picture.isEmpty else { return LuaWire.Reply.none }
            let piece = picture.prefix(max(0, request.numbers.first ?? 0))
            picture = picture.dropFirst(piece.count)
            return .value(Array(piece))
        default: return nil
        }
    }

    private func isExposed(_ now: Duration) -> Bool { exposed.map { $0 <= now } ?? false }
}
