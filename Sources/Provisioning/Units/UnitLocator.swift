import Bluetooth
import Support

/// Finds and reaches one unit, in its application or in its bootloader at the next address.
public struct UnitLocator: Sendable {
    /// How long a unit may take to be seen: reset, boot, advertising.
    static let sightTimeout = Duration.seconds(20)
    /// The adapter's return, attempts and the attribute table together: one of bluetoothd's attempts may hang for 10 s, and the
    /// next usually works.
    static let connectTimeout = Duration.seconds(30)
    /// How long a bootloader counts as another unit's while this unit's application may still be heard: both advertise several
    /// times a second, and anything may pose as a bootloader at the next address.
    static let unknownBootloaderTimeout = Duration.seconds(2)

    let central: any Central
    let family: FamilyID
    let rules: ProvisioningRules
    let address: DeviceAddress

    /// - Throws: ``ProvisioningError/noConsole(_:)`` for a family whose units are never written to.
    init(central: any Central, family: Family, address: DeviceAddress) throws(ProvisioningError) {
        guard let rules = family.provisioning else { throw .noConsole(family.id, instead: family.insteadOfFlash) }
        (self.central, self.family, self.rules, self.address) = (central, family.id, rules, address)
    }

    var clock: SessionClock { central.clock }

    /// Waits until the unit is seen in one of the modes. A unit heard in its application is not in its bootloader.
    /// - Returns: the mode, or `nil` if it was not seen in time.
    func find(
        _ modes: Set<UnitMode> = [.application, .bootloader], within timeout: Duration = sightTimeout
    ) async throws -> UnitMode? {
        var found: UnitMode?
        var end = clock.deadline(in: timeout)
        let grace = modes.contains(.application) ? Self.unknownBootloaderTimeout : .zero
        try await central.listen(until: end, every: .milliseconds(500)) { sighting in
            if let seen = sighting.flatMap(mode), modes.contains(seen), found != seen {
                found = seen
                end = seen == .application ? clock.now : min(end, clock.deadline(in: grace))
            }
            return found != nil && clock.now >= end
        }
        return found
    }

    private func mode(of sighting: Advertisement) -> UnitMode? {
        switch sighting.address {
        case address: .application
        case address.bootloader: rules.bootloader?.describes(sighting) == true ? .bootloader : nil
        default: nil
        }
    }

    func connect(_ mode: UnitMode) async throws -> any Connection {
        let deadline = clock.deadline(in: Self.connectTimeout)
        switch mode {
        case .application: return try await rules.connect(to: address, over: central, deadline: deadline)
        // The bootloader has no bonds.
        case .bootloader: return try await central.connect(to: address.bootloader, deadline: deadline)
        }
    }

    /// Runs `body` on a connection to the unit and always closes it.
    func withConnection<Value: Sendable>(
        _ mode: UnitMode, _ body: (any Connection) async throws -> Value
    ) async throws -> Value {
        let connection = try await connect(mode)
        do {
            let value = try await body(connection)
            await connection.disconnect()
            return value
        } catch {
            await connection.disconnect()
            throw error
        }
    }
}
