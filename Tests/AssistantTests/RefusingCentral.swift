import Bluetooth
import Support

/// A way to a unit that refuses every write with response to one characteristic.
struct RefusingCentral: Central {
    let inner: any Central
    let refused: AttributeID?

    var clock: SessionClock { inner.clock }
    func discover() async throws -> any Discovery { try await inner.discover() }

    func connect(
        to address: DeviceAddress, security: LinkSecurity, deadline: SessionClock.Instant
    ) async throws -> any Connection {
        Link(inner: try await inner.connect(to: address, security: security, deadline: deadline), refused: refused)
    }

    private struct Link: Connection {
        let inner: any Connection
        let refused: AttributeID?

        var address: DeviceAddress { inner.address }
        var payloadSize: Int { inner.payloadSize }
        func offers(_ characteristic: AttributeID) -> Bool { inner.offers(characteristic) }

        func write(_ value: [UInt8], to characteristic: AttributeID, deadline: SessionClock.Instant) async throws {
            // Insufficient authentication.
            if characteristic == refused { throw LinkError.refused(characteristic, attributeError: 0x05) }
            try await inner.write(value, to: characteristic, deadline: deadline)
        }

        func openChannel(to characteristic: AttributeID, deadline: SessionClock.Instant) async throws -> any WriteChannel {
            try await inner.openChannel(to: characteristic, deadline: deadline)
        }

        func subscribe(to characteristic: AttributeID, deadline: SessionClock.Instant) async throws -> Inbox<[UInt8]> {
            try await inner.subscribe(to: characteristic, deadline: deadline)
        }

        func disconnect() async { await inner.disconnect() }
        func waitUntilGone(deadline: SessionClock.Instant) async throws { try await inner.waitUntilGone(deadline: deadline) }
    }
}
