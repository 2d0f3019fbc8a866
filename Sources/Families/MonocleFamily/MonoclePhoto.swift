import FoundationEssentials
import Provisioning
import REPL
import Support

extension MonocleConsole: CameraConsole {
    /// A first piece may be late; between two the camera never stops.
    private static let (firstTimeout, pieceTimeout) = (Duration.seconds(4), Duration.seconds(1))
    private static let pause = Duration.milliseconds(60)
    /// `capture` waits for the camera.
    private static let captureTimeout = Duration.seconds(8)
    private static let pieceByteCount = 508

    /// `go` takes a photo, `rd` gives piece `k` of it, the last one again where it is asked for again: an answer below 1000 bytes.
    /// `camera.read` gives at most 254 bytes, and `None` whenever nothing waits (monocle-micropython, `camera.py`).
    private static let photoHelper = RemoteHelper("_nc", pieces: ["""
        class _nc(_nr):
         k=-1
         def go(s):
          f=('.frozen',),[p for p in sys.path if p]
          s.r=s.use('camera','read',*f)
          s.use('camera','capture',*f)()
          s.k=-1
          s.say('taken')
         def rd(s,k):
          if k!=s.k:
           s.k=k
           s.p=b''
           while len(s.p)<508:
            d=s.r(254)
            if not d:
             break
            s.p+=d
          s.say(s.a.b2a_base64(s.p).decode().strip())
        _nc.a=_nr().get('binascii',())
        """])
    static var photoCodes: [String] { photoHelper.sentCode }

    func takePhoto(_ settings: PhotoSettings, report: @escaping @Sendable (Int) -> Void) async throws -> [UInt8] {
        guard settings == PhotoSettings() else { throw ProvisioningError.noPhoto(reason: "its firmware takes no settings for a photo") }
        let session = HelperSession(of: Self.photoHelper, on: repl, answerTimeout: Self.answerTimeout)
        do {
            return try await session.using {
                // A repetition takes another photo.
                _ = try await session.ask("go()", within: Self.captureTimeout)
                return try await read(session, report)
            }
        } catch REPLError.exception(let exception) {
            throw ProvisioningError.noPhoto(reason: String(exception.lastLine.prefix(200)))
        }
    }

    private func read(_ session: HelperSession, _ report: (Int) -> Void) async throws -> [UInt8] {
        var photo = PhotoPieces()
        var deadline = repl.clock.deadline(in: Self.firstTimeout)
        var number = 0
        while !photo.isWhole {
            let text = try await session.ask("rd(\(number))")
            number += 1
            guard let piece = text.isEmpty ? Data() : Data(base64Encoded: text), piece.count <= Self.pieceByteCount else {
                throw REPLError.garbage("a piece of a photo")
            }
            guard piece.isEmpty else {
                try photo.take(piece)
                report(photo.bytes.count)
                deadline = repl.clock.deadline(in: Self.pieceTimeout)
                continue
            }
            guard repl.clock.now < deadline else { break }
            try await repl.clock.sleep(until: repl.clock.deadline(in: Self.pause))
        }
        return try photo.photo()
    }
}
