import Bluetooth
import Foundation
import Support
import VirtualDevices
import VirtualFaults

/// A made-up unit that needs no interpreter, so that a thousand of them fit on one air: Nordic's bootloader, a version and one text.
///
/// It takes `?` (tell version, battery and text), `b` (go to the bootloader) and `=TEXT` (keep it).
struct PagerModel: UnitModel {
    static let family = "pager"
    private static let bootTime = Duration.milliseconds(200)
    /// It answers before it leaves.
    private static let leaveTime = Duration.milliseconds(100)

    let folder: UnitFolder
    let settings: PagerSettings
    private var image: [UInt8] = []
    private var isLeaving = false
    private(set) var nextDeadline: Duration?

    init(folder: UnitFolder, settings: PagerSettings) { (self.folder, self.settings) = (folder, settings) }

    mutating func start(_ image: [UInt8], on unit: inout UnitPlatform) throws {
        self.image = image
        let isDead = settings.diesByUpdate && PagerSettings.version(of: image) != settings.factoryVersion
        nextDeadline = isDead ? nil : unit.now + Self.bootTime
    }

    mutating func stop(_ cause: UnitPlatform.StopCause) { (nextDeadline, isLeaving) = (nil, false) }
    mutating func sense(_ input: UserInput, on unit: inout UnitPlatform) throws {}

    mutating func advance(on unit: inout UnitPlatform) throws {
        nextDeadline = nil
        if isLeaving { return unit.reset(.software, intoBootloader: true) }
        let service = GATTService(id: PagerSettings.service, characteristics: [
                GATTCharacteristic(id: PagerSettings.input, properties: [.write]),
                GATTCharacteristic(id: PagerSettings.output, properties: [.notify])
        ])
        unit.startRadio(as: PeripheralProfile(
            address: unit.address, name: Self.family, advertisedServices: [PagerSettings.service], table: GATTTable(services: [service]),
            pace: LinkPace(eventLength: .milliseconds(15), supervisionTimeout: .seconds(4)), largestMTU: PagerSettings.largestMTU,
            notificationQueue: 4))
    }

    mutating func write(_ value: [UInt8], to characteristic: AttributeID, on unit: inout UnitPlatform) throws -> UInt8? {
        switch value.first {
        case UInt8(ascii: "="): try UnitFolder.replace(text, with: value.dropFirst())
        case UInt8(ascii: "b"): (isLeaving, nextDeadline) = (true, unit.now + Self.leaveTime)
        default:
            let lines = [
                PagerSettings.version(of: image), "\(settings.batteryPercent)", (try? String(contentsOf: text, encoding: .utf8)) ?? ""
            ]
            unit.notify(PagerSettings.output, Array(lines.joined(separator: "\n").utf8))
        }
        return nil
    }

    private var text: URL { folder.root.appendingPathComponent("text") }
}

/// What a pager is, and what is wrong with it.
package struct PagerSettings: Sendable {
    package static let service = AttributeID("b0000001-0000-4000-8000-000000000000")
    package static let input = AttributeID("b0000002-0000-4000-8000-000000000000")
    package static let output = AttributeID("b0000003-0000-4000-8000-000000000000")
    package static let bootloaderName = "PagerDFU"
    static let largestMTU = 247
    /// Where an image holds its version, and how many letters that has.
    private static let versionPlace = 8..<20

    package var factoryVersion = "v25.100.0000"
    /// The text of a unit that is not new; `nil` for a new one.
    package var text: String?
    package var batteryPercent = 80
    /// Its bootloader takes another firmware, which then does not show itself.
    package var diesByUpdate = false
    package var faults = FaultPlan()
    /// Of its bootloader: 64 bytes each, as Nordic writes them.
    package var trustedKeys: [[UInt8]] = []
    package var advertisingInterval = Duration.seconds(1)

    package init() {}

    /// An image that tells its version.
    package static func image(_ version: String, count: Int) -> [UInt8] {
        var image = [UInt8](repeating: 0x5A, count: count)
        image.replaceSubrange(versionPlace, with: version.utf8)
        return image
    }

    static func version(of image: [UInt8]) -> String {
        image.count >= versionPlace.upperBound ? String(decoding: image[versionPlace], as: UTF8.self) : ""
    }
}

extension VirtualUnit {
    /// A pager in a folder, which is made where it is not there.
    package static func pager(root: URL, name: String, settings: PagerSettings, air: VirtualAir) throws -> VirtualUnit {
        let folder = try UnitFolder(root: root, name: name, family: PagerModel.family) { folder in
            try folder.save(BootloaderStorage(application: PagerSettings.image(settings.factoryVersion, count: 64)))
            if let text = settings.text { try UnitFolder.replace(folder.root.appendingPathComponent("text"), with: text.utf8) }
        }
        var configuration = UnitConfiguration()
        (configuration.faults, configuration.largestMTU) = (settings.faults, PagerSettings.largestMTU)
        let design = UnitDesign(
            family: PagerModel.family, configuration: configuration, advertisingInterval: settings.advertisingInterval,
            bootloader: BootloaderProfile(
                configuration: BootloaderConfiguration(trustedKeys: settings.trustedKeys), name: PagerSettings.bootloaderName),
            makeModel: { PagerModel(folder: $0, settings: settings) })
        return try VirtualUnit(folder: folder, design: design, air: air)
    }
}
