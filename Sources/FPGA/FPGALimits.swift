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
    /// The firmware reads into a buffer on its stack.
    public static let maximumReadByteCount = 1024
    /// Decoded bytes of one write command: what the heap of tens of KiB holds several times over.
    public static let maximumChunkByteCount = 2048
    /// The firmware's `flash_write` goes astray past a 256-byte programming page and past 255 bytes, so the helper writes
    /// pieces that never cross a multiple of this (monocle-micropython, `modules/storage.c`).
    public static let pieceByteCount = 128

    /// Where the image's part of a page lies; the last page is short.
    static func page(_ index: Int) -> Range<Int> {
        let start = index * pageByteCount
        return start..<min(start + pageByteCount, imageByteCount)
    }
}
