import Bluetooth
import Support
import Synchronization

/// An air where units advertise every 100 ms, as a test says who is there.
final class PlayedAir: Central {
    let clock: SessionClock
    private let present: Mutex<[Advertisement]>

    init(_ clock: SessionClock, _ present: [Advertisement] = []) {
        self.clock = clock
        self.present = Mutex(present)
    }

    func show(_ sightings: Advertisement...) { present.withLock { $0 = sightings } }

    func discover() async throws -> any Discovery {
        let sightings = Inbox<Advertisement>()
        let pump = clock.task { [self] in
            while true {
                for sighting in present.withLock({ $0 }) { sightings.deliver(sighting) }
                try await clock.sleep(until: clock.deadline(in: .milliseconds(100)))
            }
        }
        return PlayedDiscovery(sightings: sightings, pump: pump)
    }

    func connect(to address: DeviceAddress, security: LinkSecurity, deadline: SessionClock.Instant) async throws -> any Connection {
        throw LinkError.connectFailed(address, reason: "nobody connects here")
    }
}

private struct PlayedDiscovery: Discovery {
    let sightings: Inbox<Advertisement>
    let pump: Task<Void, any Error>

    func stop() async {
        pump.cancel()
        _ = await pump.result
    }
}

extension Advertisement {
    static func monocle(_ number: Int) -> Advertisement {
        Advertisement(address: FleetSample.address(number), name: "monocle", services: [], rssi: -50)
    }
}
