import Bluetooth
import Cryptography
import Foundation

/// What is connected to the processor's pins: flash, FPGA, battery, display, microphone, camera.
struct MonocleHardware {
    var firmwareVersion = ""
    var flash: FPGAFlash
    /// The FPGA's version answer; `nil` when no image runs.
    private(set) var fpgaVersion: String?
    private(set) var isFPGARunning = true
    let identity: UnitFolder.Identity
    /// Versions of images besides the vendor's and the factory's, by digest.
    private let fpgaVersions: [String: String]
    var screen = MonocleScreen()
    var recording: VirtualRecording?
    var camera = MonocleCamera()

    init(folder: UnitFolder, fpgaVersions: [String: String]) throws {
        self.fpgaVersions = fpgaVersions
        identity = try folder.identity()
        flash = try FPGAFlash(file: folder.flash)
        bootFPGA()
    }

    /// The flash image if its marker is present, else the built-in one.
    private mutating func bootFPGA() {
        guard flash.isCommitted else { return fpgaVersion = FactoryImages.builtInFPGAVersion }
        let digest = SHA256.text(of: flash.image)
        let factory = [Self.factoryDigest: FactoryImages.fpgaVersion]
        fpgaVersion = fpgaVersions[digest] ?? Self.vendorFPGAVersions[digest] ?? factory[digest]
    }

    /// The vendor's released FPGA images, by digest.
    private static let vendorFPGAVersions = [
        "951e8f3bb8d4c87a2293b6a12440b8bd2490d163adb6405830dd12bea35ec731": "v23.230.0808"
    ]

    private static let factoryDigest = SHA256.text(of: FactoryImages.fpga())

    /// FPGA registers: 1 its identifier, 2 its version text, those of ``MonocleCamera``, 0x5800 the state of the microphone. With no
    /// image running the line floats and may read as anything.
    mutating func readFPGA(_ register: Int, _ count: Int, now: Duration, using generator: inout SeededGenerator) -> [UInt8] {
        guard isFPGARunning, let fpgaVersion else { return (0..<count).map { _ in .random(in: 0...255, using: &generator) } }
        let content: [UInt8] = switch register {
        case 1: Array("Mncl".utf8)
        case 2: Array(fpgaVersion.utf8)
        case MonocleCamera.status: [camera.status(now: now)]
        case MonocleCamera.waiting: camera.waiting(now: now)
        case MonocleCamera.data: camera.read(count, now: now)
        case 0x5800: [0x10]
        default: []
        }
        return Array((content + [UInt8](repeating: 0, count: count)).prefix(count))
    }

    /// A stopped FPGA is held in reset; a started one looks for the marker again.
    mutating func runFPGA(_ runs: Bool) {
        isFPGARunning = runs
        if runs { bootFPGA() }
    }

    func describe(_ what: UInt8, address: DeviceAddress, cause: UnitPlatform.ResetCause) -> [UInt8] {
        switch what {
        case UInt8(ascii: "v"): Array(firmwareVersion.utf8)
        // Last octet first, in lower case (device.c).
        case UInt8(ascii: "a"): Array(address.description.split(separator: ":").reversed().joined(separator: ":").lowercased().utf8)
        case UInt8(ascii: "b"): [UInt8(clamping: identity.batteryPercent)]
        case UInt8(ascii: "c"): [identity.isCharging ? 1 : 0]
        default:
            switch cause {
            case .powerOn: Array("POWERON".utf8)
            case .software: Array("SOFTWARE_RESET".utf8)
            case .crash: Array("CRASHED".utf8)
            }
        }
    }
}
