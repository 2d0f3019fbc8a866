import Bluetooth

/// What makes a unit one of its family: its program, its sensors, its attributes. ``UnitSimulator`` plays it on a ``UnitPlatform``.
///
/// A model is a state machine: the simulator tells it what happens, and it acts through the platform it is handed. It neither waits
/// nor reads a clock of its own; what it has to do later it keeps with its time, and names the earliest as ``nextDeadline``.
/// The platform's power comes first: once a model has reset the unit or sent it to sleep, ``stop(_:)`` follows as soon as the present
/// call returns, and the model does nothing more in that call.
package protocol UnitModel {
    /// The chip runs the application from here; the radio stays silent until ``UnitPlatform/startRadio(as:)``.
    /// - Parameter image: the application that the bootloader found valid; empty for a unit without a bootloader.
    mutating func start(_ image: [UInt8], on unit: inout UnitPlatform) throws

    /// The chip stopped: what was in RAM is gone, and every deadline with it.
    mutating func stop(_ cause: UnitPlatform.StopCause)

    /// A central wrote to a characteristic of the table that ``UnitPlatform/startRadio(as:)`` got.
    /// - Returns: the ATT error; `nil` when the write is acknowledged. A write without response hears of neither.
    mutating func write(_ value: [UInt8], to characteristic: AttributeID, on unit: inout UnitPlatform) throws -> UInt8?

    /// A link was made or lost, a subscription changed.
    mutating func radioChanged(on unit: inout UnitPlatform) throws

    /// A notification left the radio's queue: there is room for another one within the same connection event.
    mutating func notificationSent(on unit: inout UnitPlatform) throws

    /// A central wants its link encrypted.
    mutating func secure(_ request: SecurityRequest, on unit: inout UnitPlatform) throws -> SecurityAnswer

    /// A person does something. It comes at any time, also to a unit that is off or asleep.
    mutating func sense(_ input: UserInput, on unit: inout UnitPlatform) throws

    /// When the model next wants ``advance(on:)``.
    var nextDeadline: Duration? { get }

    /// Does the first thing that is due; the simulator asks again.
    mutating func advance(on unit: inout UnitPlatform) throws
}

extension UnitModel {
    package mutating func secure(_ request: SecurityRequest, on unit: inout UnitPlatform) throws -> SecurityAnswer { .notSupported }
}

/// A family's model with what the platform has to know of it before it runs.
package struct UnitDesign: Sendable {
    /// The word in the unit's state folder.
    let family: String
    let link: LinkSettings
    /// `nil`: a reset starts the application.
    let bootloader: BootloaderProfile?
    let makeModel: @Sendable (UnitFolder) throws -> any UnitModel

    package init(family: String, link: LinkSettings, bootloader: BootloaderProfile?, makeModel: @escaping @Sendable (UnitFolder) throws -> any UnitModel) {
        (self.family, self.link, self.bootloader, self.makeModel) = (family, link, bootloader, makeModel)
    }
}
