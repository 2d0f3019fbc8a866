/// The flash queue, and writes of the settings. Facts: nRF5 SDK 17, `nrf_fstorage_sd.c`, `nrf_dfu_settings.c`.
extension SecureBootloader {
    mutating func enqueue(_ operation: BootloaderFlash.Operation) -> Bool {
        guard flash.operations.count < configuration.flashQueueDepth else { return false }
        flash.operations.append(operation)
        if !flash.isBusy { beginFlashPiece(0) }
        return true
    }

    /// Writes the settings, then their backup; skips either if it is current.
    /// - Returns: whether the queue had room for the first.
    mutating func writeSettings(then completion: BootloaderFlash.Completion) -> Bool {
        guard write(settings, to: .settings, then: .none) else { return false }
        _ = write(settings, to: .backup, then: completion)
        return true
    }

    /// Before a reset the bootloader copies the page to its backup.
    mutating func copySettings(then completion: BootloaderFlash.Completion) {
        _ = write(storage.settingsPage, to: .backup, then: completion)
    }

    /// If only the erase fits, the page stays blank.
    private mutating func write(
        _ content: BootloaderSettings?, to page: BootloaderFlash.Page, then completion: BootloaderFlash.Completion
    ) -> Bool {
        guard (page == .settings ? storage.settingsPage : storage.backupPage) != content else {
            complete(completion)
            return true
        }
        guard enqueue(.erase(page)) else { return false }
        pageBuffers[page] = .some(content)
        return enqueue(.writeSettings(page, completion))
    }

    private mutating func complete(_ completion: BootloaderFlash.Completion) {
        switch completion {
        case .none: break
        case .finishUpdate: endLinkAndReset()
        case .reset: resetsAt = now
        }
    }

    private mutating func beginFlashPiece(_ piece: Int) {
        guard let operation = flash.operations.first else { return }
        let start = max(now, processorFreeAt)
        switch operation {
        case .erase(let page):
            guard power.takes(1) == 1 else { return }
            erase(page)
            flash.begin(piece: 0, until: start + configuration.pageEraseTime)
        case .write(let offset, let bytes):
            guard offset.isMultiple(of: 4) else { return refuse() }
            let from = piece * BootloaderFlash.pieceSize
            let count = min(bytes.count - from, BootloaderFlash.pieceSize)
            // Whole words only: of 5 bytes in a piece one is lost, of 3 none.
            let words = max(1, count / 4)
            let taken = power.takes(words)
            storage.write(bytes[from..<min(from + taken * 4, bytes.count)], at: offset + from)
            guard taken == words else { return }
            flashIsDirty = true
            flash.begin(piece: piece, until: start + configuration.wordWriteTime * words)
        case .writeSettings:
            guard power.takes(configuration.settingsWords) == configuration.settingsWords else { return }
            flash.begin(piece: 0, until: start + configuration.wordWriteTime * configuration.settingsWords)
        }
    }

    private mutating func erase(_ page: BootloaderFlash.Page) {
        switch page {
        case .settings: storage.settingsPage = nil
        case .backup: storage.backupPage = nil
        case .image(let offset):
            storage.erase(at: offset, count: configuration.pageSize)
            flashIsDirty = true
        }
    }

    /// The SoftDevice refuses an address that is not a multiple of 4, and the bootloader ignores the refusal: the packet is
    /// counted but never stored, and the operations after it wait until the next one arrives.
    private mutating func refuse() {
        flash.end()
        memory.buffersInUse -= 1
        if flash.operations.isEmpty { flashRests() }
    }

    mutating func finishFlashPiece() {
        guard let (operation, piece) = flash.current else { return }
        if case .write(_, let bytes) = operation, (piece + 1) * BootloaderFlash.pieceSize < bytes.count {
            return beginFlashPiece(piece + 1)
        }
        flash.end()
        switch operation {
        case .erase: break
        case .write: memory.buffersInUse -= 1
        case .writeSettings(let page, let completion):
            if page == .settings { storage.settingsPage = pageBuffers[page] ?? nil } else { storage.backupPage = pageBuffers[page] ?? nil }
            emit(.storageChanged)
            flashIsDirty = false
            complete(completion)
        }
        guard flash.operations.isEmpty else { return beginFlashPiece(0) }
        flashRests()
    }

    private mutating func flashRests() {
        if flashIsDirty {
            flashIsDirty = false
            emit(.storageChanged)
        }
        let executes = memory.pendingExecutes
        memory.pendingExecutes = 0
        for _ in 0..<executes { executeData() }
    }

    /// Ends the link, if any, and resets a moment later.
    mutating func endLinkAndReset() {
        guard resetsAt == nil else { return }
        flushOutput()
        if isConnected {
            loseLink()
            emit(.disconnected)
            resetsAt = now + configuration.resetDelay
        } else {
            resetsAt = now
        }
    }
}

/// The power of a bootloader's flash: it may fail at a word.
package struct BootloaderPower: Sendable {
    /// Written or erased, an erase counts as one.
    package private(set) var words: Int
    private(set) var hasFailed = false
    private let cut: @Sendable (Range<Int>) -> Int?

    /// - Parameters:
    ///   - words: that the unit wrote before.
    ///   - cut: the first of these words at which power fails; it is not written.
    package init(words: Int = 0, cut: @escaping @Sendable (Range<Int>) -> Int? = { _ in nil }) { (self.words, self.cut) = (words, cut) }

    /// - Returns: how many of so many words it still takes.
    mutating func takes(_ count: Int) -> Int {
        guard !hasFailed else { return 0 }
        let first = words + 1
        guard let last = cut(first..<first + count) else {
            words += count
            return count
        }
        (words, hasFailed) = (last, true)
        return last - first
    }
}

/// The flash queue. Each operation runs in pieces that take effect when they begin (nRF5 SDK 17, `nrf_fstorage_sd.c`).
struct BootloaderFlash: Sendable {
    enum Page: Sendable, Hashable {
        case settings
        case backup
        /// From a byte offset after the application's start.
        case image(Int)
    }

    /// What follows the write of a settings page.
    enum Completion: Sendable { case none, finishUpdate, reset }

    enum Operation: Sendable {
        case erase(Page)
        /// One packet; finishing it frees its buffer.
        case write(offset: Int, bytes: [UInt8])
        /// The page buffer's content when the write begins.
        case writeSettings(Page, Completion)
    }

    static let pieceSize = 20

    /// The running one first. An operation leaves when finished.
    var operations: [Operation] = []
    private var running: (piece: Int, finish: Duration)?

    var isBusy: Bool { running != nil }
    var nextFinish: Duration? { running?.finish }
    var current: (operation: Operation, piece: Int)? { running.map { (operations[0], $0.piece) } }

    mutating func begin(piece: Int, until finish: Duration) { running = (piece, finish) }

    /// Ends the first operation, done or refused; the caller begins the next one.
    mutating func end() {
        running = nil
        operations.removeFirst()
    }
}
