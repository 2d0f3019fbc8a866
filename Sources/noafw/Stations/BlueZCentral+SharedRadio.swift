import BlueZ
import Bluetooth
import Support

extension BlueZCentral: SharedRadio {
    func foreignConnections(before deadline: SessionClock.Instant) async throws -> [StaleConnection] {
        let others: [DeviceObject] = try await foreignConnections(before: deadline)
        return others.map { StaleConnection(address: $0.address, name: $0.name) }
    }

    func end(_ stale: StaleConnection, before deadline: SessionClock.Instant) async throws {
        let others: [DeviceObject] = try await foreignConnections(before: deadline)
        for connection in others where connection.address == stale.address {
            try await end(connection, before: deadline)
        }
    }
}
