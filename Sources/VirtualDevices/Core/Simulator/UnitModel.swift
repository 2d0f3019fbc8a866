import Bluetooth

/// The part of a unit that its family defines: program, sensors, attributes. ``UnitSimulator`` plays it on a ``UnitPlatform``.
///
/// A model is a state machine: the simulator reports events, and the model acts through the given platform. Once it has reset
/// the unit or sent it to sleep, ``stop(_:)`` follows as soon as the present call returns, and the model does nothing more in
/// that call.
package protocol UnitModel {
    /// The chip runs the application; the radio is silent until ``UnitPlatform/startRadio(as:)``.
    /// - Parameter image: empty for a unit without a bootloader.
    mutating func start(_ image: [UInt8], on unit: inout UnitPlatform) throws

    /// The chip stopped: RAM and deadlines are lost.
    mutating func stop(_ cause: UnitPlatform.StopCause)

    /// A central wrote to one of the unit's characteristics.
    /// - Returns: the ATT error; `nil` when the write is acknowledged.
    mutating func write(_ value: [UInt8], to characteristic: AttributeID, on unit: inout UnitPlatform) throws -> UInt8?

    /// A link was made or lost, or a subscription changed.
    mutating func radioChanged(on unit: inout UnitPlatform) throws

    /// A notification left the radio's queue: another may follow in the same connection event.
    mutating func notificationSent(on unit: inout UnitPlatform) throws

    mutating func secure(_ request: SecurityRequest, on unit: inout UnitPlatform) throws -> SecurityAnswer

    /// Somebody has asked something of the unit over its network.
    mutating func networkChanged(on unit: inout UnitPlatform) throws

    /// A person does something, even to a unit that is off or asleep.
    mutating func sense(_ input: UserInput, on unit: inout UnitPlatform) throws

    var nextDeadline: Duration? { get }

    /// Its interpreter waits at its prompt, for nothing but a host.
    var isAtPrompt: Bool { get }

    /// Performs the first event due at ``nextDeadline``.
    mutating func advance(on unit: inout UnitPlatform) throws
}

extension UnitModel {
    package var isAtPrompt: Bool { false }
    package mutating func radioChanged(on unit: inout UnitPlatform) throws {}
    package mutating func networkChanged(on unit: inout UnitPlatform) throws {}
    package mutating func notificationSent(on unit: inout UnitPlatform) throws {}
    package mutating func secure(_ request: SecurityRequest, on unit: inout UnitPlatform) throws -> SecurityAnswer { .notSupported }
}

/// A family's model and what the platform needs to know.
package struct UnitDesign: Sendable {
    /// The family's name in the unit's state folder.
    let family: String
    let configuration: UnitConfiguration
    let advertisingInterval: Duration
    /// `nil`: a reset starts the application.
    let bootloader: BootloaderProfile?
    /// `nil` for a unit that is in none.
    let network: (any UnitNetwork)?
    let makeModel: @Sendable (UnitFolder) throws -> any UnitModel

    package init(
        family: String, configuration: UnitConfiguration = UnitConfiguration(), advertisingInterval: Duration = .milliseconds(100),
        bootloader: BootloaderProfile? = nil, network: (any UnitNetwork)? = nil,
        makeModel: @escaping @Sendable (UnitFolder) throws -> any UnitModel
    ) {
        (self.family, self.configuration, self.advertisingInterval) = (family, configuration, advertisingInterval)
        (self.bootloader, self.network, self.makeModel) = (bootloader, network, makeModel)
    }
}
