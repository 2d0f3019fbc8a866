/// What a file is that was given for an FPGA image by mistake.
enum ForeignFile {
    private static let beginningByteCount = 256

    /// - Returns: `nil` for what is not recognised.
    static func describe(_ content: [UInt8]) -> String? {
        if content.starts(with: Array("PK".utf8)) { return "it is a zip archive, as firmware packages are" }
        if content.starts(with: [0x7F] + Array("ELF".utf8)) { return "it is an ELF program" }
        let beginning = content.prefix(beginningByteCount)
        guard !beginning.isEmpty, beginning.allSatisfy(isText) else { return nil }
        if beginning.first == UInt8(ascii: ":") { return "it is Intel HEX" }
        let isFuseText = beginning.starts(with: Array("//".utf8)) || beginning.allSatisfy { $0 <= UInt8(ascii: "1") }
        return isFuseText ? "it is the text form (.fs) of a bitstream" : "it is text"
    }

    private static func isText(_ byte: UInt8) -> Bool { (0x20...0x7E).contains(byte) || (0x09...0x0D).contains(byte) }
}
