import Bluetooth
import Foundation
import Support
import TestSupport
import Testing
@testable import VirtualDevices

/// State folders that earlier versions wrote: a unit's owner keeps the unit.
@Suite struct OldFolderTests {
    /// The names in a folder, all of them, as they have been since the first version.
    static let names = ["bootloader.json", "display.json", "files", "fpga-flash.bin", "unit.json", "unit.lock"]
    private static let image = Array("vector v23.001.0002 end".utf8)

    /// As the settings pages were first written, with the flash behind them.
    private static func pages() -> String {
        let crc = CRC32.of(image)
        let bytes = withUnsafeBytes(of: crc.littleEndian) { $0.map(String.init).joined(separator: ",") }
        let command = Array(repeating: "255", count: 512).joined(separator: ",")
        let page = """
            {"applicationVersion":3,"bootloaderVersion":0,"writeOffset":0,"initCommand":[\(command)],
            "bank0":{"content":1,"crc":\(crc),"size":\(image.count)},"bank1":{"content":0,"crc":0,"size":0},
            "progress":{"commandCRC":0,"commandSize":0,"executedOffset":0,"imageOffset":0,"commandOffset":0,"objectSize":0,
            "imageCRC":155648,"executedCRC":0},"applicationValidation":{"kind":1,"bytes":[\(bytes)]}}
            """
        return #"{"settingsPage":\#(page),"backupPage":\#(page),"flash":"\#(Data(image).base64EncodedString())"}"#
    }

    /// As they were before the pages were modelled.
    private static func application() -> String {
        #"{"application":"\#(Data(image).base64EncodedString())","applicationVersion":3,"initPacket":"","incoming":"","applicationIsValid":true}"#
    }

    private func folder(_ place: TemporaryFolder, bootloader: String) throws -> UnitFolder {
        try place.write(#"{"batteryPercent":61,"address":"FE:C5:20:86:16:A5","family":"monocle","isCharging":false}"#, to: "unit/unit.json")
        try place.write(bootloader, to: "unit/bootloader.json")
        try place.write(#"[{"color":16777215,"kind":"text","text":"Hello","x":10,"y":20}]"#, to: "unit/display.json")
        try place.write([UInt8](repeating: 0xA5, count: 444_430) + Array("done".utf8) + [0xFF, 0xFF], to: "unit/fpga-flash.bin")
        try place.write("print('main')", to: "unit/files/main.py")
        try place.write("4711", to: "unit/unit.lock")
        return try UnitFolder.monocle(root: place.url.appendingPathComponent("unit"), name: "other")
    }

    @Test(arguments: [pages(), application()]) func isReadAsItWas(bootloader: String) throws {
        let place = try TemporaryFolder()
        let folder = try folder(place, bootloader: bootloader)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.root.path).sorted() == Self.names)
        #expect(try folder.address(of: "monocle") == DeviceAddress("FE:C5:20:86:16:A5"))
        #expect(try folder.identity().batteryPercent == 61)
        #expect(VirtualDisplay.lines(of: folder.display).map(\.text) == ["Hello"])
        let flash = try FPGAFlash(file: folder.flash)
        #expect(flash.isCommitted && flash.read(0, 2) == [0xA5, 0xA5])
        let storage = try folder.loadBootloader()
        #expect(storage.applicationIsValid && storage.application == Self.image && storage.applicationVersion == 3)
        let lock = try folder.lock()
        withExtendedLifetime(lock) {}
    }

    /// What is written now has the same names and fields, so that an earlier version reads it, too.
    @Test func isWrittenAsItWas() throws {
        let place = try TemporaryFolder()
        let folder = try UnitFolder.monocle(root: place.url.appendingPathComponent("unit"), name: "default")
        try UnitFolder.replace(folder.display, with: Array("[]".utf8))
        #expect(try place.names() == ["unit"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.root.path).sorted() == Self.names)
        func keys(_ bytes: [UInt8]) throws -> Set<String> {
            Set(try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]).keys)
        }
        #expect(try keys(place.read("unit/unit.json")) == ["family", "address", "batteryPercent", "isCharging"])
        #expect(try keys(place.read("unit/bootloader.json")) == ["settingsPage", "backupPage", "flash"])
        #expect(try folder.address(of: "monocle").description == "D3:44:9A:46:CF:CF")
        #expect(try place.read("unit/fpga-flash.bin").count == 444_434)
    }

    @Test(arguments: [pages(), application()]) func isPlayed(bootloader: String) async throws {
        guard TestTools.mayRunMicroPython else { return }
        let place = try TemporaryFolder()
        let folder = try folder(place, bootloader: bootloader)
        let air = VirtualAir(time: .simulated())
        let python = try TestTools.require(TestTools.python, "the Python of .venv")
        let unit = try VirtualUnit.monocle(folder: folder, configuration: UnitConfiguration(python: python), air: air)
        try await air.time.run {
            try await withVirtualUnit(unit) {
                let terminal = try await Terminal.raw(unit, VirtualCentral(air: air))
                #expect(try await terminal.run("import device,os;print(device.VERSION,os.listdir())") == "v23.001.0002 ['main.py']\n")
                #expect(try await terminal.run("print(device.mac_address())") == "a5:16:86:20:c5:fe\n")
            }
        }
    }
}
