import Bluetooth
import Support

/// A link to a keyboard: one request at a time.
public struct KeyboardLink: Sendable {
    private static let service = (
        receive: AttributeID("6e400002-b5a3-f393-e0a9-e50e24dcca9e"), transmit: AttributeID("6e400003-b5a3-f393-e0a9-e50e24dcca9e")
    )
    /// A Monocle's own service. The Monocle's REPL has a keyboard's attributes, and there 01 and 03 are control characters.
    private static let foreign = AttributeID("e5700002-7bac-429a-b4ce-57ff900f479d")
    /// A key takes 70 ms, or 75 ms with the firmware's other clock.
    private static let timePerKey = Duration.milliseconds(100)
    private static let answerTime = Duration.seconds(5)

    private let connection: any Connection
    private let clock: SessionClock

    /// - Throws: ``KeyboardError/otherAttributes(_:)``, before anything is sent.
    public static func open(_ address: DeviceAddress, over central: any Central, within timeout: Duration) async throws -> KeyboardLink {
        let connection = try await central.connect(to: address, deadline: central.clock.deadline(in: timeout))
        guard connection.offers(service.receive), connection.offers(service.transmit), !connection.offers(foreign) else {
            await connection.disconnect()
            throw KeyboardError.otherAttributes(address)
        }
        return KeyboardLink(connection: connection, clock: central.clock)
    }

    public var payload: Int { connection.payloadSize }

    /// How long a command may take.
    public static func patience(keys: Int) -> Duration { answerTime + timePerKey * keys }

    /// Returns when the unit has sent the keys; its answer says nothing more.
    public func send(_ command: KeyCommand) async throws {
        try await connection.write(command.bytes, to: Self.service.receive, deadline: clock.deadline(in: Self.patience(keys: command.keys)))
    }

    public func close() async { await connection.disconnect() }
}
