import FrameFamily
import MonocleFamily
import TestSupport
import Testing

@testable import DFU

@Suite struct PackageRecipeTests {
    let key: SigningKey
    let softDevice = Fixtures.image(5000, seed: 2)
    let bootloader = Fixtures.image(3000, seed: 3)
    let application = Fixtures.image(9000)

    init() throws { key = try SigningKey.generate() }

    private var whole: PackageRecipe {
        var recipe = PackageRecipe(hardwareVersion: 52, softDevices: [0x0123])
        recipe.application = .init(image: application, version: 12, bootValidation: .ecdsaP256)
        recipe.softDevice = .init(image: softDevice, bootValidation: .ecdsaP256)
        recipe.bootloader = .init(image: bootloader, version: 3)
        recipe.newSoftDevices = [0x0124]
        return recipe
    }

    @Test func everythingAtOnceComesBackInTheOrderOfTheUpdate() throws {
        let package = try DFUPackage(bytes: whole.archive(signedBy: key))
        #expect(package.images.map(\.kind) == [.softDeviceAndBootloader, .application])
        #expect(package.images.map(\.bytes) == [softDevice + bootloader, application])
        let system = package.images[0].initPacket.command
        #expect(system.softDeviceSize == 5000 && system.bootloaderSize == 3000 && system.applicationSize == 0)
        #expect(system.firmwareVersion == 3 && system.softDevices == [0x0123, 0x0124])
        #expect(system.bootValidations.map(\.method) == [.ecdsaP256, .crc])
        let application = package.images[1].initPacket.command
        #expect(application.firmwareVersion == 12 && application.softDevices == [0x0124])
        let trusted = key.trusted(as: "k")
        for image in package.images {
            try image.checkIntegrity()
            #expect(try image.verify(with: [trusted]) == trusted)
            try image.verifyBootValidation(with: trusted)
        }
    }

    @Test func unsignedPackagesAreReproducible() throws {
        var recipe = whole
        recipe.application?.bootValidation = .sha256
        recipe.softDevice?.bootValidation = .none
        #expect(try recipe.archive(signedBy: nil) == recipe.archive(signedBy: nil))
        #expect(throws: DFUError.self) { try whole.archive(signedBy: nil) }
    }

    @Test func aForeignBootValidationIsFound() throws {
        let other = try SigningKey.generate()
        var builder = InitPacketBuilder(image: application, firmwareVersion: 1, target: .monocle)
        builder.bootValidations = [BootValidation(.ecdsaP256, bytes: try other.sign(application))]
        let package = try DFUPackage(
            bytes: DFUPackageWriter(image: application, initPacket: builder.signed(by: key)).archive())
        let trusted = key.trusted(as: "k")
        #expect(try package.images[0].verify(with: [trusted]) == trusted)
        #expect(fault { try package.images[0].verifyBootValidation(with: trusted) } == .bootValidationNotTrusted(key: "k"))
    }

    /// A manifest may call an external application what nrfutil calls it, or what it is.
    @Test(arguments: ["application", "external_application"]) func externalApplicationsHaveTwoNames(name: String) throws {
        var recipe = PackageRecipe(hardwareVersion: 52, softDevices: [0xFFFE])
        recipe.application = .init(image: application, version: 1, isExternal: true)
        let packet = try DFUPackage(bytes: recipe.archive(signedBy: key)).images[0].initPacket
        let manifest = #"{"manifest":{"\#(name)":{"bin_file":"a.bin","dat_file":"a.dat"}}}"#
        let zip = RawZip(entries: [
            .init("manifest.json", Array(manifest.utf8)), .init("a.bin", application), .init("a.dat", packet.bytes),
        ])
        let image = try #require(try DFUPackage(bytes: zip.bytes).images.first)
        #expect(image.kind == .externalApplication)
        #expect(fault { _ = try DFUPackage(bytes: zip.bytes).check(against: .monocle, trusting: [key.trusted(as: "k")]) }
            == .kindsNotAccepted([.externalApplication], target: "Monocle"))
    }

    @Test func aManifestWithOtherSizesIsRefused() throws {
        let image = try DFUPackage(bytes: whole.archive(signedBy: key)).images[0]
        func problem(_ sizes: String) -> PackageFault? {
            let manifest = #"{"manifest":{"softdevice_bootloader":{"bin_file":"a.bin","dat_file":"a.dat"\#(sizes)}}}"#
            let zip = RawZip(entries: [
                .init("manifest.json", Array(manifest.utf8)), .init("a.bin", image.bytes),
                .init("a.dat", image.initPacket.bytes),
            ])
            return fault { _ = try DFUPackage(bytes: zip.bytes) }
        }
        #expect(problem("") == nil)
        #expect(problem(#","info_read_only_metadata":{"bl_size":3000,"sd_size":5000}"#) == nil)
        guard case .manifestInvalid? = problem(#","info_read_only_metadata":{"bl_size":5000,"sd_size":3000}"#) else {
            Issue.record("a phone app would cut this image elsewhere than the bootloader does")
            return
        }
    }

    /// Fields that this program does not know stand in the signed bytes and stay there.
    @Test func unknownFieldsSurvive() throws {
        let builder = InitPacketBuilder(image: application, firmwareVersion: 7, target: .monocle)
        // Field 2000: a varint, then field 15: three bytes.
        let command = try builder.commandBytes() + [0x80, 0x7D, 0x2A, 0x7A, 0x03, 1, 2, 3]
        let signature = try key.sign(command)
        func field(_ number: UInt8, _ bytes: [UInt8]) -> [UInt8] {
            let length = bytes.count < 128 ? [UInt8(bytes.count)] : [UInt8(bytes.count & 0x7F | 0x80), UInt8(bytes.count >> 7)]
            return [number << 3 | 2] + length + bytes
        }
        let signed = field(1, [0x08, 1] + field(2, command)) + [0x10, 0] + field(3, signature)
        let packet = field(2, signed)
        let package = try DFUPackage(bytes: DFUPackageWriter(image: application, initPacket: packet).archive())
        #expect(package.images[0].initPacket.bytes == packet)
        #expect(package.images[0].initPacket.signedBytes == command)
        #expect(package.images[0].initPacket.command.firmwareVersion == 7)
        try package.check(against: .monocle, trusting: [key.trusted(as: "k")])
    }

    @Test func aKeyIsTheSameInPEM() throws {
        let frame = try TrustedKey(name: "again", coordinates: TrustedKey.frameVendor.coordinates)
        #expect(try TrustedKey(name: "k", pem: Array(frame.pem().utf8)).coordinates == frame.coordinates)
    }
}
