/// What an image has to be before it goes to a unit.
public struct ESPTarget: Sendable, Hashable {
    public let chip: ESPChip
    /// As the project's `CMakeLists.txt` has it.
    public let projectName: String
    /// Room for one application in the partition table.
    public let slotByteCount: Int

    public init(chip: ESPChip, projectName: String, slotByteCount: Int) {
        (self.chip, self.projectName, self.slotByteCount) = (chip, projectName, slotByteCount)
    }
}

extension ESPImage {
    /// An image that could arrive damaged without anybody's noticing is refused, too: one byte of checksum is no check.
    public func check(for target: ESPTarget) throws(ESPImageError) {
        guard chip == target.chip else { throw .wrongChip(chip, wanted: target.chip) }
        guard descriptor.projectName == target.projectName else { throw .wrongProject(descriptor.projectName, wanted: target.projectName) }
        guard bytes.count <= target.slotByteCount else { throw .tooLargeForSlot(byteCount: bytes.count, slot: target.slotByteCount) }
        guard digest != nil else { throw .noDigest }
    }
}
