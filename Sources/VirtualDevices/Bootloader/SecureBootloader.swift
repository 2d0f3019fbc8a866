/// A Nordic Secure DFU bootloader as a pure model: every input carries the time, outputs are effects, nothing waits.
///
/// Written from the project's facts and checked against the nRF5 SDK 17 sources that Monocle and Frame build
/// (`nrf_dfu_req_handler.c`, `nrf_dfu_validation.c`, `nrf_dfu_ble.c`, `nrf_bootloader.c`). It shares no code with the
/// DFU client, so that a mistake there cannot cancel itself out.
///
/// The owner calls ``advance(to:)`` at ``nextDeadline`` and takes the effects after every call.
public struct SecureBootloader: Sendable {
    public struct Effect: Sendable, Equatable {
        public enum Event: Sendable, Equatable {
            /// A notification on the control point.
            case notify([UInt8])
            /// ``SecureBootloader/storage`` holds something new worth keeping: a settings write, or a finished stretch
            /// of flash work.
            case storageChanged
            /// A new application was activated: the link is gone, the unit resets into it.
            case enterApplication
            /// The unit resets into the application it had: inactivity, abort, or a refused update beside it.
            case leaveForApplication
            /// The unit resets and, as it has no application, comes back as the bootloader: the link is gone and
            /// the progress too. This value goes on as the restarted bootloader.
            case restarted
        }

        public var time: Duration
        public var event: Event

        public init(time: Duration, event: Event) {
            self.time = time
            self.event = event
        }
    }

    public let configuration: BootloaderConfiguration
    /// What a power cut at this moment would leave.
    public private(set) var storage: BootloaderStorage
    /// `true` once the unit has left for an application; every input is ignored then.
    public private(set) var hasLeft = false

    /// Volatile: gone with a reset.
    struct Session: Sendable {
        var command = CommandProgress()
        var data = DataProgress()
        /// The accepted init packet and the size it announces.
        var accepted: (packet: BootloaderInitPacket, size: Int)?
        /// What the settings page will hold once the queued writes are done.
        var savedInitPacket: [UInt8] = []
        /// 1 command, 2 data; anything else refuses requests until the next SELECT or CREATE.
        var objectType: UInt8 = 1
        var receiptInterval: UInt16 = 0
        var packetsUntilReceipt: UInt16 = 0
        var buffersInUse = 0
        var pendingExecutes = 0
        /// Set while the last settings are written: the unit resets when they are.
        var isFinishing = false
        var hasActivated = false
    }

    struct CommandProgress: Sendable, Equatable {
        var size = 0
        var bytes: [UInt8] = []
        var crc: UInt32 = 0
    }

    /// Offsets and CRCs run over the image, not over the object.
    struct DataProgress: Sendable, Equatable {
        var objectSize = 0
        var offset = 0
        var crc: UInt32 = 0
        var executedOffset = 0
        var executedCRC: UInt32 = 0
    }

    var session = Session()
    var flash = BootloaderFlash()
    var now: Duration
    /// The processor works on a signature or a digest until then; answers wait for it.
    var processorFreeAt: Duration
    var inactivityDeadline: Duration
    private var outbox: [(time: Duration, bytes: [UInt8])] = []
    private var effects: [Effect] = []
    private var isConnected = false
    private var notificationsOn = false
    private var flashIsDirty = false

    /// Starts the bootloader, as after a reset.
    public init(configuration: BootloaderConfiguration, nonvolatile: BootloaderStorage, now: Duration) {
        self.configuration = configuration
        storage = nonvolatile
        self.now = now
        processorFreeAt = now
        inactivityDeadline = now
        start()
    }

    /// The ATT MTU this bootloader answers with: 247 at most, and a payload of whole flash words below that.
    public static func negotiatedMTU(requested: Int) -> Int {
        guard requested < 247 else { return 247 }
        let payload = max(requested, 23) - 3
        return payload / 4 * 4 + 3
    }

    // MARK: - Inputs

    /// A central connected; its notifications are off.
    public mutating func connected(now time: Duration) {
        advance(to: time)
        guard !hasLeft else { return }
        isConnected = true
        notificationsOn = false
    }

    /// The link is gone; the transfer's progress stays (or not: ``BootloaderConfiguration/keepsProgressAcrossLinks``).
    public mutating func disconnected(now time: Duration) {
        advance(to: time)
        isConnected = false
        notificationsOn = false
        outbox.removeAll()
        if !configuration.keepsProgressAcrossLinks && !session.isFinishing { reloadSavedProgress() }
    }

    /// The client's configuration of the control point's notifications.
    public mutating func setControlPointNotifications(_ isOn: Bool) { notificationsOn = isOn && isConnected }

    /// A write with response to the control point.
    /// - Returns: the ATT error, or `nil` when the write is acknowledged: 0x0D for more than 23 bytes, 0xFD while
    ///   notifications are off.
    public mutating func writeControlPoint(_ bytes: [UInt8], now time: Duration) -> UInt8? {
        advance(to: time)
        guard bytes.count <= 23 else { return 0x0D }
        guard notificationsOn else { return 0xFD }
        if !hasLeft && !session.isFinishing { handleRequest(bytes) }
        settle()
        return nil
    }

    /// A write without response to the packet characteristic. Silently lost when it is longer than 244 bytes or finds
    /// no buffer.
    public mutating func writePacket(_ bytes: [UInt8], now time: Duration) {
        advance(to: time)
        guard isConnected, !hasLeft, !session.isFinishing else { return }
        guard (1...configuration.packetCapacity).contains(bytes.count) else { return }
        handlePacket(bytes)
        settle()
    }

    /// When the model next wants ``advance(to:)``; `nil` after it has left.
    public var nextDeadline: Duration? {
        if hasLeft { return nil }
        var deadline = inactivityDeadline
        if let message = outbox.first { deadline = min(deadline, message.time) }
        if let finish = flash.nextFinish { deadline = min(deadline, finish) }
        return deadline
    }

    /// Lets time pass; a time before the last one counts as the last one.
    public mutating func advance(to time: Duration) {
        while let deadline = nextDeadline, deadline <= time {
            now = max(now, deadline)
            if let message = outbox.first, message.time <= deadline {
                deliverNotification()
            } else if let finish = flash.nextFinish, finish <= deadline {
                finishFlashOperation()
            } else {
                reset()
            }
        }
        now = max(now, time)
    }

    /// The effects up to now, in order; each is handed out once.
    public mutating func takeEffects() -> [Effect] {
        defer { effects.removeAll() }
        return effects
    }

    // MARK: - Outputs

    func admission() -> BootloaderAdmission {
        BootloaderAdmission(configuration: configuration, storage: storage)
    }

    /// Queues an answer; it goes out once the processor is free.
    mutating func notify(_ bytes: [UInt8]) { outbox.append((max(now, processorFreeAt), bytes)) }

    mutating func emit(_ event: Effect.Event) { effects.append(Effect(time: now, event: event)) }

    private mutating func deliverNotification() {
        let message = outbox.removeFirst()
        if isConnected && notificationsOn { emit(.notify(message.bytes)) }
    }

    /// Hands out what is due at this very moment.
    private mutating func settle() { advance(to: now) }

    // MARK: - Flash

    mutating func enqueue(_ operation: BootloaderFlash.Operation) {
        let words = configuration.wordWriteTime
        let duration: Duration =
            switch operation {
            case .erase(_, let count): configuration.pageEraseTime * (count / configuration.pageSize)
            case .write(_, let bytes): words * ((bytes.count + 3) / 4)
            case .settings, .settingsBackup: configuration.pageEraseTime + words * configuration.settingsWords
            }
        flash.enqueue(operation, taking: duration, from: max(now, processorFreeAt))
    }

    private mutating func finishFlashOperation() {
        switch flash.popFinished() {
        case .erase(let offset, let count):
            storage.eraseIncoming(offset: offset, count: count)
            flashIsDirty = true
        case .write(let offset, let bytes):
            storage.writeIncoming(offset: offset, bytes: bytes)
            session.buffersInUse -= 1
            flashIsDirty = true
        case .settings(let settings):
            storage.apply(settings)
            emit(.storageChanged)
            flashIsDirty = false
        case .settingsBackup(let isLast):
            if isLast { return reset() }
        case nil: break
        }
        if !flash.isBusy { flashBecameIdle() }
    }

    private mutating func flashBecameIdle() {
        if flashIsDirty {
            flashIsDirty = false
            emit(.storageChanged)
        }
        let executes = session.pendingExecutes
        session.pendingExecutes = 0
        for _ in 0..<executes where !session.isFinishing { completeExecute() }
    }

    // MARK: - Resets

    /// Resets the unit. A power cut is this without the choice: the owner makes a new value from ``storage``.
    mutating func reset() {
        outbox.removeAll()
        flash.removeAll()
        isConnected = false
        notificationsOn = false
        let hasActivated = session.hasActivated
        if storage.applicationIsValid {
            hasLeft = true
            emit(hasActivated ? .enterApplication : .leaveForApplication)
        } else {
            emit(.restarted)
            start()
        }
    }

    private mutating func start() {
        session = Session()
        session.savedInitPacket = storage.initPacket
        processorFreeAt = now
        reloadSavedProgress()
        let isIdle = storage.applicationIsValid && storage.initPacket.isEmpty
        inactivityDeadline = now + (isIdle ? configuration.idleTimeout : configuration.inactivityTimeout)
    }

    /// Takes up the stored init packet: complete and accepted, with no data behind it.
    private mutating func reloadSavedProgress() {
        session.command = CommandProgress()
        session.data = DataProgress()
        session.accepted = nil
        let saved = session.savedInitPacket
        guard let packet = try? BootloaderInitPacket(saved), let size = packet.command.applicationSize else { return }
        session.accepted = (packet, Int(size))
        session.command = CommandProgress(
            size: saved.count, bytes: saved, crc: BootloaderCryptography.crc32(saved))
    }
}
