// Lists what advertises for ten seconds, with the product BlueZCentral.
import BlueZ
import Bluetooth
import Support

let central = BlueZCentral()
do {
    let discovery = try await central.discover()
    let end = central.clock.deadline(in: .seconds(10))
    var seen: Set<DeviceAddress> = []
    while central.clock.now < end, let sighting = try? await discovery.sightings.next(before: end, on: central.clock) {
        guard seen.insert(sighting.address).inserted else { continue }
        print(sighting.address, sighting.rssi, "dBm", (sighting.name ?? "-").debugDescription)
    }
    await discovery.stop()
} catch let error as any DiagnosableError {
    print(error.diagnosis.code, error.diagnosis.message, "- next:", error.diagnosis.remedy)
}
await central.close()
