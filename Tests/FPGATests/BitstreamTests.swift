import TestSupport
import Testing

@testable import FPGA

/// What is taken for an FPGA image before a unit is touched.
@Suite struct BitstreamTests {
    private let bitstream = BitstreamBytes.make()

    private func reason(_ content: [UInt8]) -> String? {
        do {
            _ = try FPGAImage(content)
            return nil
        } catch FPGAError.notABitstream(let reason) {
            return reason
        } catch {
            return "\(error)"
        }
    }

    /// The vendor's own end of a bitstream: filler and its CRC.
    @Test func theCRCIsTheVendors() {
        var crc = CRC16()
        crc.update([UInt8](repeating: 0xFF, count: 24))
        #expect(crc.bytes == [0x34, 0x73])
    }

    @Test func aWholeBitstreamIsTaken() throws {
        #expect(reason(bitstream) == nil)
        #expect(try FPGAImage(bitstream).bytes.starts(with: bitstream))
        #expect(reason(BitstreamBytes.make(id: Array("noaf".utf8))) == nil, "our own stand-in")
    }

    @Test func otherFilesAreNamed() {
        #expect(reason(Array("PK\u{3}\u{4}zip".utf8)) == "it is a zip archive, as firmware packages are")
        #expect(reason([0x7F] + Array("ELF\u{1}".utf8)) == "it is an ELF program")
        #expect(reason(Array(":020000040002F8\r\n".utf8)) == "it is Intel HEX")
        #expect(reason(Array("//Part Number: GW1N\r\n0101\r\n".utf8)) == "it is the text form (.fs) of a bitstream")
        #expect(reason(Array("11111111\n10100101\n".utf8)) == "it is the text form (.fs) of a bitstream")
        #expect(reason(Array("import time\n".utf8)) == "it is text")
        let other = "it does not begin like a bitstream"
        #expect(reason([0xA5, 0xC3]) == other)
        #expect(reason([UInt8](repeating: 0xFF, count: 444_430)) == other)
        var numbers = SeededNumbers(seed: 4)
        #expect(reason(numbers.bytes(count: 3000)) == other)
    }

    @Test func whatOtherDevicesOrSettingsNeedIsRefused() {
        #expect(reason(BitstreamBytes.make(id: [0x11, 0x00, 0x58, 0x1B])) == "it is for another FPGA")
        #expect(reason(BitstreamBytes.make(isCompressed: true)) == "it is compressed")
        #expect(reason(BitstreamBytes.make(hasCRC: false)) == "its frames have no CRC")
        #expect(reason(BitstreamBytes.make(frames: 0)) == "it has no frames")
        var noID = bitstream
        noID.removeSubrange(24..<32)
        #expect(reason(noID) == "it does not say which FPGA it is for")
        var unknown = bitstream
        unknown[24] = 0x77
        #expect(reason(unknown) == "its commands cannot be read")
    }

    @Test func aDamagedByteIsFoundInEveryFrame() {
        for frame in 0..<3 {
            for offset in [0, 354, 355, 357] {
                var content = bitstream
                content[BitstreamBytes.firstFrame + frame * BitstreamBytes.frameByteCount + offset] ^= 0x40
                #expect(reason(content) == "frame \(frame + 1) of 3 is damaged", "\(frame) \(offset)")
            }
        }
    }

    /// Cut anywhere, it is refused, but for filler at its end.
    @Test func aTruncatedOneIsRefused() {
        for count in stride(from: 1, to: bitstream.count - 2, by: 7) {
            #expect(reason(Array(bitstream.prefix(count))) != nil, "\(count)")
        }
        #expect(reason(Array(bitstream.prefix(700))) == "it ends at frame 2 of 3")
        #expect(reason(Array(bitstream.dropLast(6))) == "its end is missing")
        #expect(reason(Array(bitstream.dropLast(2))) == nil)
    }

    /// The plan's seconds come from it.
    @Test func bytesThatAreNoFillerAreCounted() throws {
        #expect(try FPGAImage([0x00, 0xFF, 0x01, 0xFE, 0x00], isChecked: false).denseByteCount == 2)
    }

    @Test func theOperatorMayInsist() throws {
        #expect(try FPGAImage([1, 2, 3], isChecked: false).contentSHA256Text.hasPrefix("039058c6"))
        #expect(throws: FPGAError.imageEmpty) { try FPGAImage([], isChecked: false) }
    }
}
