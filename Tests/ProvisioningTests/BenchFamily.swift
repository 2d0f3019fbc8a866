import DFU
import FPGA
import Foundation
import FrameFamily
import MonocleFamily
import Provisioning
import ScriptBundle
import Support
import TestSupport
import VirtualDevices
import VirtualFaults

/// What a bench needs to know of a family.
struct BenchFamily: Sendable {
    struct Settings: Sendable {
        var python: String
        /// Whose firmware the unit's bootloader takes beside its vendor's.
        var trustedKey: [UInt8]
        var faults: FaultPlan
    }

    let family: Family
    let makeUnit: @Sendable (_ root: URL, Settings, VirtualAir) throws -> VirtualUnit

    static let monocle = BenchFamily(family: .monocle) { root, settings, air in
        var configuration = UnitConfiguration(python: settings.python)
        configuration.trustedKeys.append(settings.trustedKey)
        configuration.fpgaVersions = [HexText.encode(try FPGAImage(Bench.bitstream(), isChecked: false).sha256): Bench.fpgaVersion]
        configuration.faults = settings.faults
        return try .monocle(folder: try UnitFolder.monocle(root: root, name: "bench"), configuration: configuration, air: air)
    }

    static let frame = frame(.v25_080)

    /// - Parameter firmware: of a unit from the factory.
    static func frame(_ firmware: FrameFirmware) -> BenchFamily {
        BenchFamily(family: .frame) { root, settings, air in
            var configuration = UnitConfiguration(python: settings.python)
            configuration.trustedKeys.append(settings.trustedKey)
            configuration.faults = settings.faults
            return try .frame(
                folder: try UnitFolder.frame(root: root, name: "bench", firmware: firmware), configuration: configuration, air: air)
        }
    }
}

// MARK: - A Monocle's

extension Bench {
    static let fpgaVersion = "v26.300.1201"

    /// A factory-new unit that tells such a charge.
    init(batteryPercent: Int) throws {
        self.init()
        _ = try UnitFolder.monocle(root: root, name: "bench")
        let file = root.appendingPathComponent("unit.json")
        let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        try Data(text.replacing(#""batteryPercent":80"#, with: #""batteryPercent":\#(batteryPercent)"#).utf8).write(to: file)
    }

    /// - Parameter firmwareSize: bytes of the application image.
    static func assets(firmwareSize: Int = 20_000) throws -> AssetSet {
        AssetSet(
            try firmware(size: firmwareSize), BitstreamAsset(image: try FPGAImage(bitstream(), isChecked: false), version: fpgaVersion),
            try ScriptSet(files: [
                .init(name: "states.py", bytes: Array("IDLE = 'idle'\n# \u{3}\u{1C}\u{4} ''' \\ \r\n".utf8)),
                .init(name: "main.py", bytes: Array("import states\nimport time\nwhile True:\n    time.sleep(1)\n".utf8)),
            ]))
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
}
