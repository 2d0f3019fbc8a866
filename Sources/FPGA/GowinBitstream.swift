import Support

/// A Gowin bitstream in binary form, as a GW1N-9C boots it from flash: filler, a preamble, commands, and frames with a CRC each
/// (YosysHQ/apicula, `doc/commandstructure.md`; checked against the vendor's `monocle-fpga.bin` in noa-for-ios).
///
/// The FPGA would refuse an image that fails here, and the unit would lose its FPGA.
struct GowinBitstream {
    /// The GW1N-9C.
    static let deviceID: [UInt8] = [0x11, 0x00, 0x48, 0x1B]
    /// Marks the images that noafw makes for virtual units. JTAG IDCODEs are odd (IEEE 1149.1), so no device accepts it.
    static let standInID: [UInt8] = Array("noaf".utf8)

    private static let preamble: [UInt8] = [0xA5, 0xC3]
    private static let fillerLimit = 64
    private static let frameDataByteCount = 355
    private static let frameFiller = [UInt8](repeating: 0xFF, count: 6)
    /// Starts the FPGA.
    private static let doneCommand: [UInt8] = [0x08, 0x00, 0x00, 0x00]

    private enum Command {
        static let checkID: UInt8 = 0x06
        static let configure: UInt8 = 0x10
        static let loadFrames: UInt8 = 0x3B
        /// The only command before the frames that their CRC does not cover.
        static let flashAddress: UInt8 = 0xD2

        static let lengths: [UInt8: Int] = [
            checkID: 8, configure: 8, 0x51: 8, 0x0B: 4, flashAddress: 8, 0x12: 4, loadFrames: 4,
        ]
    }

    private var rest: ArraySlice<UInt8>
    /// Covers the first command to the end of the first frame, then each frame with the filler before it.
    private var crc = CRC16()
    private var frameCount = 0

    static func check(_ content: [UInt8]) throws(FPGAError) {
        let fillerByteCount = content.prefix(fillerLimit).prefix { $0 == 0xFF }.count
        guard fillerByteCount > 0, content.dropFirst(fillerByteCount).starts(with: preamble) else {
            throw .notABitstream(reason: ForeignFile.describe(content) ?? "it does not begin like a bitstream")
        }
        var bitstream = GowinBitstream(rest: content.dropFirst(fillerByteCount + preamble.count))
        try bitstream.readCommands()
        try bitstream.readFrames()
        guard bitstream.rest.contains(bytes: doneCommand) else { throw .notABitstream(reason: "its end is missing") }
    }

    private mutating func readCommands() throws(FPGAError) {
        var hasID = false
        while frameCount == 0 {
            guard let code = rest.first, let length = Command.lengths[code], rest.count >= length else {
                throw .notABitstream(reason: "its commands cannot be read")
            }
            let command = Array(rest.prefix(length))
            rest = rest.dropFirst(length)
            if code != Command.flashAddress { crc.update(command) }
            switch code {
            case Command.checkID:
                let id = Array(command[4...])
                guard id == Self.deviceID || id == Self.standInID else { throw .notABitstream(reason: "it is for another FPGA") }
                hasID = true
            case Command.configure where command[6] & 0x20 != 0: throw .notABitstream(reason: "it is compressed")
            case Command.loadFrames:
                guard command[1] & 0x80 != 0 else { throw .notABitstream(reason: "its frames have no CRC") }
                frameCount = Int(command[2]) << 8 | Int(command[3])
                guard frameCount > 0 else { throw .notABitstream(reason: "it has no frames") }
            default: break
            }
        }
        guard hasID else { throw .notABitstream(reason: "it does not say which FPGA it is for") }
    }

    private mutating func readFrames() throws(FPGAError) {
        for number in 1...frameCount {
            let data = rest.prefix(Self.frameDataByteCount)
            let end = rest.dropFirst(Self.frameDataByteCount).prefix(2 + Self.frameFiller.count)
            guard end.count == 2 + Self.frameFiller.count else {
                throw .notABitstream(reason: "it ends at frame \(number) of \(frameCount)")
            }
            crc.update(data)
            guard end.starts(with: crc.bytes), end.dropFirst(2).elementsEqual(Self.frameFiller) else {
                throw .notABitstream(reason: "frame \(number) of \(frameCount) is damaged")
            }
            crc = CRC16()
            crc.update(Self.frameFiller)
            rest = rest.dropFirst(data.count + end.count)
        }
    }
}

/// Recognises other files that were given as an FPGA image by mistake.
enum ForeignFile {
    static func describe(_ content: [UInt8]) -> String? {
        if content.starts(with: Array("PK".utf8)) { return "it is a zip archive, as firmware packages are" }
        if content.starts(with: [0x7F] + Array("ELF".utf8)) { return "it is an ELF program" }
        let beginning = content.prefix(256)
        guard !beginning.isEmpty, beginning.allSatisfy(isText) else { return nil }
        if beginning.first == UInt8(ascii: ":") { return "it is Intel HEX" }
        let isFuseText = beginning.starts(with: Array("//".utf8)) || beginning.allSatisfy { $0 <= UInt8(ascii: "1") }
        return isFuseText ? "it is the text form (.fs) of a bitstream" : "it is text"
    }

    private static func isText(_ byte: UInt8) -> Bool { (0x20...0x7E).contains(byte) || (0x09...0x0D).contains(byte) }
}

/// CRC-16/ARC, which protects each frame of a Gowin bitstream.
struct CRC16 {
    private static let table: [UInt16] = (0..<256).map { index in
        (0..<8).reduce(UInt16(index)) { value, _ in value & 1 == 0 ? value >> 1 : value >> 1 ^ 0xA001 }
    }

    private var value: UInt16 = 0

    /// Low byte first, as in a bitstream.
    var bytes: [UInt8] { [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)] }

    mutating func update(_ bytes: some Sequence<UInt8>) {
        let table = Self.table
        value = bytes.reduce(value) { $0 >> 8 ^ table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] }
    }
}
