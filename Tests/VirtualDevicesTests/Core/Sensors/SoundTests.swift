import Foundation
import TestSupport
import Testing
@testable import VirtualDevices

struct SoundTests {
    private let ramp = (0..<1000).map { Int16($0 * 32 - 16_000) }

    @Test func samplesComeBackAsTheyWere() throws {
        #expect(try WaveFile.read(WaveBytes.file(ramp, rate: 16_000)) == Sound(samples: ramp, rate: 16_000))
    }

    @Test func otherChunksArePassedOver() throws {
        let note = WaveBytes.chunk("LIST", Array("odd".utf8))
        #expect(try WaveFile.read(WaveBytes.file(ramp, rate: 8000, extra: note)).samples == ramp)
    }

    @Test func channelsAreMixed() throws {
        let stereo = ramp.flatMap { [$0, -$0] }
        #expect(try WaveFile.read(WaveBytes.file(stereo, rate: 48_000, channels: 2)).samples == ramp.map { _ in 0 })
    }

    @Test func aStreamsEndlessLengthIsTheFilesEnd() throws {
        var bytes = WaveBytes.file(ramp, rate: 8000)
        let start = try #require(bytes.indices.first { bytes[$0...].starts(with: Array("data".utf8)) })
        bytes.replaceSubrange(start + 4..<start + 8, with: [0xFF, 0xFF, 0xFF, 0xFF])
        #expect(try WaveFile.read(bytes).samples == ramp)
    }

    @Test func whatIsNoSoundIsRefused() throws {
        let cases: [(bytes: [UInt8], says: String)] = [
            ([], "no WAV"), (Array("RIFF....WAVX".utf8), "no WAV"),
            (WaveBytes.file(ramp, rate: 8000, bits: 24), "16-bit"), (WaveBytes.file(ramp, rate: 8000, format: 3), "16-bit"),
            (WaveBytes.file(ramp, rate: 8000, channels: 0), "0 channels"), (WaveBytes.file(ramp, rate: 1), "1 Hz"),
            (WaveBytes.file([Int16](repeating: 0, count: 4001 * 60), rate: 4000), "longer"),
        ]
        for (bytes, says) in cases {
            let error = #expect(throws: WaveFile.Unusable.self) { try WaveFile.read(bytes) }
            #expect(error?.reason.contains(says) == true, "\(String(describing: error))")
        }
    }

    @Test func noDamagedFileStopsTheReader() {
        let whole = WaveBytes.file(ramp, rate: 8000)
        for length in 0..<80 { _ = try? WaveFile.read(Array(whole.prefix(length))) }
        var random = SeededNumbers(seed: 7)
        for _ in 0..<20_000 {
            var bytes = Array(whole.prefix(Int.random(in: 0...200, using: &random)))
            for _ in 0..<4 where !bytes.isEmpty {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            _ = try? WaveFile.read(bytes)
        }
    }

    @Test(arguments: [4000, 8000, 11_025, 44_100, 96_000]) func resamplingKeepsLengthAndLevel(rate: Int) {
        let sound = Sound(samples: [Int16](repeating: 1000, count: rate), rate: rate)
        for newRate in [8000, 16_000] {
            let samples = sound.resampled(to: newRate)
            #expect(samples.count == newRate)
            #expect(samples.allSatisfy { $0 == 1000 })
        }
    }

    @Test func aRecordingComesInItsOwnTime() {
        let source = Sound(samples: [0x0102, -2, 0x7FFF], rate: 8000)
        var narrow = VirtualRecording(of: source, milliseconds: 1, bytesPerSample: 1, rate: 8000, start: .seconds(5))
        #expect(narrow.read(samples: 127, now: .seconds(5)).isEmpty)
        #expect(narrow.read(samples: 127, now: .seconds(5) + .microseconds(250)) == [0x01, 0xFF])
        #expect(narrow.read(samples: 2, now: .seconds(9)) == [0x7F, 0])
        #expect(narrow.read(samples: 127, now: .seconds(9)).count == 4)
        #expect(narrow.read(samples: 127, now: .seconds(99)).isEmpty)
        var wide = VirtualRecording(of: source, milliseconds: 1, bytesPerSample: 2, rate: 8000, start: .zero)
        #expect(wide.read(samples: 3, now: .seconds(1)) == [0x02, 0x01, 0xFE, 0xFF, 0xFF, 0x7F])
    }

    @Test func aFolderRefusesWhatItsUnitCouldNotSense() throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("noafw-unit-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        let folder = try UnitFolder.monocle(root: root, name: "test")
        #expect(folder.sound == .silence)
        #expect(folder.scene == TestCard.jpeg)
        #expect(throws: UnitFolderError.unusable(what: "sound", reason: "it is no WAV file")) { try folder.setMicrophone(wav: [1]) }
        #expect(throws: UnitFolderError.unusable(what: "picture", reason: "it is no JPEG file")) { try folder.setCamera(jpeg: [1]) }
        let long = [0xFF, 0xD8, 0xFF] + [UInt8](repeating: 0, count: 1 << 20)
        #expect(throws: UnitFolderError.self) { try folder.setCamera(jpeg: long) }
        try folder.setMicrophone(wav: WaveBytes.file(ramp, rate: 8000))
        #expect(folder.sound == Sound(samples: ramp, rate: 8000))
        try folder.setCamera(jpeg: [0xFF, 0xD8, 0xFF, 0xE0])
        #expect(folder.scene == [0xFF, 0xD8, 0xFF, 0xE0])
    }
}
