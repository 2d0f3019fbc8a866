import Foundation
import TestSupport
import Testing
@testable import VirtualDevices

/// Nordic's own sender against the virtual bootloader: packages made by `nrfutil`, sent by the algorithm of its
/// `DfuTransportBle` (`Tests/Interop/nordic_sender.py`), in modelled time.
@Suite(.enabled(if: TestTools.mayRunNrfutil, "nrfutil is missing: run Tools/setup tests"))
struct NordicSenderTests {
    let tools: NordicTools
    /// Not a whole number of pages, but of words: nrfutil would pad it.
    let image = SeededNumbers.bytes(30_004, seed: 9)

    init() throws {
        tools = try NordicTools()
    }

    private func unit(trusting package: NordicPackage) -> SecureBootloader {
        let configuration = BootloaderConfiguration(
            trustedKeys: [VendorKeys.monocle, package.publicKey], applicationCapacity: 360_448)
        let storage = BootloaderStorage(application: [9, 9], applicationVersion: 3)
        return SecureBootloader(configuration: configuration, nonvolatile: storage, now: .zero)
    }

    @Test(arguments: [0, 1, 17]) func wholePackage(receiptInterval: Int) throws {
        let package = try NordicPackage(tools, image: image)
        defer { package.remove() }
        var host = NordicHost(unit(trusting: package))
        #expect(try host.run(tools, package, receiptInterval: receiptInterval) == "ok")
        host.settle()
        #expect(isSame(host.bootloader.storage.application, image))
        #expect(host.bootloader.storage.applicationVersion == 9)
        #expect(host.left == .startedApplication)
    }

    @Test func interruptedAndResumed() throws {
        let package = try NordicPackage(tools, image: image)
        defer { package.remove() }
        var host = NordicHost(unit(trusting: package))
        host.packetsUntilLoss = 60
        #expect(try host.run(tools, package) == "lost")
        #expect(host.bootloader.storage.applicationVersion == 3)
        host.settle()
        host.packetsUntilLoss = nil
        let sentBefore = host.packets
        #expect(try host.run(tools, package) == "ok")
        host.settle()
        #expect(isSame(host.bootloader.storage.application, image))
        let whole = (image.count + 243) / 244
        let resent = host.packets - sentBefore
        #expect(resent >= whole, "\(resent) packets of \(whole)")
    }

    @Test func powerCutAndRepeated() throws {
        let package = try NordicPackage(tools, image: image)
        defer { package.remove() }
        var host = NordicHost(unit(trusting: package))
        host.packetsUntilLoss = 60
        #expect(try host.run(tools, package) == "lost")
        host.packetsUntilLoss = nil
        host.bootloader = SecureBootloader(
            configuration: host.bootloader.configuration, nonvolatile: host.bootloader.storage, now: host.now)
        #expect(try host.run(tools, package) == "ok")
        host.settle()
        #expect(isSame(host.bootloader.storage.application, image))
    }

    @Test func refusals() throws {
        let package = try NordicPackage(tools, image: image)
        defer { package.remove() }
        let stranger = try NordicPackage(tools, image: image)
        defer { stranger.remove() }
        var host = NordicHost(unit(trusting: stranger))
        // The SDK has no extended error for a signature that does not verify: it answers 05, invalid object.
        #expect(try host.run(tools, package) == "error Response Code InvalidObject")

        let hardware = try NordicPackage(tools, image: image, hardwareVersion: 40)
        defer { hardware.remove() }
        host = NordicHost(unit(trusting: hardware))
        let refusal = try host.run(tools, hardware)
        #expect(refusal.hasPrefix("error Extended Error 0x06: The hardware version"), "\(refusal)")
        #expect(host.bootloader.storage.applicationIsValid)

        let old = try NordicPackage(tools, image: image, version: 2)
        defer { old.remove() }
        host = NordicHost(unit(trusting: old))
        #expect(try host.run(tools, old).hasPrefix("error Extended Error 0x05"))
    }
}
