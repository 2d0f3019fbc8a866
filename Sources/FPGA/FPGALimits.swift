/// The FPGA's part of a Monocle's flash (monocle-micropython, `modules/update.c`).
public enum FPGALimits {
    /// The image ends where the marker is looked for at boot.
    public static let imageByteCount = 0x6C80E
    public static let markerAddress = imageByteCount
    /// The device starts the FPGA from flash only when this stands behind the image.
    public static let marker = Array("done".utf8)
    /// Image and marker: writing past it raises `ValueError`.
    public static let regionByteCount = imageByteCount + 4
    /// The flash erases in pages of 4 KiB.
    public static let pageByteCount = 0x1000
    public static let pageCount = 109
    /// The firmware reads into a buffer on its stack of 8 KiB, unchecked.
    public static let maximumReadByteCount = 1024
    /// Decoded bytes of one write command: the unit holds them, their parts and the command's source at once, in a heap of 40 KB
    /// of which a program that was interrupted may keep half.
    public static let maximumChunkByteCount = 2048
    /// What the helper gives to one `Fpga.write`, up to a multiple of it. The firmware splits at the flash's pages of 256 bytes
    /// itself, but copies its whole argument to the heap for each of them, and its counter moves only after the last one
    /// (monocle-micropython, `monocle_flash_write` and `modules/update.c`): a page at a time costs the least heap and copying.
    public static let programByteCount = 256
    /// Bytes of a digest that tell one page from another.
    static let pageDigestByteCount = 8

    /// Where the image's part of a page lies; the last page is short.
    static func page(_ index: Int) -> Range<Int> {
        let start = index * pageByteCount
        return start..<min(start + pageByteCount, imageByteCount)
    }
}
