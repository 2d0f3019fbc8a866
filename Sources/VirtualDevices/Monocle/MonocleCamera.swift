/// The camera behind the FPGA: its registers as the firmware uses them (camera.py, camera.c). A capture leaves a whole JPEG in a queue.
struct MonocleCamera {
    static let capture = 0x1003
    static let status = 0x1000
    static let waiting = 0x1006
    static let data = 0x1007

    private static let exposure = Duration.milliseconds(20)
    /// The driver is there; bits of a capture under way: the firmware waits while the register is an ASCII 2.
    private static let (idle, busy) = (UInt8(0x10), UInt8(0x32))

    private var isAwake = false
    private var readyAt = Duration.zero
    private var queue: ArraySlice<UInt8> = []

    mutating func wake() { isAwake = true }
    mutating func sleep() { isAwake = false }

    /// - Parameter scene: a JPEG file; with an empty one nothing comes.
    mutating func capture(_ scene: [UInt8], now: Duration) {
        guard isAwake else { return }
        (queue, readyAt) = (scene[...], now + Self.exposure)
    }

    func status(now: Duration) -> UInt8 { now < readyAt ? Self.busy : Self.idle }

    /// Bytes to be read, in two, the high one first: more than that many wait for their turn.
    func waiting(now: Duration) -> [UInt8] {
        let count = now < readyAt ? 0 : min(queue.count, 0xFFFF)
        return [UInt8(count >> 8), UInt8(count & 0xFF)]
    }

    mutating func read(_ count: Int, now: Duration) -> [UInt8] {
        guard now >= readyAt else { return [] }
        defer { queue = queue.dropFirst(count) }
        return Array(queue.prefix(count))
    }
}
