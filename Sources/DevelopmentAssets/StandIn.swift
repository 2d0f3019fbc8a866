import Foundation

/// A manifest's entry for an image of a real one's size and texture, in which nothing could run.
struct StandIn<Marks: Decodable>: Decodable {
    let hardware: String
    let version: String
    let file: String
    let marks: Marks

    private enum CodingKeys: String, CodingKey { case hardware, version, file, marks = "standIn" }

    /// - Returns: `nil` for an entry of somebody else's.
    init?(_ entry: [String: Any]) throws {
        guard entry[CodingKeys.marks.rawValue] != nil else { return nil }
        self = try JSONDecoder().decode(Self.self, from: try JSONSerialization.data(withJSONObject: entry))
    }

    fileprivate var notice: String { "noafw development image, not for hardware" }
}

struct ImageMarks: Decodable { let byteCount: Int }

struct FirmwareMarks: Decodable {
    let byteCount: Int
    let hardwareVersion: UInt32
    /// The firmware id of the SoftDevice.
    let softDevice: UInt32
    /// The lowest of the vendor's packages, so that a bootloader still takes those afterwards.
    let number: UInt32
    /// Where an application starts behind the SoftDevice.
    let applicationStart: UInt32
    let ramEnd: UInt32
}

extension StandIn where Marks == FirmwareMarks {
    /// Four data objects: for a bench where every packet costs time.
    private static var smallByteCount: Int { 16_004 }
    private static var vectorTableByteCount: Int { 0x200 }

    /// Code-like noise with runs of padding, about a fifth of the whole.
    func application(isSmall: Bool) -> [UInt8] {
        let byteCount = isSmall ? Self.smallByteCount : marks.byteCount
        var noise = Noise(seed: seed)
        var image: [UInt8] = []
        while image.count < byteCount {
            for _ in 0..<noise.number(in: 24...680) { image.append(noise.byte()) }
            let filling: UInt8 = noise.number(in: 0...3) == 0 ? 0xFF : 0
            image += [UInt8](repeating: filling, count: noise.number(in: 4...172))
        }
        image.removeLast(image.count - byteCount)
        image.place(vectorTable(), at: 0)
        image.place(.text(version), at: 0x1F00)
        image.place(.text(notice), at: 0x1F40)
        return image
    }

    /// Seven letters of the name, and a 1.
    private var seed: UInt64 {
        (Array(hardware.uppercased().utf8) + [UInt8](repeating: 0, count: 7)).prefix(7).reduce(0) { $0 << 8 | UInt64($1) } << 8 | 1
    }

    /// The stack at the end of the RAM, and every vector at one endless loop right behind the table.
    private func vectorTable() -> [UInt8] {
        let thumb: UInt32 = 1
        let loop = marks.applicationStart + UInt32(Self.vectorTableByteCount) | thumb
        let words = [marks.ramEnd] + [UInt32](repeating: loop, count: Self.vectorTableByteCount / 4 - 1)
        let branchToItself: [UInt8] = [0xFE, 0xE7]
        return words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } } + branchToItself
    }
}

/// A whole Gowin bitstream for an FPGA that does not exist, wrapped as the vendor's tools do (YosysHQ/apicula, `doc/commandstructure.md`):
/// JTAG's IDCODEs are odd, this one is even, so no device takes the image.
extension StandIn where Marks == ImageMarks {
    /// Bytes of one frame.
    private static var dataByteCount: Int { 355 }
    /// A real image with all of its memory blocks has 1224 frames; of a small one little more than the noise is sent.
    private static var frameCounts: (real: Int, small: Int) { (1224, 24) }
    /// Within the first frame's data, so that the CRC covers them; in the file they stand at 0x60 and 0x80.
    private static var textPlaces: (version: Int, notice: Int) { (28, 60) }

    /// Fills the flash up to the commit marker.
    func bitstream(isSmall: Bool) -> [UInt8] {
        let image = Self.wrapped(fuses(frameCount: isSmall ? Self.frameCounts.small : Self.frameCounts.real))
        return image + [UInt8](repeating: 0xFF, count: marks.byteCount - image.count)
    }

    private func fuses(frameCount: Int) -> [UInt8] {
        var noise = Noise(seed: 0x4D4F_4E4F_4650_4741)
        let count = frameCount * Self.dataByteCount
        var fuses: [UInt8] = []
        while fuses.count < count {
            for _ in 0..<noise.number(in: 1...48) { fuses.append(Self.fuse(&noise)) }
            fuses += [UInt8](repeating: 0, count: Self.runLength(&noise))
        }
        fuses.removeLast(fuses.count - count)
        fuses.place(.text(version), at: Self.textPlaces.version)
        fuses.place(.text(notice), at: Self.textPlaces.notice)
        return fuses
    }

    /// Configuration bits are sparse: most used bytes have only a few of them set.
    private static func fuse(_ noise: inout Noise) -> UInt8 {
        let dense = noise.byte()
        return noise.number(in: 0...3) == 0 ? dense : dense & noise.byte()
    }

    /// Mostly gaps within a configuration frame, now and then an unused region.
    private static func runLength(_ noise: inout Noise) -> Int {
        switch noise.number(in: 0...99) {
        case 0..<60: noise.number(in: 2...16)
        case 60..<97: noise.number(in: 17...72)
        default: noise.number(in: 73...700)
        }
    }

    /// - Parameter data: a multiple of ``dataByteCount``.
    private static func wrapped(_ data: [UInt8]) -> [UInt8] {
        let filler = [UInt8](repeating: 0xFF, count: 6)
        var covered = commands(frameCount: data.count / dataByteCount)
        var bitstream = [UInt8](repeating: 0xFF, count: 22) + [0xA5, 0xC3] + covered
        // The CRC leaves the flash's address out.
        covered.removeSubrange(28..<36)
        for start in stride(from: 0, to: data.count, by: dataByteCount) {
            let frame = data[start..<start + dataByteCount]
            bitstream += frame + crc(covered + frame) + filler
            covered = filler
        }
        let end = [UInt8](repeating: 0xFF, count: 18)
        return bitstream + end + crc(filler + end) + [0x0A] + [UInt8](repeating: 0, count: 7) + end.prefix(8) + [0x08, 0, 0, 0]
            + end.prefix(10)
    }

    /// Check of the IDCODE, configuration, no compression, security, flash address, start, and the frames with their CRCs.
    private static func commands(frameCount: Int) -> [UInt8] {
        [0x06, 0, 0, 0] + Array("noaf".utf8) + [0x10, 0, 0, 0, 0, 0xD4, 0, 0] + [0x51, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
            + [0x0B, 0, 0, 0] + [0xD2, 0, 0xFF, 0xFF, 0, 0, 0, 0] + [0x12, 0, 0, 0]
            + [0x3B, 0x80, UInt8(frameCount >> 8), UInt8(frameCount & 0xFF)]
    }

    /// CRC-16/ARC, the lower byte first.
    private static func crc(_ bytes: [UInt8]) -> [UInt8] {
        var crc: UInt16 = 0
        for byte in bytes {
            crc ^= UInt16(byte)
            for _ in 0..<8 { crc = crc & 1 == 0 ? crc >> 1 : crc >> 1 ^ 0xA001 }
        }
        return [UInt8(crc & 0xFF), UInt8(crc >> 8)]
    }
}

/// Pseudo-random bytes (SplitMix64), the same on every machine and toolchain.
private struct Noise {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    private mutating func word() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: word() >> 24) }

    /// The bias of the remainder is far below what an image could show.
    mutating func number(in range: ClosedRange<Int>) -> Int { range.lowerBound + Int(word() % UInt64(range.count)) }
}

extension [UInt8] {
    /// Between two zero bytes, so that nothing runs into it.
    fileprivate static func text(_ text: String) -> [UInt8] { [0] + Array(text.utf8) + [0] }

    fileprivate mutating func place(_ bytes: [UInt8], at offset: Int) { replaceSubrange(offset..<(offset + bytes.count), with: bytes) }
}
