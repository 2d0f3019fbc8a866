/// Firmware transfers of one job.
struct TransferCounts: Sendable {
    /// Whole images that are sent to a bootloader which goes on advertising.
    static let wholeLimit = 2

    /// Begun and not ended: their links were lost.
    var lost = 0
    /// Whole images that a bootloader took.
    var whole = 0
}
