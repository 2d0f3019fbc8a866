import Provisioning
import REPL
import Support

extension FrameConsole: CameraConsole {
    private static let photoTimeout = Duration.seconds(60)
    /// Pieces that a photo of the largest length has, and some.
    private static let pieceLimit = 512

    /// The exposure settles over several frames. `image_ready`, since v24.248, also fetches the length, so it is not asked again behind a
    /// yes; earlier firmware has to be left the time. `read` gives the header, the data and the last two bytes in pieces that never mix
    /// (frame-codebase, `camera.c`). A piece goes out with its number and its CRC-32.
    private static let photoCode = """
        local c,i=frame.camera,0
        if c.power_save then c.power_save(false)elseif c.wake then c.wake()end
        for _=1,10 do
        c.auto{}
        frame.sleep(.1)
        end
        c.capture{SETTINGS}
        local t=frame.time.utc()
        if not c.image_ready then frame.sleep(.3)end
        while c.image_ready and not c.image_ready()do
        if frame.time.utc()-t>3 then error("no picture",0)end
        frame.sleep(.02)
        end
        local n=frame.bluetooth.max_length()-24
        repeat
        local s=c.read(n)
        print(("%04x"):format(i).._nf.h(s or"")..(s or""))
        i=i+1
        until not s or i>\(pieceLimit)
        """
    static var photoCodes: [String] { [code(for: PhotoSettings())] }

    func takePhoto(_ settings: PhotoSettings, report: @escaping @Sendable (Int) -> Void) async throws -> [UInt8] {
        try await withDeadline(
            repl.clock.deadline(in: Self.photoTimeout), on: repl.clock,
            timeout: ProvisioningError.noPhoto(reason: "it did not come to an end")
        ) {
            var pieces = FramePhotoPieces()
            let error = try await repl.stream(Array(Self.code(for: settings).utf8), named: "photo", arguments: []) {
                pieces.receive($0)
                report(pieces.photo.bytes.count)
            }
            if let error { throw ProvisioningError.noPhoto(reason: String((error.split(separator: "\n").first ?? "").prefix(200))) }
            return try pieces.finish()
        }
    }

    private static func code(for settings: PhotoSettings) -> String {
        let quality = settings.quality.map { "quality='\($0.rawValue.uppercased().replacing("-", with: "_"))'" }
        let table = [quality, settings.side.map { "resolution=\($0)" }].compactMap(\.self).joined(separator: ",")
        return photoCode.replacing("SETTINGS", with: table)
    }
}

/// Puts the prints of a photo together: a number in 4 digits, a CRC-32 in 8, bytes, and the print's line end. Without bytes it is the last.
struct FramePhotoPieces {
    private static let headCount = 12

    private(set) var photo = PhotoPieces()
    private var count = 0
    private var hasEnded = false
    private var failure: (any Error)?

    /// What is no piece, such as a print of the program's, is left out.
    mutating func receive(_ message: [UInt8]) {
        guard failure == nil, !hasEnded, message.last == 0x0A, message.count > Self.headCount,
            let number = Int(Self.text(message[..<4]), radix: 16), let check = UInt32(Self.text(message[4..<Self.headCount]), radix: 16)
        else { return }
        let bytes = message[Self.headCount...].dropLast()
        var crc = CRC32()
        crc.update(bytes)
        guard crc.value == check else { return }
        do {
            guard number == count else { throw ProvisioningError.photoDamaged(byteCount: photo.bytes.count) }
            count += 1
            hasEnded = bytes.isEmpty
            try photo.take(bytes)
        } catch {
            failure = error
        }
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    func finish() throws -> [UInt8] {
        if let failure { throw failure }
        guard hasEnded || photo.bytes.isEmpty else { throw ProvisioningError.photoDamaged(byteCount: photo.bytes.count) }
        return try photo.photo()
    }
}
