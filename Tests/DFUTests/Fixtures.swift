import Bluetooth
import MonocleFamily
import Support
import TestSupport
import Testing

@testable import DFU

enum Fixtures {
    static let versionText = "v26.123.0415"

    static func image(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
        var generator = SeededNumbers(seed: seed)
        var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let text = [0] + Array(versionText.utf8) + [0]
        if count >= 100 + text.count { bytes.replaceSubrange(100..<(100 + text.count), with: text) }
        return bytes
    }

    static func package(
        image: [UInt8], key: SigningKey, change: (inout InitPacketBuilder) -> Void = { _ in }
    ) throws -> [UInt8] {
        var builder = InitPacketBuilder(image: image, firmwareVersion: 7, target: .monocle)
        change(&builder)
        let packet = try builder.signed(by: key)
        return try DFUPackageWriter(kind: builder.kind, image: image, initPacket: packet).archive()
    }

    static func firmware(_ count: Int, seed: UInt64 = 1) throws -> FirmwareImage {
        let image = image(count, seed: seed)
        let packet = try InitPacketBuilder(image: image, firmwareVersion: 7, target: .monocle)
            .signed(with: [UInt8](repeating: 0x5A, count: 64))
        return try FirmwareImage(kind: .application, bytes: image, initPacket: InitPacket(parsing: packet))
    }
}

/// The package fault that `body` throws.
func fault(_ body: () throws -> Void) -> PackageFault? {
    do {
        try body()
        return nil
    } catch DFUError.package(let fault) {
        #expect(fault.diagnosis.fault == nil)
        return fault
    } catch {
        Issue.record("unexpected error \(error)")
        return nil
    }
}
