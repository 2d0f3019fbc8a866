import Bluetooth
import Support
import VirtualDevices

/// What a packet to a unit begins, as the air shows it: where a fault costs most, and what is counted.
enum StormMoment: String, Codable, Sendable, CaseIterable {
    /// A session begins on a link; the prompt is looked for; the program is started.
    case subscription, interruption, start
    /// Of scripts: they take their places, or leave them.
    case placing
    /// Of an FPGA's flash: it is erased, its marker is written.
    case erase, marker
    /// Of firmware: the unit goes to its bootloader, which begins an object, and executes one.
    case bootloader, object, execution

    static func of(_ family: String) -> [StormMoment] { allCases.filter { family == "monocle" || ![.erase, .marker].contains($0) } }

    static let firmware = AttributeID("8ec90002-f315-4f60-9fb8-838830daea50")
    private static let firmwareControl = AttributeID("8ec90001-f315-4f60-9fb8-838830daea50")

    init?(_ packet: HostPacket) {
        if case .subscribe(_, isOn: true, _) = packet {
            self = .subscription
            return
        }
        guard case .write(let characteristic, let value, _) = packet else { return nil }
        if characteristic == Self.firmwareControl, let moment = [1: Self.object, 4: .execution][value.first ?? 0] {
            self = moment
        } else if value == [4] || value == [4, 2, 4] {
            self = .start
        } else if value.first == 3 {
            self = .interruption
        } else if let moment = Self.code.first(where: { value.contains(bytes: $0.key.utf8) })?.value {
            self = moment
        } else {
            return nil
        }
    }

    private static let code: KeyValuePairs<String, StormMoment> = [
        "_nf.m{": .placing, "_nf.place(": .placing, "_nf.drop(": .placing, "_nf.erase()": .erase, "_nf.done()": .marker,
        "frame.update()": .bootloader, "_update.nrf52": .bootloader,
    ]
}
