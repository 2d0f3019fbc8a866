import Support

/// Finds peripherals and connects to them, over BlueZ or the virtual radio.
public protocol Central: Sendable {
    /// The clock for this central's deadlines.
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
    /// A link that need not be encrypted.
    public func connect(to address: DeviceAddress, deadline: SessionClock.Instant) async throws -> any Connection {
        try await connect(to: address, security: .open, deadline: deadline)
    }
}

/// What a link must be before it is used.
public enum LinkSecurity: Sendable, Hashable {
    /// Used as it is, encrypted or not.
    case open
    /// Encrypted with a bond's key. Without a bond, just-works pairing makes one (Core Specification, Vol 3, Part H, 2.3.5).
    case bonded
}

/// A central whose host keeps bond keys.
public protocol BondingCentral: Central {
    /// Discards this host's bond key and everything else the host remembers about the unit.
    /// - Returns: whether there was a key.
    func forgetBond(with address: DeviceAddress, deadline: SessionClock.Instant) async throws -> Bool
}

/// A central on an adapter that other programs also use.
public protocol AdapterCentral: Central {
    /// Includes the links of other programs.
    func linkCount(before deadline: SessionClock.Instant) async throws -> Int

    /// Makes the host forget a unit without bond and link; the host remembers every unit that it was connected to.
    /// - Returns: whether it was known.
    func forgetUnlessBonded(_ address: DeviceAddress, deadline: SessionClock.Instant) async throws -> Bool
}

/// A running discovery.
public protocol Discovery: Sendable {
    /// Each advertisement that was heard, repeats included.
    var sightings: Inbox<Advertisement> { get }
    /// Ends the discovery. More calls do nothing.
    func stop() async
}

/// A link to one peripheral. Every call after the link is lost throws ``LinkError/disconnected(_:)``.
public protocol Connection: Sendable {
    /// Of the peripheral, as it was asked for.
    var address: DeviceAddress { get }

    /// The most bytes in one write or notification: ATT MTU − 3.
    var payloadSize: Int { get }

    /// The bond was made on this link.
    var isNewlyBonded: Bool { get }

    /// Whether the attribute table has a characteristic. Does not ask the peripheral.
    func offers(_ characteristic: AttributeID) -> Bool

    /// Writes with response and waits for it.
    /// - Throws: ``LinkError/refused(_:attributeError:of:)`` for an ATT error, ``LinkError/acquired(_:_:)`` while a channel is open.
    func write(_ value: [UInt8], to characteristic: AttributeID, deadline: SessionClock.Instant) async throws

    /// Opens the fast path for writes without response to a characteristic (BlueZ's `AcquireWrite`). Until it is closed, the
    /// characteristic accepts no other write.
    /// - Throws: ``LinkError/acquired(_:_:)`` while another channel is open.
    func openChannel(to characteristic: AttributeID, deadline: SessionClock.Instant) async throws -> any WriteChannel

    /// Turns notifications on.
    func subscribe(to characteristic: AttributeID, deadline: SessionClock.Instant) async throws -> Inbox<[UInt8]>

    /// Ends the link, if there is one, and waits until it is gone.
    func disconnect() async

    /// - Throws: ``LinkError/timedOut(_:)`` at the deadline.
    func waitUntilGone(deadline: SessionClock.Instant) async throws
}

extension Connection {
    public var isNewlyBonded: Bool { false }
}

/// Writes without response. An accepted packet may still be lost, so the protocol above must pace and verify.
public protocol WriteChannel: Sendable {
    /// Passes a packet of at most the payload size to the link layer. Waits while its queue is full.
    func send(_ packet: [UInt8], deadline: SessionClock.Instant) async throws
    /// Gives the characteristic back, so that others may write to it.
    func close() async
}
