/// A stand-in for the Monocle's application: the size and texture of a real one, and nothing that could run.
enum FirmwareStandIn {
    static let version = "v26.320.0900"
    static let fileName = "monocle-development-v26.320.0900.zip"
    /// The size of the vendor's released image in bytes.
    static let byteCount = 214_708
    /// Four data objects: for a bench where every packet costs time.
    static let smallByteCount = 16_004
    /// The lowest there is: a bootloader with downgrade prevention still takes the vendor's packages afterwards.
    static let initPacketVersion: UInt32 = 1
    static let notice = "noafw development image, not for hardware"

    /// Where an application starts behind S132 7.3.0 on the nRF52832.
    private static let baseAddress: UInt32 = 0x26000
    private static let vectorTableByteCount = 0x200

    /// Code-like noise with runs of padding, about a fifth of the whole.
    static func image(byteCount: Int = byteCount) -> [UInt8] {
        var noise = Noise(seed: 0x4D4F_4E4F_434C_4501)
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
        image.place(.text(notice), at: 0x1F40)
        return image
    }

    /// The stack at the end of 64 KiB of RAM, and every vector at one endless loop right behind the table.
    private static func vectorTable() -> [UInt8] {
        let thumb: UInt32 = 1
        let loop = baseAddress + UInt32(vectorTableByteCount) | thumb
        let words = [0x2001_0000] + [UInt32](repeating: loop, count: vectorTableByteCount / 4 - 1)
        let branchToItself: [UInt8] = [0xFE, 0xE7]
        return words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } } + branchToItself
    }
}
