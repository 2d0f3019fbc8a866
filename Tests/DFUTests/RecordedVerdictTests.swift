import Foundation
import MonocleFamily
import TestSupport
import Testing

@testable import BootloaderTraces
@testable import DFU

/// `package check` and preflight say of an init packet what the real bootloader was recorded to say.
@Suite struct RecordedVerdictTests {
    /// What depends on the unit's own firmware, which a package alone does not tell: versions lower than the unit's.
    static let unitsOwn: Set<String> = ["init-version-4-lower", "init-version-twice", "init-debug-1-version-4"]
    /// The bootloader takes the packet, and refuses the image at the end.
    static let refusedAtTheEnd: Set<String> = ["init-boot-ecdsa-wrong", "init-boot-ecdsa-10-bytes", "init-boot-kind-4", "init-hash-zeros"]

    @Test func everyRecordedInitPacket() throws {
        let file = try TraceFile(contentsOf: TestTools.root.appendingPathComponent("Tests/Traces/nordic-bootloader.jsonl").path)
        let coordinates = try Array(Hex.decode(file.header.testKey.publicXHex).reversed())
            + Array(Hex.decode(file.header.testKey.publicYHex).reversed())
        let key = try TrustedKey(name: "test", coordinates: coordinates)
        var target = DFUTarget.monocle
        target.acceptsOnlyApplication = false
        var verdicts = 0
        for trace in file.traces where trace.topic == "init-packet" && trace.id.hasPrefix("init-") {
            guard !Self.unitsOwn.contains(trace.id),
                let packet = trace.steps.first(where: { $0.write == .pkt }), packet.from == 0,
                let execute = trace.steps.firstIndex(where: { $0.write == .cp && $0.hex == "04" }),
                let answer = trace.steps[execute].expect?.compactMap(\.notify).first, answer != "600408"
            else { continue }
            let bytes = try file.bytes(of: packet)
            let isTaken = answer == "600401" && !Self.refusedAtTheEnd.contains(trace.id)
            let isOurs = (try? Self.check(bytes, file, target, key)) != nil
            // An image of a SoftDevice or a bootloader is no business of ours.
            guard (try? InitPacket(parsing: bytes))?.command.kind ?? .application == .application else { continue }
            #expect(isOurs == isTaken, "\(trace.id): the unit says \(answer)")
            verdicts += 1
        }
        #expect(verdicts > 50)
    }

    struct Validations: CustomTestStringConvertible {
        var testDescription: String
        var made: @Sendable ([UInt8], SigningKey) throws -> [BootValidation]
    }

    /// What no trace holds is asked of the virtual bootloader, which answers all traces as the real one does.
    @Test(arguments: [
        Validations(testDescription: "64 bytes that nobody reads") { _, _ in
            [BootValidation(.sha256, bytes: Array(repeating: 1, count: 64))]
        },
        Validations(testDescription: "65 bytes that nobody reads") { _, _ in
            [BootValidation(.sha256, bytes: Array(repeating: 1, count: 65))]
        },
        Validations(testDescription: "65 bytes behind the first") { _, _ in
            [BootValidation(.crc), BootValidation(.none, bytes: Array(repeating: 1, count: 65))]
        },
        Validations(testDescription: "a good signature") { [BootValidation(.ecdsaP256, bytes: try $1.sign($0))] },
        Validations(testDescription: "a wrong signature") { [BootValidation(.ecdsaP256, bytes: try $1.sign($0.reversed()))] },
        Validations(testDescription: "a wrong signature behind the first") {
            [BootValidation(.crc), BootValidation(.ecdsaP256, bytes: try $1.sign($0.reversed()))]
        }
    ])
    func bootValidations(_ validations: Validations) throws {
        let (image, key) = (Fixtures.image(5000), try SigningKey.generate())
        var builder = InitPacketBuilder(image: image, firmwareVersion: 7, target: .monocle)
        builder.bootValidations = try validations.made(image, key)
        let bytes = try builder.signed(by: key)
        let isOurs = (try? Self.check(bytes, image, key)) != nil
        var rig = TransferRig(initPacket: bytes, image: image, trusting: key.publicCoordinates)
        let isTaken = rig.run().isUpdated
        #expect(isOurs == isTaken, "the unit \(isTaken ? "takes" : "refuses") it")
    }

    private static func check(_ bytes: [UInt8], _ image: [UInt8], _ key: SigningKey) throws {
        let packet = try InitPacket(parsing: bytes)
        let firmware = FirmwareImage(kind: .application, bytes: image, initPacket: packet)
        try firmware.checkIntegrity()
        try firmware.initPacket.check(against: .monocle)
        try firmware.verifyBootValidation(with: firmware.verify(with: [key.trusted(as: "test")]))
    }

    private static func check(_ bytes: [UInt8], _ file: TraceFile, _ target: DFUTarget, _ key: TrustedKey) throws {
        let packet = try InitPacket(parsing: bytes)
        try packet.check(against: target)
        let signer = try packet.verify(with: [key])
        guard let image = try file.image(of: Int(clamping: packet.command.imageSize)) else { return }
        let firmware = FirmwareImage(kind: .application, bytes: image, initPacket: packet)
        try firmware.checkIntegrity()
        try firmware.verifyBootValidation(with: signer)
    }
}
