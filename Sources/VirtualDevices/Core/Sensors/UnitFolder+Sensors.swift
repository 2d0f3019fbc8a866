import Bluetooth
import Foundation
import Support

/// What a virtual unit hears and sees, until changed.
extension UnitFolder {
    private static let maximumSoundBytes = 64 << 20
    private static let maximumPictureBytes = 1 << 20

    private var wave: URL { root.appendingPathComponent("microphone.wav") }
    private var photograph: URL { root.appendingPathComponent("camera.jpg") }

    /// Sets what the next recordings hear from their start: 16-bit PCM at 4 to 192 kHz, at most a minute.
    /// - Throws: ``UnitFolderError``.
    public func setMicrophone(wav bytes: [UInt8]) throws {
        do { _ = try WaveFile.read(bytes) } catch { throw UnitFolderError.unusable(what: "sound", reason: error.reason) }
        try Self.replace(wave, with: bytes)
    }

    /// Sets what the next pictures show: a JPEG file of at most 1 MiB.
    /// - Throws: ``UnitFolderError``.
    public func setCamera(jpeg bytes: [UInt8]) throws {
        guard bytes.starts(with: [0xFF, 0xD8, 0xFF]) else { throw UnitFolderError.unusable(what: "picture", reason: "it is no JPEG file") }
        guard bytes.count <= Self.maximumPictureBytes else {
            throw UnitFolderError.unusable(what: "picture", reason: "it has \(bytes.count) bytes")
        }
        try Self.replace(photograph, with: bytes)
    }

    /// What the microphone hears; silence without a file.
    var sound: Sound { Self.contents(of: wave, limit: Self.maximumSoundBytes).flatMap { try? WaveFile.read($0) } ?? .silence }

    /// The picture before the camera: a test card if there is none, empty if it is not a file of at most 1 MiB.
    var scene: [UInt8] {
        guard FileManager.default.fileExists(atPath: photograph.path) else { return TestCard.jpeg }
        return Self.contents(of: photograph, limit: Self.maximumPictureBytes) ?? []
    }

    static func contents(of file: URL, limit: Int) -> [UInt8]? { try? FileReader.read(file.path, limit: limit) }
}
