import Bluetooth
import Cryptography
import DFU
import Provisioning
import Support
import VirtualDevices

/// The client's side of a pager.
struct PagerConsole: UnitConsole {
    private static let patience = Duration.seconds(5)

    let connection: any Connection
    let clock: SessionClock
    let answers: Inbox<[UInt8]>

    private func ask() async throws -> [String] {
        try await send("?")
        guard let answer = try await answers.next(before: clock.deadline(in: Self.patience), on: clock) else {
            throw LinkError.timedOut("the pager's answer")
        }
        return String(decoding: answer, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    func send(_ text: String) async throws {
        try await connection.write(Array(text.utf8), to: PagerSettings.input, deadline: clock.deadline(in: Self.patience))
    }

    func version(of component: Component) async throws -> String? {
        let lines = try await ask()
        return component == .firmware ? lines.first : lines.last.flatMap { $0.isEmpty ? nil : $0 }
    }

    func facts() async throws -> [UnitFact] { try await ask().dropFirst().first.flatMap { Int($0) }.map { [.battery(percent: $0)] } ?? [] }

    func reboot(into mode: UnitMode) async throws {
        try await send("b")
        try await connection.waitUntilGone(deadline: clock.deadline(in: .seconds(10)))
    }

    func recover(isFresh: Bool) async throws {}
    func detach() async -> any Connection { connection }
    func close() async { await connection.disconnect() }
}

extension Component {
    /// A component of the pager's own.
    package static let text = Component(.init("text", order: 9, stages: [.text], evidence: .version))
}

extension Stage {
    static let text = Stage("text", sendsBytes: true, remains: "the pager's text may be an old one")
}

struct PagerText: ComponentAsset {
    static var component: Component { .text }

    let version: String
    var sha256: [UInt8] { SHA256.of(Array(version.utf8)) }
    var updater: any ComponentUpdater { TextUpdater(version: version) }
}

/// One text, whose version is its content.
struct TextUpdater: ComponentUpdater {
    let component = Component.text
    let version: String
    var byteCount: Int { version.utf8.count }
    func wholeUpdate(interval: Double) -> [StageEstimate] { [StageEstimate(.text, seconds: 1)] }

    func inspect(_ unit: UnitLease, _ job: JobState) async throws -> any PlannedUpdate {
        let actual = try await unit.version(of: .text)
        return Planned(plan: ComponentPlan(
            component: .text, action: actual == version ? .current : .update, from: actual, to: version, byteCount: byteCount))
    }

    func verify(_ unit: UnitLease, isDeep: Bool) async throws -> VerifyReport.Finding {
        VerifyReport.Finding(expected: version, actual: try await unit.version(of: .text))
    }

    struct Planned: PlannedUpdate {
        let plan: ComponentPlan
        let erases = false

        func apply(_ unit: UnitLease, _ job: JobState) async throws {
            job.begin(.text)
            job.start(.text, from: plan.from)
            guard let console = try await unit.console() as? PagerConsole else { return }
            try await console.send("=\(plan.to)")
            unit.forget(.text)
            job.updated(.text, to: plan.to, byteCount: plan.byteCount)
        }
    }
}

/// The firmware and the family of pagers, signed with a key of its own.
package struct PagerFamily: Sendable {
    package static let version = "v26.300.1200"
    package static let text = "hello"

    package let family: Family
    /// That of the virtual bootloader.
    private static let target = DFUTarget(
        name: "Pager", hardwareVersion: 52, softDeviceID: 0x0124, softDeviceName: "S132 7.3.0", imageCapacity: 300 << 10)

    package let assets: AssetSet
    /// For the pagers' bootloaders.
    package let trustedKeys: [[UInt8]]

    /// - Parameter imageSize: of the firmware, in bytes.
    package init(imageSize: Int = 2048) throws {
        let key = try SigningKey.generate()
        let image = PagerSettings.image(Self.version, count: imageSize)
        let packet = try InitPacketBuilder(image: image, firmwareVersion: 2, target: Self.target).signed(by: key)
        let package = try DFUPackage(bytes: try DFUPackageWriter(image: image, initPacket: packet).archive())
        let trusted = key.trusted(as: "pager")
        assets = AssetSet(
            try FirmwareAsset(package: package, version: Self.version, target: Self.target, trusting: [trusted]),
            PagerText(version: Self.text))
        let point = key.publicCoordinates
        trustedKeys = [point.prefix(32).reversed() + point.dropFirst(32).reversed()]
        family = Family(
            id: "pager",
            recognise: { sighting in
                switch sighting.name {
                case "pager": .application
                case PagerSettings.bootloaderName: .bootloader
                default: nil
                }
            },
            provisioning: ProvisioningRules(
                components: [.firmware, .text],
                bootloader: BootloaderRules(names: [PagerSettings.bootloaderName], target: Self.target, vendorKey: trusted),
                open: { connection, clock, _ in
                    let answers = try await connection.subscribe(to: PagerSettings.output, deadline: clock.deadline(in: .seconds(5)))
                    return PagerConsole(connection: connection, clock: clock, answers: answers)
                }))
    }
}
