import Support

/// A Nordic Secure DFU bootloader as a pure model: every input carries the time, outputs are effects, nothing waits.
///
/// Written from the nRF5 SDK 17 sources that the glasses build (`nrf_dfu_req_handler.c`, `nrf_dfu_validation.c`,
/// `nrf_dfu_settings.c`, `nrf_dfu_ble.c`, `nrf_bootloader.c`) and held to what the real code was recorded to do (`Tests/Traces`).
///
/// The owner calls ``advance(to:)`` at ``nextDeadline`` and takes the effects after every call.
public struct SecureBootloader: Sendable {
    public struct Effect: Sendable, Equatable {
        public enum Event: Sendable, Equatable {
            /// A notification on the control point.
            case notify([UInt8])
            /// ``SecureBootloader/storage`` has a new settings page, or a stretch of flash work is finished.
            case storageChanged
            /// The unit ends the link; a reset follows.
            case disconnected
            /// The unit resets into its application, the new one or the one it had.
            case startedApplication
            /// The unit resets, and this value goes on as the restarted bootloader.
            case restarted
        }

        public let time: Duration
        public let event: Event
    }

    public let configuration: BootloaderConfiguration
    /// What a power cut at this moment would leave.
    public internal(set) var storage: BootloaderStorage
    /// The unit has left for an application; every input is ignored.
    public internal(set) var hasLeft = false

    /// In memory; the page has them after a write.
    var settings = BootloaderSettings()
    /// What the next writes of the settings pages will store.
    var pageBuffers: [BootloaderFlash.Page: BootloaderSettings?] = [:]
    var flash = BootloaderFlash()
    var memory = Memory()
    var now: Duration
    /// The processor works on a signature or a digest until then; answers wait for it.
    var processorFreeAt: Duration
    var inactivityDeadline: Duration
    /// Set once the link is ended for a reset.
    var resetsAt: Duration?
    public internal(set) var isConnected = false
    var flashIsDirty = false
    private var notificationsOn = false
    private var outbox: [(time: Duration, bytes: [UInt8])] = []
    private var effects: [Effect] = []

    /// Gone with a reset, kept over links.
    struct Memory: Sendable {
        /// The init packet that was decoded last, accepted or not.
        var packet: BootloaderInitPacket?
        var isAccepted = false
        /// Address and bytes of the image to come.
        var imageStart: UInt32 = 0
        var imageSize: UInt32 = 0
        /// 1 command, 2 data; anything else refuses requests until the next SELECT or CREATE.
        var objectType: UInt8 = 1
        var receiptInterval: UInt16 = 0
        var packetsUntilReceipt: UInt16 = 0
        var buffersInUse = 0
        var pendingExecutes = 0
    }

    /// Starts the unit, as after a power cut.
    /// - Parameter staysInBootloader: else a valid application is started (``hasLeft``).
    public init(
        configuration: BootloaderConfiguration, nonvolatile: BootloaderStorage, now: Duration, staysInBootloader: Bool = true
    ) {
        (self.configuration, storage) = (configuration, nonvolatile)
        (self.now, processorFreeAt, inactivityDeadline) = (now, now, now)
        boot(staysInBootloader: staysInBootloader)
    }

    /// 247 at most, and a payload of whole flash words below that.
    public static func negotiatedMTU(requested: Int) -> Int {
        guard requested < 247 else { return 247 }
        let payload = max(requested, 23) - 3
        return payload / 4 * 4 + 3
    }

    // MARK: - Inputs

    /// A central connected; its notifications are off.
    public mutating func connected(now time: Duration) {
        advance(to: time)
        guard !hasLeft, resetsAt == nil else { return }
        isConnected = true
        notificationsOn = false
    }

    /// The bootloader takes up its stored settings, in which there is no progress of data.
    public mutating func disconnected(now time: Duration) {
        advance(to: time)
        guard isConnected else { return }
        loseLink()
    }

    public mutating func setControlPointNotifications(_ isOn: Bool) { notificationsOn = isOn && isConnected }

    /// A write with response to the control point.
    /// - Returns: the ATT error, 0x0D for more than 23 bytes, 0xFD while notifications are off; `nil` when the write is acknowledged.
    public mutating func writeControlPoint(_ bytes: [UInt8], now time: Duration) -> UInt8? {
        advance(to: time)
        guard isConnected, !hasLeft else { return nil }
        guard bytes.count <= 23 else { return 0x0D }
        guard notificationsOn else { return 0xFD }
        handleRequest(bytes)
        settle()
        return nil
    }

    /// A write without response to the packet characteristic. It is lost when it is too long or finds no buffer.
    public mutating func writePacket(_ bytes: [UInt8], now time: Duration) {
        advance(to: time)
        guard isConnected, !hasLeft, bytes.count <= configuration.packetCapacity else { return }
        handlePacket(bytes)
        settle()
    }

    public var nextDeadline: Duration? {
        if hasLeft { return nil }
        return [resetsAt ?? inactivityDeadline, outbox.first?.time, flash.nextFinish].compactMap { $0 }.min()
    }

    /// Lets time pass; a time before the last one counts as the last one.
    public mutating func advance(to time: Duration) {
        while let deadline = nextDeadline, deadline <= time {
            now = max(now, deadline)
            if let message = outbox.first, message.time <= deadline {
                deliverNotification()
            } else if let finish = flash.nextFinish, finish <= deadline {
                finishFlashPiece()
            } else if resetsAt != nil {
                reset()
            } else {
                inactivityDeadline = .seconds(1 << 40)
                copySettings(then: .reset)
            }
        }
        now = max(now, time)
    }

    /// In order; each is handed out once.
    public mutating func takeEffects() -> [Effect] {
        defer { effects.removeAll() }
        return effects
    }

    // MARK: - Outputs

    /// Queues an answer; it goes out once the processor is free.
    mutating func notify(_ bytes: [UInt8]) { outbox.append((max(now, processorFreeAt), bytes)) }

    mutating func emit(_ event: Effect.Event) { effects.append(Effect(time: now, event: event)) }

    private mutating func deliverNotification() {
        let message = outbox.removeFirst()
        if isConnected && notificationsOn { emit(.notify(message.bytes)) }
    }

    mutating func settle() { advance(to: now) }

    mutating func loseLink() {
        forgetOutput()
        settings = storage.settings
    }

    /// The link's end comes after what was said before it.
    mutating func flushOutput() {
        while outbox.first.map({ $0.time <= now }) == true { deliverNotification() }
    }

    mutating func forgetOutput() {
        isConnected = false
        notificationsOn = false
        outbox.removeAll()
    }
}
