import Bluetooth
import DFU
import FPGA
import Foundation
import MonocleFamily
import Provisioning
import ScriptBundle
import Support
import Synchronization
import TestSupport
import Testing
import VirtualDevices

/// A virtual unit on a bench of simulated time, and small assets signed with a key of the test's own.
struct Bench: Sendable {
    static let firmwareVersion = "v26.300.1200"
    static let fpgaVersion = "v26.300.1201"
    private static let key = Result { try SigningKey.generate() }

    let root: URL
    var faults = FaultPlan()
    /// Instead of the Python of `.venv`.
    var python: String?

    init() {
        root = FileManager.default.temporaryDirectory.appendingPathComponent("noafw-bench-\(UUID().uuidString)")
    }

    /// A factory-new unit that tells such a charge.
    init(batteryPercent: Int) throws {
        self.init()
        _ = try UnitFolder.monocle(root: root, name: "bench")
        let file = root.appendingPathComponent("unit.json")
        let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        try Data(text.replacing(#""batteryPercent":80"#, with: #""batteryPercent":\#(batteryPercent)"#).utf8).write(to: file)
    }

    func remove() { try? FileManager.default.removeItem(at: root) }

    /// - Parameter firmwareSize: bytes of the application image.
    static func assets(firmwareSize: Int = 20_000) throws -> AssetSet {
        return AssetSet(
            firmware: try firmware(version: firmwareVersion, size: firmwareSize),
            fpga: .init(image: try FPGAImage(bitstream(), isChecked: false), version: fpgaVersion),
            scripts: try ScriptSet(files: [
                .init(name: "states.py", bytes: Array("IDLE = 'idle'\n# \u{3}\u{1C}\u{4} ''' \\ \r\n".utf8)),
                .init(name: "main.py", bytes: Array("import states\nimport time\nwhile True:\n    time.sleep(1)\n".utf8)),
            ]))
    }

    /// - Parameter stated: what the package is said to hold; `nil` takes its image's word.
    static func firmware(version: String, stated: String? = nil, size: Int = 20_000) throws -> FirmwareAsset {
        var generator = SeededGenerator(seed: 7)
        var image = (0..<size).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        image.replaceSubrange(1000..<1014, with: [0] + Array(version.utf8) + [0])
        let key = try key.get()
        let packet = try InitPacketBuilder(image: image, firmwareVersion: 1, target: .monocle).signed(by: key)
        let package = try DFUPackage(bytes: try DFUPackageWriter(image: image, initPacket: packet).archive())
        return try .init(package: package, version: stated, target: .monocle, trusting: [key.trusted(as: "test")])
    }

    /// A full-size image that is mostly runs, so that writing it takes few commands.
    static func bitstream() -> [UInt8] {
        var image = [UInt8](repeating: 0, count: FPGALimits.imageByteCount)
        var generator = SeededGenerator(seed: 9)
        for start in stride(from: 0, to: image.count - 64, by: 16_384) {
            for offset in 0..<64 { image[start + offset] = UInt8(truncatingIfNeeded: generator.next()) }
        }
        return image
    }

    /// Puts the unit on the air in simulated time and runs `body`. What `body` leaves behind is the unit's folder.
    func play<Value: Sendable>(
        _ body: @escaping @Sendable (VirtualCentral, VirtualUnit) async throws -> Value
    ) async throws -> Value {
        let folder = try UnitFolder.monocle(root: root, name: "bench")
        var configuration = MonocleConfiguration(python: try python ?? TestTools.require(TestTools.python, "the Python of .venv"))
        let coordinates = try Self.key.get().publicCoordinates
        configuration.trustedKeys.append(
            Array(coordinates.prefix(32).reversed()) + Array(coordinates.dropFirst(32).reversed()))
        configuration.fpgaVersions = [HexText.encode(try FPGAImage(Self.bitstream(), isChecked: false).sha256): Self.fpgaVersion]
        configuration.faults = faults
        let air = VirtualAir(time: .simulated())
        let monocle = try VirtualUnit.monocle(folder: folder, configuration: configuration, air: air)
        return try await air.time.run {
            try await withVirtualUnit(monocle) { try await body(VirtualCentral(air: air), monocle) }
        }
    }

    func flash(
        _ assets: AssetSet, options: JobOptions = JobOptions(), report: @escaping @Sendable (JobEvent) -> Void = { _ in }
    ) async throws -> UnitReport {
        try await play { central, monocle in
            try await ProvisioningJob(family: .monocle, central: central, address: monocle.address, assets: assets, options: options)
                .run(report: report)
        }
    }

    func verify(_ assets: AssetSet, isDeep: Bool = true) async throws -> VerifyReport {
        try await play { central, monocle in
            try await VerifyJob(family: .monocle, central: central, address: monocle.address, assets: assets, isDeep: isDeep)
                .run { _ in }
        }
    }
}

/// Collects events from a run.
final class Journal: Sendable {
    private let lines = Mutex<[String]>([])

    var text: [String] { lines.withLock { $0 } }

    func add(_ event: JobEvent) {
        switch event.content {
        case .stage(let stage): lines.withLock { $0.append("stage \(stage.rawValue)") }
        case .notice(let text): lines.withLock { $0.append("notice \(text)") }
        case .recovery(let recovery): lines.withLock { $0.append("notice \(recovery.words)") }
        case .step(let step): lines.withLock { $0.append("step \(step.component.rawValue) \(step.action.rawValue)") }
        case .found, .progress, .probed, .planned: break
        }
    }
}
