import Bluetooth
import Foundation

extension VirtualUnit {
    /// An IOS-Keyboard: an ESP32-S3 that types over USB what arrives over Bluetooth LE.
    /// - Parameter folder: ``UnitFolder/keyboard(root:name:)``.
    public static func keyboard(folder: UnitFolder, configuration: UnitConfiguration, air: VirtualAir) throws -> VirtualUnit {
        try keyboard(folder: folder, configuration: configuration, settings: KeyboardSettings(), air: air)
    }

    package static func keyboard(
        folder: UnitFolder, configuration: UnitConfiguration, settings: KeyboardSettings, air: VirtualAir
    ) throws -> VirtualUnit {
        let network = try KeyboardNetwork(board: settings.board, folder: folder, faults: settings.network)
        let design = UnitDesign(
            family: KeyboardModel.family, configuration: configuration, advertisingInterval: .milliseconds(50), network: network,
            makeModel: { KeyboardModel(folder: $0, largestMTU: configuration.largestMTU, settings: settings, network: network) })
        return try VirtualUnit(folder: folder, design: design, air: air)
    }
}

extension UnitFolder {
    /// Opens a keyboard's folder, or makes a unit there that has its Wi-Fi's password.
    /// - Throws: ``UnitFolderError``, and ``LinkError/busy(_:)`` while another process plays a unit that is not made yet.
    public static func keyboard(root: URL, name: String) throws -> UnitFolder {
        try UnitFolder(root: root, name: name, family: KeyboardModel.family) { try $0.save(KeyboardStorage()) }
    }

    private var storage: URL { root.appendingPathComponent("nvs.json") }
    /// Every report that the unit sent over USB, the oldest first.
    package var reports: URL { root.appendingPathComponent("hid-reports.txt") }

    func keyboardStorage() throws -> KeyboardStorage { try Self.decode(storage, limit: 64 << 10) }

    func save(_ storage: KeyboardStorage) throws { try Self.replace(self.storage, with: try JSONEncoder().encode(storage)) }
}

/// What a keyboard keeps without power.
struct KeyboardStorage: Codable, Sendable {
    /// Without it the unit opens an access point and is no keyboard.
    var knowsWiFi = true
    /// Saved, and never loaded: the layout is read before the storage is opened.
    var layout: KeyboardLayoutName?
}

/// What a test makes of a keyboard.
package struct KeyboardSettings: Sendable {
    /// Reports that the USB host refuses, by their number from 1 on over the unit's run.
    package var refusedReports: Set<Int> = []
    /// Whether the USB host is there when the unit starts; `dock` and `undock` plug it in and out.
    package var isPlugged = true
    package var knowsWiFi = true
    /// What the unit's HTTP server shows and sets.
    package var board = KeyboardBoard()
    package var network = KeyboardNetworkFaults()

    package init() {}
}

/// The attributes of a keyboard: Nordic's UART service, as a Monocle's REPL has (`ble_gatt.c`).
enum KeyboardAttributes {
    static let service = AttributeID("6e400001-b5a3-f393-e0a9-e50e24dcca9e")
    static let receive = AttributeID("6e400002-b5a3-f393-e0a9-e50e24dcca9e")
    /// The firmware never sends anything on it.
    static let transmit = AttributeID("6e400003-b5a3-f393-e0a9-e50e24dcca9e")

    static let table = GATTTable(services: [
        GATTService(
            id: service,
            characteristics: [
                GATTCharacteristic(id: receive, properties: [.write, .command]), GATTCharacteristic(id: transmit, properties: [.notify]),
            ])
    ])
}

extension PeripheralProfile {
    static func keyboard(address: DeviceAddress, largestMTU: Int) -> PeripheralProfile {
        PeripheralProfile(
            address: address, name: "IOS-Keyboard", advertisedServices: [], table: KeyboardAttributes.table,
            pace: LinkPace(interval: .milliseconds(30), eventLength: .milliseconds(15), supervisionTimeout: .seconds(4)),
            largestMTU: min(largestMTU, KeyboardModel.largestMTU), notificationQueue: 1, scanResponse: [KeyboardAttributes.service])
    }
}
