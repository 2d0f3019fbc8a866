import DFU

/// A stand-in for a family's application: the size and texture of a real one, and nothing that could run.
struct FirmwareStandIn: Sendable {
    static let notice = "noafw development image, not for hardware"
    /// Four data objects: for a bench where every packet costs time.
    static let smallByteCount = 16_004
    private static let vectorTableByteCount = 0x200

    let hardware: String
    let target: DFUTarget
    let version: String
    /// The size of a released image of the vendor's in bytes.
    let byteCount: Int
    /// The lowest that the vendor's packages have: a bootloader with downgrade prevention still takes those afterwards.
    let initPacketVersion: UInt32
    let seed: UInt64
    /// Where an application starts behind the SoftDevice.
    let baseAddress: UInt32
    /// The end of the RAM.
    let stack: UInt32

    var fileName: String { "\(hardware)-development-\(version).zip" }

    static let all = [monocle, frame]

    /// nRF52832 with S132 7.3.0.
    static let monocle = FirmwareStandIn(
        hardware: "monocle", target: .monocle, version: "v26.320.0900", byteCount: 214_708, initPacketVersion: 1,
        seed: 0x4D4F_4E4F_434C_4501, baseAddress: 0x26000, stack: 0x2001_0000)

    /// nRF52840 with S140 7.3.0. As long as v25.080.0838: after it the file system begins at the same page, and scripts stay.
    static let frame = FirmwareStandIn(
        hardware: "frame", target: .frame, version: "v26.326.0900", byteCount: 556_880, initPacketVersion: 0,
        seed: 0x4652_414D_4500_0001, baseAddress: 0x27000, stack: 0x2004_0000)

    /// Code-like noise with runs of padding, about a fifth of the whole.
    func image(byteCount: Int) -> [UInt8] {
        var noise = Noise(seed: seed)
        var image: [UInt8] = []
        image.reserveCapacity(byteCount + 1024)
        while image.count < byteCount {
            for _ in 0..<noise.number(in: 24...680) { image.append(noise.byte()) }
            let filling: UInt8 = noise.number(in: 0...3) == 0 ? 0xFF : 0
            image += [UInt8](repeating: filling, count: noise.number(in: 4...172))
        }
        image.removeLast(image.count - byteCount)
        image.place(vectorTable(), at: 0)
        image.place(.text(version), at: 0x1F00)
        image.place(.text(Self.notice), at: 0x1F40)
        return image
    }

    /// The stack at the end of the RAM, and every vector at one endless loop right behind the table.
    private func vectorTable() -> [UInt8] {
        let thumb: UInt32 = 1
        let loop = baseAddress + UInt32(Self.vectorTableByteCount) | thumb
        let words = [stack] + [UInt32](repeating: loop, count: Self.vectorTableByteCount / 4 - 1)
        let branchToItself: [UInt8] = [0xFE, 0xE7]
        return words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } } + branchToItself
    }
}
