/// The queue in front of the flash: operations run one after another, each in pieces that take effect when they begin
/// (nRF5 SDK 17, `nrf_fstorage_sd.c`).
struct BootloaderFlash: Sendable {
    enum Page: Sendable, Hashable {
        case settings
        case backup
        /// From a byte offset behind the application's start.
        case image(Int)
    }

    /// What follows the write of a settings page.
    enum Completion: Sendable { case none, finishUpdate, reset }

    enum Operation: Sendable {
        case erase(Page)
        /// One packet; finishing it frees its buffer.
        case write(offset: Int, bytes: [UInt8])
        /// What stands in the page's buffer when the write begins.
        case writeSettings(Page, Completion)
    }

    /// The bytes of one piece of a write.
    static let pieceSize = 20

    private struct Running: Sendable {
        var piece = 0
        var finish: Duration
    }

    /// The running one first. An operation leaves when it has finished.
    private(set) var operations: [Operation] = []
    private var running: Running?

    var isBusy: Bool { running != nil }
    var count: Int { operations.count }
    var nextFinish: Duration? { running?.finish }
    var current: (operation: Operation, piece: Int)? { running.map { (operations[0], $0.piece) } }

    mutating func append(_ operation: Operation) { operations.append(operation) }
    mutating func removeAll() { self = BootloaderFlash() }

    mutating func begin(piece: Int, until finish: Duration) { running = Running(piece: piece, finish: finish) }

    /// The first operation is over, done or refused; whoever calls begins the next one.
    mutating func end() -> Operation {
        running = nil
        return operations.removeFirst()
    }
}
