import Support

/// A Bluetooth LE central: finds peripherals and connects to them. Implemented over BlueZ and by the virtual radio.
public protocol Central: Sendable {
    /// The clock on which this central's deadlines are measured.
    var clock: SessionClock { get }

    /// Starts discovery. Sightings arrive until ``Discovery/stop()``.
    /// - Throws: ``LinkError`` when there is no usable adapter.
    func discover() async throws -> any Discovery

    /// Connects and waits until the attribute table is usable, and the link is as secure as asked.
    /// - Throws: ``LinkError/connectFailed(_:reason:)``, ``LinkError/timedOut(_:)``; for a bonded link also
    ///   ``LinkError/pairingRefused(_:reason:)`` and ``LinkError/bondLost(_:reason:)``.
    func connect(
        to address: DeviceAddress, security: LinkSecurity, deadline: SessionClock.Instant
    ) async throws -> any Connection
}

extension Central {
    /// Connects over an open link.
    public func connect(to address: DeviceAddress, deadline: SessionClock.Instant) async throws -> any Connection {
        try await connect(to: address, security: .open, deadline: deadline)
    }
}

/// What a link has to be before it is used.
public enum LinkSecurity: Sendable, Hashable {
    /// Nothing is asked of it.
    case open
    /// Encrypted with the key of a bond; just-works pairing makes one where there is none (Core Specification, Vol 3, Part H, 2.3.5).
    case bonded
}

/// A central whose host keeps the keys of its bonds.
public protocol BondingCentral: Central {
    /// Gives up this host's key of a bond, with whatever else the host remembers of the unit. The unit keeps its own.
    /// - Returns: whether there was a key.
    func forgetBond(with address: DeviceAddress, deadline: SessionClock.Instant) async throws -> Bool
}

/// A central over an adapter that other programs use, too, and whose host remembers what it was connected to.
public protocol AdapterCentral: Central {
    /// The links that the adapter holds: this central's, and those of everybody else.
    func linkCount(before deadline: SessionClock.Instant) async throws -> Int

    /// Has the host forget a unit that it has neither a bond with nor a link to: it remembers each one that it was ever connected to.
    /// - Returns: whether it was known and is forgotten now.
    func forgetUnlessBonded(_ address: DeviceAddress, deadline: SessionClock.Instant) async throws -> Bool
}

/// A running discovery.
public protocol Discovery: Sendable {
    var sightings: Inbox<Advertisement> { get }
    func stop() async
}

/// A link to one peripheral. Every call after the link is gone throws ``LinkError/disconnected(_:)``.
public protocol Connection: Sendable {
    var address: DeviceAddress { get }

    /// The largest value of one write or notification in bytes: ATT MTU − 3.
    var payloadSize: Int { get }

    /// The bond was made on this link: this host and the unit had none before.
    var isNewlyBonded: Bool { get }

    /// Whether the attribute table, as it is known without asking the peripheral, has a characteristic.
    func offers(_ characteristic: AttributeID) -> Bool

    /// Writes with response and waits for the acknowledgement.
    /// - Throws: ``LinkError/refused(_:attributeError:of:)`` when the peripheral answers with an ATT error, and
    ///   ``LinkError/acquired(_:_:)`` while a channel to the characteristic is open.
    func write(_ value: [UInt8], to characteristic: AttributeID, deadline: SessionClock.Instant) async throws

    /// Opens the fast path for writes without response to one characteristic (BlueZ's `AcquireWrite`), which takes no other write until
    /// the channel is closed.
    /// - Throws: ``LinkError/acquired(_:_:)`` while another channel to the characteristic is open.
    func openChannel(to characteristic: AttributeID, deadline: SessionClock.Instant) async throws -> any WriteChannel

    /// Enables notifications; they are on when this returns.
    func subscribe(to characteristic: AttributeID, deadline: SessionClock.Instant) async throws -> Inbox<[UInt8]>

    /// Ends the link and waits until it is gone. Harmless when it is gone already.
    func disconnect() async

    /// Returns when the link is gone, whoever ended it; throws ``LinkError/timedOut(_:)`` at the deadline.
    func waitUntilGone(deadline: SessionClock.Instant) async throws
}

extension Connection {
    public var isNewlyBonded: Bool { false }
}

/// Writes without response. That a packet was taken says nothing about its delivery: the protocol above has to pace and prove.
public protocol WriteChannel: Sendable {
    /// Hands one packet of at most the connection's payload size to the link layer, waiting while its queue is full.
    func send(_ packet: [UInt8], deadline: SessionClock.Instant) async throws
    func close() async
}
