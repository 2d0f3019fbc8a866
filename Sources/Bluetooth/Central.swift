import Support

/// Finds peripherals and connects to them: over BlueZ, or by the virtual radio.
public protocol Central: Sendable {
    /// Of this central's deadlines.
    var clock: SessionClock { get }

    /// Starts discovery. Sightings arrive until ``Discovery/stop()``.
    /// - Throws: ``LinkError`` when there is no usable adapter.
    func discover() async throws -> any Discovery

    /// Connects and waits until the attribute table is usable.
    /// - Throws: ``LinkError/connectFailed(_:reason:)``, ``LinkError/timedOut(_:)``; for a bonded link also
    ///   ``LinkError/pairingRefused(_:reason:)`` and ``LinkError/bondLost(_:reason:)``.
    func connect(to address: DeviceAddress, security: LinkSecurity, deadline: SessionClock.Instant) async throws -> any Connection
}

extension Central {
    public func connect(to address: DeviceAddress, deadline: SessionClock.Instant) async throws -> any Connection {
        try await connect(to: address, security: .open, deadline: deadline)
    }
}

/// What a link has to be before it is used.
public enum LinkSecurity: Sendable, Hashable {
    case open
    /// Encrypted with the key of a bond; just-works pairing makes one where there is none (Core Specification, Vol 3, Part H, 2.3.5).
    case bonded
}

/// A central whose host keeps the keys of its bonds.
public protocol BondingCentral: Central {
    /// Gives up this host's key of a bond, with whatever else the host remembers of the unit.
    /// - Returns: whether there was a key.
    func forgetBond(with address: DeviceAddress, deadline: SessionClock.Instant) async throws -> Bool
}

/// A central over an adapter that other programs use, too.
public protocol AdapterCentral: Central {
    /// The links of the adapter, whoever made them.
    func linkCount(before deadline: SessionClock.Instant) async throws -> Int

    /// Has the host forget a unit without a bond and a link: it remembers each one that it was ever connected to.
    /// - Returns: whether it was known.
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

    /// The bond was made on this link.
    var isNewlyBonded: Bool { get }

    /// Whether the attribute table has a characteristic; does not ask the peripheral.
    func offers(_ characteristic: AttributeID) -> Bool

    /// Writes with response and waits for it.
    /// - Throws: ``LinkError/refused(_:attributeError:of:)`` for an ATT error, ``LinkError/acquired(_:_:)`` while a channel is open.
    func write(_ value: [UInt8], to characteristic: AttributeID, deadline: SessionClock.Instant) async throws

    /// Opens the fast path for writes without response to a characteristic (BlueZ's `AcquireWrite`). Until it is closed, the characteristic
    /// takes no other write.
    /// - Throws: ``LinkError/acquired(_:_:)`` while another channel is open.
    func openChannel(to characteristic: AttributeID, deadline: SessionClock.Instant) async throws -> any WriteChannel

    /// Turns notifications on.
    func subscribe(to characteristic: AttributeID, deadline: SessionClock.Instant) async throws -> Inbox<[UInt8]>

    /// Ends the link and waits until it is gone; harmless without one.
    func disconnect() async

    /// - Throws: ``LinkError/timedOut(_:)`` at the deadline.
    func waitUntilGone(deadline: SessionClock.Instant) async throws
}

extension Connection {
    public var isNewlyBonded: Bool { false }
}

/// Writes without response. A packet that was taken may still be lost: the protocol above has to pace and prove.
public protocol WriteChannel: Sendable {
    /// Hands a packet of at most the payload size to the link layer, waiting while its queue is full.
    func send(_ packet: [UInt8], deadline: SessionClock.Instant) async throws
    func close() async
}
