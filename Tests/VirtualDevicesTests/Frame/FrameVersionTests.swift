import Bluetooth
import Foundation
import Support
import TestSupport
import Testing
@testable import VirtualDevices

/// Each tag of the firmware has what its sources have, and no other firmware is played.
@Suite(.enabled(if: TestTools.mayRunFrameLua, "frame-lua is missing: run Tools/setup tests"))
struct FrameVersionTests {
    /// What the libraries of v24.149.1416 set (`lua_libraries`, each `lua_setfield`).
    private static let earliest = [
        "": "FIRMWARE_VERSION GIT_TAG battery_level bluetooth camera display file fpga imu microphone sleep stay_awake time update",
        "bluetooth": "address is_connected max_length receive_callback send",
        "camera": "auto capture read set_gain set_register set_shutter set_white_balance sleep wake",
        "display": "assign_color assign_color_ycbcr bitmap set_brightness set_register show text",
        "file": "listdir mkdir open remove rename", "fpga": "read write", "imu": "direction raw tap_callback",
        "microphone": "read record stop", "time": "date utc zone",
    ]
    /// What each later tag sets and no longer sets.
    private static let changes: [(tag: String, library: String, added: String, removed: String)] = [
        ("v24.155.0847", "microphone", "start", "record"), ("v24.198.1118", "camera", "read_raw", ""),
        ("v24.248.0928", "camera", "image_ready", ""), ("v24.255.0646", "camera", "get_register", ""),
        ("v24.276.1359", "camera", "power_save read_register write_register", "get_register set_register sleep wake"),
        ("v24.276.1359", "display", "power_save write_register", "set_register"), ("v24.276.1359", "fpga", "", "read write"),
        ("v24.276.1359", "", "fpga_read fpga_write", "fpga"), ("v25.008.1013", "", "HARDWARE_VERSION led", ""),
        ("v25.008.1013", "led", "set_color", ""), ("v25.031.0924", "", "compression", ""),
        ("v25.031.0924", "compression", "decompress process_function", ""),
    ]

    private static func surface(of firmware: FrameFirmware) -> [String: String] {
        var names = earliest.mapValues { Set($0.split(separator: " ").map(String.init)) }
        for change in changes where change.tag <= firmware.version {
            names[change.library, default: []].formUnion(change.added.split(separator: " ").map(String.init))
            names[change.library, default: []].subtract(change.removed.split(separator: " ").map(String.init))
        }
        return names.mapValues { $0.sorted().joined(separator: " ") }.merging(["led": "", "compression": ""]) { old, _ in old }
    }

    @Test(arguments: FrameFirmware.played) func aTagHasTheNamesOfItsSources(firmware: FrameFirmware) async throws {
        try await FrameBench.run(firmware) { bench in
            let link = try await bench.link()
            for (library, names) in Self.surface(of: firmware) {
                let table = library.isEmpty ? "frame" : "frame.\(library)"
                try await link.write("k={}for n in pairs(\(table) or{})do k[#k+1]=n end table.sort(k)print('='..table.concat(k,' '))")
                #expect(try await link.text() == "=" + names, "\(library)")
            }
        }
    }

    /// A call, and what it comes to from each of these tags on; the first is that of v24.149.
    private static let calls: [(call: String, answers: [(since: String, text: String)])] = [
        ("c.capture", [("", "ok"), ("v24.179", "attempt to index a nil value")]),
        ("c.capture,{quality_factor=7}", [
            ("", "ok"), ("v24.179", "quality_factor must be either 100, 50, 25 or 10"), ("v25.008", "ok"),
        ]),
        ("c.capture,{quality='X'}", [("", "ok"), ("v25.008", "quality must be either VERY_HIGH, HIGH, MEDIUM, LOW or VERY_LOW")]),
        ("d.assign_color,3,1,2,3", [("", "ok"), ("v24.200", "Invalid color name")]),
        ("d.assign_color,17,1,2,3", [("", "pallet_index must be between 1 and 16"), ("v24.200", "Invalid color name")]),
        ("d.assign_color,'RED',1,2,3", [("", "bad argument #1 to '?' (number expected, got string)"), ("v24.200", "ok")]),
        ("d.assign_color_ycbcr,1,255,8,8", [("", "ok"), ("v24.200", "Invalid color name")]),
        ("d.assign_color_ycbcr,1,256,8,8", [("", "Y component must be between 0 and 255"), ("v24.200", "Invalid color name")]),
        ("d.text,'a',1,1,{color='X'}", [("", "ok"), ("v24.200", "Invalid color name")]),
        ("error,b.address():match('%l')and'lower'", [("", "lower"), ("v24.220", "ok")]),
        ("f.write,f,'a\\0b'", [("", "error writing to file"), ("v24.255", "ok")]),
        ("c.auto,{exposure=-1}", [("", "ok"), ("v24.255", "exposure must be between 0 and 1")]),
        ("c.auto,{exposure=2.1}", [("", "exposure must be between -2 and 2"), ("v24.255", "exposure must be between 0 and 1")]),
        ("c.auto,{gain_kp=-1}", [("", "gain_kp must be greater than 0"), ("v24.255", "ok")]),
        ("c.auto,{exposure_speed=2}", [("", "ok"), ("v24.255", "exposure_speed must be between 0 and 1")]),
        ("c.auto,{gain_limit=249}", [("", "gain_limit must be between 0 and 248"), ("v24.276", "ok")]),
        ("c.auto,{analog_gain_limit=.5}", [
                ("", "ok"), ("v24.310", "analog_gain_limit must be between 0 and 248"),
                ("v25.008", "analog_gain_limit must be between 1 and 248")
        ]),
        ("c.auto,{white_balance_speed=2}", [("", "ok"), ("v24.276", "white_balance_speed must be between 0 and 1")]),
        ("c.auto,{rgb_gain_limit=2000}", [("", "ok"), ("v25.080", "rgb_gain_limit must be between 0 and 1023")]),
        ("error,c.auto{}.gain and'gain'or'analog_gain'", [("", "gain"), ("v24.276", "analog_gain")]),
        ("c.set_gain,0", [("", "ok"), ("v25.031", "gain must be between 1 and 248")]),
        ("c.set_gain,249", [("", "gain must be between 0 and 248"), ("v25.031", "gain must be between 1 and 248")]),
        ("m.read,2", [("", "bytes must be a multiple of 4"), ("v24.155", "ok")]),
        ("m.read,516", [("", "too many bytes requested"), ("v24.155", "ok")]),
        ("error,''..b.max_length()", [("", "243"), ("v24.241", "181"), ("v24.248", "243")]),
    ]

    @Test(arguments: FrameFirmware.played) func aTagTakesWhatItsSourcesTake(firmware: FrameFirmware) async throws {
        try await FrameBench.run(firmware) { bench in
            let link = try await bench.link()
            try await link.write("b,c,d,m=frame.bluetooth,frame.camera,frame.display,frame.microphone f=frame.file.open('n','w')")
            for (call, answers) in Self.calls {
                let expected = answers.last { $0.since <= firmware.version }?.text
                #expect(try await link.run("local _,t=pcall(\(call))print(type(t)=='string'and t or'ok')") == expected, "\(call)")
            }
        }
    }

    @Test(arguments: FrameFirmware.played) func aTagShowsItsOwnScreen(firmware: FrameFirmware) async throws {
        for isBonded in [false, true] {
            try await FrameBench.run(firmware, files: isBonded ? [:] : nil) { bench in
                try await bench.wait(.seconds(3))
                let name = "Frame \(bench.unit.address.description.prefix(2))"
                let isKnown = isBonded && firmware.version >= "v24.241"
                let lines = firmware.version < "v24.220" ? ["FRAME"] : [isKnown ? "Frame is Paired" : "Ready to Pair", name]
                let shown = VirtualDisplay.lines(of: bench.folder.display)
                #expect(shown.map(\.text) == lines)
                let isOrange = isKnown || firmware.version < "v24.241"
                if lines.count == 2 { #expect(shown.last?.color == (isOrange ? 0xEB8931 : 0x44891A)) }
            }
        }
    }

    /// Files without a bond, as a bootloader may leave them.
    @Test(arguments: FrameFirmware.played) func onlyLaterFirmwareFormatsWithoutABond(firmware: FrameFirmware) async throws {
        let question = "print((pcall(frame.file.open,'kept')))"
        try await FrameBench.run(firmware, files: ["kept": "1"], prepare: { try $0.save(FrameBond()) }) { bench in
            let link = try await bench.link()
            #expect(try await link.run(question) == "\(firmware.version < "v25.008")")
        }
        // The cradle's button does with all.
        try await FrameBench.run(firmware, files: ["kept": "1"]) { bench in
            try await bench.wait(.seconds(3))
            bench.unit.stimulate(.unpair)
            try await bench.wait(.seconds(5))
            let link = try await bench.link()
            #expect(try await link.run(question) == "false")
        }
    }

    @Test(arguments: FrameFirmware.played) func earlyFirmwareHasNoWatchdog(firmware: FrameFirmware) async throws {
        try await FrameBench.run(firmware) { bench in
            let link = try await bench.link()
            try await link.write("frame.bluetooth.receive_callback(function()while true do end end)")
            try await link.sleep(.milliseconds(200))
            try await link.write([1])
            try await link.sleep(.seconds(12))
            let answer = try? await link.run("print(1)")
            #expect(answer == nil)
            #expect((link.connection.link.end != nil) == (firmware.version >= "v24.227"))
        }
    }

    // MARK: - The microphone before `start`

    @Test(arguments: [
        ("m.record,{sample_rate=6000}", "invalid sample rate"), ("m.record,{bit_depth=12}", "invalid bit depth"),
        ("m.record,{seconds=0}", "seconds must be greater than 0"), ("m.record,{sample_rate=20000}", "ok"),
        ("m.record,{sample_rate=5000,bit_depth=4,seconds=.5}", "ok"),
    ]) func earlyFirmwareRecordsAtOtherRates(call: String, answer: String) async throws {
        try await FrameBench.run(.v24_149) { bench in
            let link = try await bench.link()
            #expect(try await link.run("m=frame.microphone local _,t=pcall(\(call))print(t or'ok')") == answer)
        }
    }

    @Test func earlyFirmwareRecordsUntilItIsStoppedOrFull() async throws {
        try await FrameBench.run(.v24_149) { bench in
            let link = try await bench.link()
            let loop =
                "m=frame.microphone m.record{}n=0 for i=1,400 do frame.sleep(.05)s=m.read(512)n=n+(s and #s or 0)end m.stop()print(n)"
            let count = Int(try await link.run(loop, within: .seconds(60)) ?? "") ?? 0
            #expect((159_000...164_000).contains(count), "\(count)")
            let full = "m.record{}frame.sleep(30)n=0 repeat s=m.read(512)n=n+(s and #s or 0)until not s print(n)"
            #expect(try await link.run(full, within: .seconds(60)) == "39950")
        }
    }

    // MARK: - What is not played

    @Test(arguments: ["v24.128.0700", "v25.100.0000", "v23.001.0000"]) func anotherVersionIsRefusedInWords(version: String) async throws {
        let error = await #expect(throws: UnitFolderError.self) {
            try await FrameBench.run(FrameFirmware(version: version)) { try await $0.wait(.seconds(10)) }
        }
        let diagnosis = try #require(error).diagnosis
        #expect(diagnosis.code == "VIR-0006")
        #expect(diagnosis.message.contains(version) && FrameFirmware.played.allSatisfy { diagnosis.message.contains($0.version) })
    }

    /// A development image, or a build of one's own.
    @Test func aLaterVersionIsPlayedAsTheLast() async throws {
        try await FrameBench.run(FrameFirmware(version: "v26.326.0900")) { bench in
            let link = try await bench.link()
            #expect(try await link.run("print(frame.HARDWARE_VERSION..type(frame.compression))") == "Frametable")
        }
    }

    @Test func theBitsOfTheInterpreterAreTheTables() throws {
        let header = try String(
            contentsOf: TestTools.root.appendingPathComponent("Sources/VirtualDevices/Frame/Port/unit.h"), encoding: .utf8)
        for feature in FrameFeature.allCases {
            #expect(FrameFirmware.played.contains { $0.version.hasPrefix(feature.since + ".") })
            let name = "UNIT_" + "\(feature)".map { $0.isUppercase ? "_\($0)" : $0.uppercased() }.joined()
            #expect(header.contains("\(name) = \(1 << feature.rawValue),"), "\(name)")
        }
    }

    /// An update changes what the unit has.
    @Test func theSurfaceFollowsTheImage() async throws {
        try await FrameBench.run(.v24_248) { bench in
            let link = try await bench.link()
            #expect(try await link.run("print(type(frame.camera.wake)..type(frame.led))") == "functionnil")
            try bench.folder.save(BootloaderStorage(application: FrameFirmware.v25_080.image(), applicationStart: 0x27000))
            bench.unit.stimulate(.cut(.power))
            try await bench.wait(.seconds(20))
            let updated = try await bench.link()
            #expect(try await updated.run("print(type(frame.camera.wake)..type(frame.led))") == "niltable")
        }
    }
}
