import Bluetooth
import DFU
import Foundation
import Support
import TestSupport
import Testing

@testable import Provisioning
@testable import VirtualDevices

/// The unit: a pager with Nordic's bootloader and one text. It takes `?` (tell version and text), `b` (go to the bootloader) and
/// `=TEXT` (keep it).
private struct PagerModel: UnitModel {
    static let service = AttributeID("b0000001-0000-4000-8000-000000000000")
    static let input = AttributeID("b0000002-0000-4000-8000-000000000000")
    static let output = AttributeID("b0000003-0000-4000-8000-000000000000")

    let text: URL
    var image: [UInt8] = []
    var nextDeadline: Duration?

    mutating func start(_ image: [UInt8], on unit: inout UnitPlatform) throws { (self.image, nextDeadline) = (image, unit.now) }
    mutating func stop(_ cause: UnitPlatform.StopCause) { nextDeadline = nil }
    mutating func radioChanged(on unit: inout UnitPlatform) throws {}
    mutating func notificationSent(on unit: inout UnitPlatform) throws {}
    mutating func sense(_ input: UserInput, on unit: inout UnitPlatform) throws {}

    mutating func advance(on unit: inout UnitPlatform) throws {
        nextDeadline = nil
        let properties = GATTService(id: Self.service, characteristics: [
            GATTCharacteristic(id: Self.input, properties: [.write]), GATTCharacteristic(id: Self.output, properties: [.notify]),
        ])
        unit.startRadio(as: PeripheralProfile(
            address: unit.address, name: "pager", advertisedServices: [], table: GATTTable(services: [properties]),
            pace: LinkPace(eventLength: .milliseconds(15), supervisionTimeout: .seconds(4)), largestMTU: 100, notificationQueue: 4))
    }

    mutating func write(_ value: [UInt8], to characteristic: AttributeID, on unit: inout UnitPlatform) throws -> UInt8? {
        switch value.first {
        case UInt8(ascii: "="): try Data(value.dropFirst()).write(to: text)
        case UInt8(ascii: "b"): unit.reset(.software, intoBootloader: true)
        default: unit.notify(Self.output, Array(image[8..<20]) + [10] + ((try? [UInt8](Data(contentsOf: text))) ?? []))
        }
        return nil
    }
}

/// The client's side of it.
private struct PagerConsole: UnitConsole {
    let connection: any Connection
    let clock: SessionClock
    let answers: Inbox<[UInt8]>

    func ask() async throws -> [String] {
        try await connection.write(Array("?".utf8), to: PagerModel.input, deadline: clock.deadline(in: .seconds(5)))
        let answer = try await answers.next(before: clock.deadline(in: .seconds(5)), on: clock) ?? []
        return String(decoding: answer, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    func version(of component: Component) async throws -> String? {
        let lines = try await ask()
        return component == .firmware ? lines.first : lines.last.flatMap { $0.isEmpty ? nil : $0 }
    }

    func reboot(into mode: UnitMode) async throws {
        try await connection.write(Array("b".utf8), to: PagerModel.input, deadline: clock.deadline(in: .seconds(5)))
        try await connection.waitUntilGone(deadline: clock.deadline(in: .seconds(10)))
    }

    func batteryPercent() async throws -> Int? { 100 }
    func recover(isFresh: Bool) async throws {}
    func detach() async -> any Connection { connection }
    func close() async { await connection.disconnect() }
}

/// One text, whose version is its content.
private struct TextUpdater: ComponentUpdater {
    let component = Component.scripts
    let version: String
    var byteCount: Int { version.utf8.count }
    let wholeUpdate = [StageEstimate(.scripts, seconds: 1)]

    func inspect(_ unit: UnitLease, _ job: JobState) async throws -> any PlannedUpdate {
        let actual = try await unit.version(of: .scripts)
        return Planned(plan: ComponentPlan(
            component: .scripts, action: actual == version ? .current : .update, from: actual, to: version, byteCount: byteCount))
    }

    func verify(_ unit: UnitLease, isDeep: Bool) async throws -> VerifyReport.Finding {
        VerifyReport.Finding(expected: version, actual: try await unit.version(of: .scripts))
    }

    struct Planned: PlannedUpdate {
        let plan: ComponentPlan
        let erases = false

        func apply(_ unit: UnitLease, _ job: JobState) async throws {
            job.start(.scripts, from: plan.from)
            guard let console = try await unit.console() as? PagerConsole else { return }
            let text = Array("=\(plan.to)".utf8)
            try await console.connection.write(text, to: PagerModel.input, deadline: unit.clock.deadline(in: .seconds(5)))
            unit.forget(.scripts)
            job.updated(.scripts, to: plan.to, byteCount: plan.byteCount)
        }
    }
}

/// A family is one value: whatever it is, the same jobs serve it.
@Suite struct MadeUpFamilyTests {
    private func image(_ version: String) -> [UInt8] { [UInt8](repeating: 7, count: 8) + Array(version.utf8) + [UInt8](repeating: 9, count: 8172) }

    @Test func aPagerIsFlashedAndVerified() async throws {
        let (place, key, wanted) = (try TemporaryFolder(), try SigningKey.generate(), "v26.300.1200")
        let packet = try InitPacketBuilder(image: image(wanted), firmwareVersion: 2, target: .monocle).signed(by: key)
        let package = try DFUPackage(bytes: try DFUPackageWriter(image: image(wanted), initPacket: packet).archive())
        let trusted = key.trusted(as: "pager")
        let firmware = try FirmwareAsset(package: package, version: wanted, target: .monocle, trusting: [trusted])
        let family = Family(
            id: "pager", recognise: { $0.name == "pager" ? .application : nil },
            provisioning: ProvisioningRules(
                components: [.firmware, .scripts], bootloader: BootloaderRules(names: ["PagerDFU"], target: .monocle, vendorKey: trusted),
                open: { connection, clock, _ in
                    let answers = try await connection.subscribe(to: PagerModel.output, deadline: clock.deadline(in: .seconds(5)))
                    return PagerConsole(connection: connection, clock: clock, answers: answers)
                },
                updaters: { assets in assets.firmware.map { [NordicFirmwareUpdater($0), TextUpdater(version: "hello")] } ?? [] }))
        let old = image("v25.100.0000")
        let folder = try UnitFolder(root: place.url.appendingPathComponent("unit"), name: "pager", family: "pager") {
            try $0.save(BootloaderStorage(application: old))
        }
        let point = key.publicCoordinates
        let design = UnitDesign(
            family: "pager", link: LinkSettings(largestMTU: 100),
            bootloader: BootloaderProfile(
                configuration: BootloaderConfiguration(trustedKeys: [point.prefix(32).reversed() + point.dropFirst(32).reversed()]),
                name: "PagerDFU"),
            makeModel: { PagerModel(text: $0.root.appendingPathComponent("text")) })
        let air = VirtualAir(time: .simulated())
        let unit = try VirtualUnit(folder: folder, design: design, air: air)
        try await air.time.run {
            try await withVirtualUnit(unit) {
                let central = VirtualCentral(air: air)
                let job = try ProvisioningJob(
                    family: family, central: central, address: unit.address, assets: AssetSet(firmware: firmware), options: JobOptions())
                let first = try await job.run { _ in }
                #expect(first.passed && first.steps.map(\.action) == [.updated, .updated], "\(first)")
                #expect(first.identity.firmware == wanted && first.identity.scripts == "hello" && first.family == "pager")
                #expect(try await job.run { _ in }.steps.map(\.action) == [.current, .current])
                let look = try VerifyJob(
                    family: family, central: central, address: unit.address, assets: AssetSet(firmware: firmware), isDeep: true)
                #expect(try await look.run { _ in }.passed)
            }
        }
    }
}
