import Bluetooth
import Cryptography
import Foundation
import Support
import TestSupport
import Testing
@testable import VirtualDevices

/// Cradle, sleep, the way to the bootloader and back, and what an image leaves of the flash.
@Suite(.enabled(if: TestTools.mayRunFrameLua, "frame-lua is missing: run Tools/setup tests"))
struct FramePowerTests {
    @Test func layingItInTheCradleSwitchesItOff() async throws {
        try await FrameBench.run { bench in
            let link = try await bench.link()
            bench.unit.stimulate(.dock)
            try await link.connection.waitUntilGone(deadline: bench.clock.deadline(in: .seconds(4)))
            #expect(try await bench.sighting() == nil)
            // A tap wakes it, but it charges and goes back to sleep.
            bench.unit.stimulate(.tap(.A))
            #expect(try await bench.sighting() == nil)
            bench.unit.stimulate(.undock)
            #expect(try await bench.link().run("print(1)") == "1")
        }
    }

    @Test func aUnitThatStaysAwakeIsGoneAfterARebootInTheCradle() async throws {
        try await FrameBench.run { bench in
            let link = try await bench.link()
            #expect(try await link.run("frame.stay_awake(true)print(frame.stay_awake())") == "true")
            bench.unit.stimulate(.dock)
            try await link.sleep(.seconds(5))
            #expect(try await link.run("print(1)") == "1")
            try await link.write("frame.update()")
            try await link.connection.waitUntilGone(deadline: bench.clock.deadline(in: .seconds(5)))
            let shown = try #require(try await bench.sighting())
            #expect(shown.name == "Frame Update")
            // The bootloader gives up, the application starts in the cradle, and sleeps before its radio is on.
            try await bench.wait(.seconds(190))
            #expect(try await bench.sighting() == nil)
        }
    }

    @Test func stayingAwakeEndsWithEachStartOfLua() async throws {
        try await FrameBench.run(files: ["main.lua": ""]) { bench in
            let link = try await bench.link()
            try await link.write("frame.stay_awake(true)")
            try await link.write([4])
            try await link.sleep(.milliseconds(200))
            #expect(try await link.run("print(frame.stay_awake())") == "false")
        }
    }

    @Test func sleepingEndsWithATap() async throws {
        try await FrameBench.run { bench in
            let link = try await bench.link()
            try await link.write("x=1 frame.sleep()")
            try await link.connection.waitUntilGone(deadline: bench.clock.deadline(in: .seconds(4)))
            #expect(try await bench.sighting() == nil)
            bench.unit.stimulate(.tap(.A))
            #expect(try await bench.link().run("print(x)") == "nil")
        }
    }

    @Test func theBootloaderIsAtTheNextAddressForThreeMinutes() async throws {
        try await FrameBench.run { bench in
            let link = try await bench.link()
            try await link.write("frame.update()")
            try await link.connection.waitUntilGone(deadline: bench.clock.deadline(in: .seconds(5)))
            let shown = try #require(try await bench.sighting())
            #expect(shown.name == "Frame Update" && shown.services == [AttributeID("fe59")])
            #expect(shown.address.octets[..<5] == bench.unit.address.octets[..<5])
            #expect(shown.address.octets[5] == bench.unit.address.octets[5] &+ 1)
            try await bench.wait(.seconds(185))
            #expect(try await bench.link().run("print(frame.FIRMWARE_VERSION)") == "v25.080.0838")
        }
    }

    @Test func anImageOfTheSamePagesKeepsTheFilesAndAnotherOneDoesNot() async throws {
        for (firmware, keeps) in [(FrameFirmware.v25_080, true), (.v24_248, false)] {
            try await FrameBench.run(files: ["f": "1"], prepare: { folder in
                var image = firmware.image()
                image[0] ^= 1
                try folder.save(BootloaderStorage(application: image, applicationStart: 0x27000))
            }) { bench in
                let link = try await bench.link()
                #expect(try await link.run("print(frame.FIRMWARE_VERSION)") == firmware.version)
                #expect(try await link.run("print((pcall(frame.file.open,'f')))") == (keeps ? "true" : "false"))
            }
        }
    }

    /// An image that fits behind the old one is kept there first: over the file system, and the bond where it reaches.
    @Test func whatTheBootloaderKeptBehindTheApplicationCostsTheFiles() async throws {
        for (count, keepsBond) in [(20_000, true), (290_000, false)] {
            try await FrameBench.run(files: ["f": "1"], prepare: { folder in
                var storage = try folder.loadBootloader()
                let start = (storage.application.count + 4095) / 4096 * 4096
                storage.write(ApplicationImage.noise(count: count, seed: 1)[...], at: start)
                try folder.save(storage)
            }) { bench in
                let key = try bench.folder.loadBond().key
                let link = try await bench.link()
                #expect(try await link.run("print((pcall(frame.file.open,'f')))") == "false")
                #expect(try (bench.folder.loadBond().key == key) == keepsBond)
                #expect(try bench.folder.loadBond().exists)
            }
        }
    }

    @Test func theBootloaderIsFramesOwn() {
        let profile = BootloaderProfile.frame(trusting: [])
        #expect(profile.configuration.hardwareVersion == 52)
        #expect(profile.configuration.softDeviceID == 0x0123)
        #expect(profile.configuration.applicationStart == 0x27000)
        #expect(profile.configuration.applicationCapacity == 843_776)
        #expect(profile.configuration.inactivityTimeout == .seconds(180))
        #expect(P256.PublicKey(point: VendorKeys.frame) != nil)
        #expect(P256.PublicKey(point: VendorKeys.frame.reversed()) == nil)
    }
}
