/// The queue in front of the flash: operations run one after another, each for its own time.
struct BootloaderFlash: Sendable, Equatable {
    enum Operation: Sendable, Equatable {
        /// Whole pages, from a byte offset in the incoming image.
        case erase(offset: Int, count: Int)
        /// One packet; finishing it frees its buffer.
        case write(offset: Int, bytes: [UInt8])
        /// The settings page, then its backup.
        case settings(Settings)
        case settingsBackup(isLast: Bool)
    }

    /// A change that becomes permanent with the settings page.
    enum Settings: Sendable, Equatable {
        case accepted(initPacket: [UInt8], givesUpApplication: Bool)
        case activated(size: Int, version: UInt32)
        case rejected
    }

    private struct Entry: Sendable, Equatable {
        var operation: Operation
        var finish: Duration
    }

    private var entries: [Entry] = []

    var isBusy: Bool { !entries.isEmpty }
    var count: Int { entries.count }
    var nextFinish: Duration? { entries.first?.finish }

    mutating func enqueue(_ operation: Operation, taking duration: Duration, from now: Duration) {
        let start = max(entries.last?.finish ?? now, now)
        entries.append(Entry(operation: operation, finish: start + duration))
    }

    mutating func popFinished() -> Operation? { entries.isEmpty ? nil : entries.removeFirst().operation }
    mutating func removeAll() { entries.removeAll() }
}

extension BootloaderStorage {
    /// Erased flash reads 0xFF.
    mutating func eraseIncoming(offset: Int, count: Int) {
        extendIncoming(to: offset + count)
        incoming.replaceSubrange(offset..<offset + count, with: repeatElement(0xFF, count: count))
    }

    /// NOR flash only clears bits. The SoftDevice refuses an address that is not a multiple of 4, and the bootloader
    /// does not look at that result: such a packet is counted and never stored (nRF5 SDK, `nrf_fstorage_sd.c`).
    mutating func writeIncoming(offset: Int, bytes: [UInt8]) {
        guard offset.isMultiple(of: 4) else { return }
        extendIncoming(to: offset + bytes.count)
        var target = offset
        for byte in bytes {
            incoming[target] &= byte
            target += 1
        }
    }

    mutating func apply(_ settings: BootloaderFlash.Settings) {
        switch settings {
        case .accepted(let packet, let givesUpApplication):
            initPacket = packet
            guard givesUpApplication else { return }
            // The new image goes where the old one is: its bytes stay until their page is erased.
            if !application.isEmpty { incoming = application }
            application = []
            applicationIsValid = false
        case .activated(let size, let version):
            application = Array(incoming.prefix(size))
            applicationIsValid = true
            applicationVersion = version
            initPacket = []
            incoming = []
        case .rejected:
            initPacket = []
        }
    }

    private mutating func extendIncoming(to count: Int) {
        let missing = count - incoming.count
        if missing > 0 { incoming.append(contentsOf: repeatElement(0xFF, count: missing)) }
    }
}
