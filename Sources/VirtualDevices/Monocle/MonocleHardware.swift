import Bluetooth
import Foundation

/// What the processor's pins lead to: flash, FPGA, battery, display, microphone, camera.
struct MonocleHardware {
    var firmwareVersion = ""
    var flash: FPGAFlash
    /// What the FPGA answers as its version; `nil` when no image runs in it.
    private(set) var fpgaVersion: String?
    private var isFPGARunning = true
    let identity: UnitFolder.Identity
    private let folder: UnitFolder
    private var drawing: [String] = []
    private var recording: VirtualRecording?
    private var picture: ArraySlice<UInt8> = []

    init(folder: UnitFolder, fpgaVersions: [String: String]) throws {
        self.folder = folder
        identity = try folder.identity()
        flash = try FPGAFlash(file: folder.flash)
        if flash.isCommitted {
            let digest = Self.hexadecimal(BootloaderCryptography.sha256(Array(flash.image)))
            let factory = [Self.factoryDigest: FactoryImages.fpgaVersion]
            fpgaVersion = fpgaVersions[digest] ?? vendorFPGAVersions[digest] ?? factory[digest]
        } else {
            fpgaVersion = FactoryImages.builtInFPGAVersion
        }
    }

    private static let factoryDigest = hexadecimal(BootloaderCryptography.sha256(FactoryImages.fpga()))

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// Registers of the FPGA: 1 its identifier, 2 its version text. Zeros when nothing runs.
    func readFPGA(_ register: Int, _ count: Int) -> [UInt8] {
        let zeros = [UInt8](repeating: 0, count: count)
        guard isFPGARunning, let fpgaVersion else { return zeros }
        let text = register == 1 ? "Mncl" : register == 2 ? fpgaVersion : ""
        return Array((Array(text.utf8) + zeros).prefix(count))
    }

    mutating func runFPGA(_ on: UInt8?) -> Bool {
        if let on { isFPGARunning = on == 1 }
        return isFPGARunning
    }

    func describe(_ what: String, address: DeviceAddress) -> [UInt8] {
        switch what {
        case "version": Array(firmwareVersion.utf8)
        case "address": Array(address.description.utf8)
        case "battery": [UInt8(clamping: identity.batteryPercent)]
        case "charging": [identity.isCharging ? 1 : 0]
        default: Array("Software reset".utf8)
        }
    }

    /// Collects what is drawn; `show` puts it on the display, which is a file of JSON.
    mutating func draw(_ command: [UInt8]) {
        let text = String(decoding: command, as: UTF8.self)
        if text == "begin" {
            drawing = []
        } else if text.hasPrefix("item "), drawing.count < 256 {
            drawing.append(String(text.dropFirst(5)))
        } else if text == "show" {
            let document = "[\n" + drawing.map { "  \($0)" }.joined(separator: ",\n") + "\n]\n"
            try? Data(document.utf8).write(to: folder.display, options: .atomic)
        }
    }

    /// Starts a recording of what the unit hears.
    mutating func record(milliseconds: Int, bytesPerSample: Int, rate: Int, now: Duration) {
        recording = VirtualRecording(
            of: folder.sound, milliseconds: milliseconds, bytesPerSample: bytesPerSample, rate: rate, start: now)
    }

    mutating func readRecording(samples: Int, now: Duration) -> [UInt8] {
        recording?.read(samples: samples, now: now) ?? []
    }

    /// Takes a picture of what stands before the unit.
    mutating func capture() { picture = folder.scene[...] }

    mutating func readPicture(_ count: Int) -> [UInt8] {
        defer { picture = picture.dropFirst(count) }
        return Array(picture.prefix(count))
    }
}
