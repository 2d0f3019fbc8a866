/// What the hardware answers, and after how long.
struct FrameAnswer {
    /// 0 for done.
    var status: UInt8 = 0
    var bytes: [UInt8] = []
    var delay = Duration.microseconds(30)
    /// Of the flash that are written meanwhile.
    var words = 0
    /// What is in the flash once the time has passed; a power cut before leaves what was there.
    var change: FrameChange?

    static let refusal = FrameAnswer(status: 1)
}

/// What a call leaves in the flash.
enum FrameChange {
    case write(FramePath, [UInt8])
    case makeFolder(FramePath)
    case remove(FramePath)
    case rename(FramePath, FramePath)
    /// A folder to which nothing leads any more.
    case lose(FramePath, blocks: Int)
    case format
    /// Bytes on their way into blocks that nothing names yet.
    case wear
}
