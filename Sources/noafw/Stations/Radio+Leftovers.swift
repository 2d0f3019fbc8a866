import Bluetooth
import Provisioning
import Support

extension Radio {
    private static let forgettingTimeout = Duration.seconds(5)

    /// Has bluetoothd forget units that were worked on and have no bond: it keeps every unit that was ever connected (BlueZ,
    /// `src/device.c`), and a station sees thousands.
    static func forget(_ units: [DeviceAddress], on adapters: [Adapter]) async {
        for central in adapters.map(\.fleet.central) {
            guard let central = central as? any AdapterCentral else { continue }
            for address in units.flatMap({ [$0, $0.bootloader] }) {
                _ = try? await central.forgetUnlessBonded(address, deadline: central.clock.deadline(in: forgettingTimeout))
            }
        }
    }
}
