import Support

/// A Nordic Secure DFU bootloader as a pure model: every input carries the time, outputs are effects, nothing waits.
///
/// Written from the nRF5 SDK 17 sources that the glasses build (`nrf_dfu_req_handler.c`, `nrf_dfu_validation.c`,
/// `nrf_dfu_settings.c`, `nrf_dfu_ble.c`, `nrf_bootloader.c`) and checked against recordings of the real code (`Tests/Traces`).
///
/// The owner calls ``advance(to:)`` at ``nextDeadline`` and takes the effects after every call.
public struct SecureBootloader: Sendable {
    public struct Effect: Sendable, Equatable {
        public enum Event: Sendable, Equatable {
            /// A notification on the control point.
            case notify([UInt8])
            /// ``SecureBootloader/storage`` has a new settings page, or a series of flash operations is finished.
            case storageChanged
            case disconnected
            /// The unit resets into its new or old application.
            case startedApplication
            /// The unit resets, and this value continues as the restarted bootloader.
            case restarted
        }

        public let time: Duration
        public let event: Event
    }

    public let configuration: BootloaderConfiguration
    /// What a power cut would leave now.
    public internal(set) var storage: BootloaderStorage
    /// The unit has left for an application; all inputs are ignored.
    public internal(set) var hasLeft = false

    /// In memory; a write stores them in the page.
    var settings = BootloaderSettings()
    /// What the next writes of the settings pages will store.
    var pageBuffers: [BootloaderFlash.Page: BootloaderSettings?] = [:]
    var flash = BootloaderFlash()
    var memory = Memory()
    /// Once it has failed, nothing happens any more.
    package internal(set) var power: BootloaderPower
    var now: Duration
    /// Until then the processor computes a signature or a digest, and answers wait.
    var processorFreeAt: Duration
    var inactivityDeadline: Duration
    /// Set once the link is ended for a reset.
    var resetsAt: Duration?
    public internal(set) var isConnected = false
    var flashIsDirty = false
    private var notificationsOn = false
    private var outbox: [(time: Duration, bytes: [UInt8])] = []
    private var effects: [Effect] = []

    /// Lost in a reset, kept across links.
    struct Memory: Sendable {
        /// The last decoded init packet, accepted or not.
        var packet: BootloaderInitPacket?
        var isAccepted = false
        /// Address and bytes of the next image.
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
    /// - Parameter staysInBootloader: otherwise a valid application starts (``hasLeft``).
    public init(
        configuration: BootloaderConfiguration, nonvolatile: BootloaderStorage, now: Duration, staysInBootloader: Bool = true
    ) {
        self.init(
            configuration: configuration, nonvolatile: nonvolatile, now: now, staysInBootloader: staysInBootloader,
            power: BootloaderPower())
    }

    package init(
        configuration: BootloaderConfiguration, nonvolatile: BootloaderStorage, now: Duration, staysInBootloader: Bool,
        power: BootloaderPower
    ) {
        (self.configuration, storage, self.power) = (configuration, nonvolatile, power)
        (self.now, processorFreeAt, inactivityDeadline) = (now, now, now)
        boot(staysInBootloader: staysInBootloader)
    }

    /// At most 247, and below that a payload of whole flash words.
    public static func negotiatedMTU(requested: Int) -> Int {
        guard requested < 247 else { return 247 }
        let payload = max(requested, 23) - 3
        return payload / 4 * 4 + 3
    }

    // MARK: - Inputs

    /// A central connected; notifications are off.
    public mutating func connected(now time: Duration) {
        advance(to: time)
        guard !hasLeft, resetsAt == nil else { return }
        isConnected = true
        notificationsOn = false
    }

    /// The bootloader reloads its stored settings, which contain no data progress.
    public mutating func disconnected(now time: Duration) {
        advance(to: time)
        guard isConnected else { return }
        loseLink()
    }

    public mutating func setControlPointNotifications(_ isOn: Bool) { notificationsOn = isOn && isConnected }

    /// A write with response to the control point.
    /// - Returns: the ATT error, 0x0D for more than 23 bytes, 0xFD while notifications are off; `nil` when the write is
    ///   acknowledged.
    public mutating func writeControlPoint(_ bytes: [UInt8], now time: Duration) -> UInt8? {
        advance(to: time)
        guard isConnected, !hasLeft else { return nil }
        guard bytes.count <= 23 else { return 0x0D }
        guard notificationsOn else { return 0xFD }
        handleRequest(bytes)
        settle()
        return nil
    }

    /// A write without response to the packet characteristic. Lost if it is too long or finds no buffer.
    public mutating func writePacket(_ bytes: [UInt8], now time: Duration) {
        advance(to: time)
        guard isConnected, !hasLeft, bytes.count <= configuration.packetCapacity else { return }
        handlePacket(bytes)
        settle()
    }

    public var nextDeadline: Duration? {
        if hasLeft || power.hasFailed { return nil }
        return [resetsAt ?? inactivityDeadline, outbox.first?.time, flash.nextFinish].compactMap { $0 }.min()
    }

    /// Advances the time; an earlier time counts as the last one.
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

    /// In order; each is returned once.
    public mutating func takeEffects() -> [Effect] {
        defer { effects.removeAll() }
        return effects
    }

    // MARK: - Outputs

    /// Queues an answer, which is sent once the processor is free.
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

    /// The link ends after the queued answers.
    mutating func flushOutput() {
        while outbox.first.map({ $0.time <= now }) == true { deliverNotification() }
    }

    mutating func forgetOutput() {
        isConnected = false
        notificationsOn = false
        outbox.removeAll()
    }
}
