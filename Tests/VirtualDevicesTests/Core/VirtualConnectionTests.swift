import Bluetooth
import Support
import Testing
@testable import VirtualDevices

/// The virtual host refuses what bluetoothd refuses.
@Suite struct VirtualConnectionTests {
    @Test func aCharacteristicBelongsToItsChannel() async throws {
        try await withMadeUpUnit { host in
            let link = try await host.encrypted()
            let channel = try await link.openChannel(to: MadeUpModel.input, deadline: host.soon())
            await #expect(throws: LinkError.acquired(MadeUpModel.input, .write)) {
                try await link.write([7], to: MadeUpModel.input, deadline: host.soon())
            }
            await #expect(throws: LinkError.acquired(MadeUpModel.input, .writeWithoutResponse)) {
                _ = try await link.openChannel(to: MadeUpModel.input, deadline: host.soon())
            }
            await channel.close()
            await #expect(throws: LinkError.self) { try await channel.send([7], deadline: host.soon()) }
            try await link.write([7], to: MadeUpModel.input, deadline: host.soon())
        }
    }

    @Test func aForgottenChannelIsClosed() async throws {
        try await withMadeUpUnit { host in
            let link = try await host.encrypted()
            for _ in 0..<2 {
                try await link.openChannel(to: MadeUpModel.input, deadline: host.soon()).send([7], deadline: host.soon())
            }
            try await link.write([7], to: MadeUpModel.input, deadline: host.soon())
        }
    }

    @Test func theTableSaysWhatIsAllowed() async throws {
        try await withMadeUpUnit { host in
            let link = try await host.encrypted()
            await #expect(throws: LinkError.notAllowed(MadeUpModel.output, .writeWithoutResponse)) {
                _ = try await link.openChannel(to: MadeUpModel.output, deadline: host.soon())
            }
            await #expect(throws: LinkError.notAllowed(MadeUpModel.output, .write)) {
                try await link.write([7], to: MadeUpModel.output, deadline: host.soon())
            }
            // The host sends a request whatever the properties are: the unit refuses it.
            await #expect(throws: LinkError.refused(MadeUpModel.open, attributeError: 0x03)) {
                try await link.write([7], to: MadeUpModel.open, deadline: host.soon())
            }
            await #expect(throws: LinkError.notAllowed(MadeUpModel.open, .subscription)) {
                _ = try await link.subscribe(to: MadeUpModel.open, deadline: host.soon())
            }
            let strange = AttributeID("a0000009-0000-4000-8000-000000000000")
            await #expect(throws: LinkError.characteristicMissing(strange)) {
                _ = try await link.openChannel(to: strange, deadline: host.soon())
            }
        }
    }

    /// A link that has lasted for minutes has one event an interval, as at its beginning.
    @Test(arguments: [7500, 11_250, 15_000, 18_750, 30_000, 50_000]) func noEventComesTwice(microseconds: Int) {
        let interval = Duration.microseconds(microseconds)
        let pace = LinkPace(interval: interval, eventLength: interval, supervisionTimeout: .seconds(4))
        for number in stride(from: 0, to: 500_000, by: 7) {
            #expect(pace.eventTime(after: interval * number) == interval * (number + 1))
        }
    }
}
