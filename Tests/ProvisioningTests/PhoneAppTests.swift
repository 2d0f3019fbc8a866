import Bluetooth
import FPGA
import Foundation
import Provisioning
import ReferenceClients
import ScriptBundle
import Support
import TestSupport
import Testing
import VirtualDevices

/// The phone app's own sequence, as a client that shares no code with ours: the virtual unit has to play both parts.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"), .serialized)
struct PhoneAppTests {
    @Test func fpgaUpdateAsTheAppDoesItGivesTheSameFlash() async throws {
        let bench = Bench()
        defer { bench.remove() }
        let image = Bench.bitstream()
        try await bench.play { central, monocle in
            let app = try await PhoneApp.connect(to: monocle.address, central)
            try await app.enterRawREPL()
            #expect(try await app.ask("import fpga;print(fpga.read(2,12));del(fpga)") == "OKb'v23.094.1109'\r\n\u{4}\u{4}>")
            #expect(try await app.eraseFPGA().hasSuffix("OK\u{4}\u{4}>"))
            #expect(try await app.writeFPGA(image, patience: .seconds(2)) == 0)
            try await app.prompt.send("update.Fpga.write(b'done');device.reset()\u{4}")
            try await app.prompt.connection.waitUntilGone(deadline: central.clock.deadline(in: .seconds(15)))
            let again = try await PhoneApp.connect(to: monocle.address, central)
            try await again.enterRawREPL()
            let version = try await again.ask("import fpga;print(fpga.read(2,12));del(fpga)")
            #expect(version == "OKb'\(Bench.fpgaVersion)'\r\n\u{4}\u{4}>")
        }
        let flash = [UInt8](try Data(contentsOf: bench.root.appendingPathComponent("fpga-flash.bin")))
        #expect(Array(flash[..<image.count]) == image)
        // And our own run agrees that nothing is left to do.
        var options = JobOptions()
        options.components = [.fpga]
        let report = try await bench.flash(try Bench.assets(), options: options)
        #expect(report.steps.first { $0.component == .fpga }?.action == .current, "\(report)")
    }

    @Test func scriptsFromTheAppAreCurrentForUsAndOursForTheApp() async throws {
        let bench = Bench()
        defer { bench.remove() }
        let scripts = try ScriptSet(files: [
            .init(name: "states.py", bytes: Array("IDLE = 1\n".utf8)),
            .init(name: "main.py", bytes: Array("import states\nimport time\nwhile True:\n    time.sleep(1)\n".utf8)),
        ])
        let version = try await bench.play { central, monocle in
            let app = try await PhoneApp.connect(to: monocle.address, central)
            try await app.enterRawREPL()
            for file in scripts.installed {
                let content = String(decoding: file.bytes, as: UTF8.self)
                let newline = content.firstIndex(of: "\n") ?? content.endIndex
                // The version line keeps its newline as it is; the rest has it escaped.
                let (head, body) = file.name == "main.py"
                    ? (String(content[...newline]), String(content[content.index(after: newline)...])) : ("", content)
                let escaped = head + body.replacing("\n", with: "\\n")
                #expect(try await app.put(escaped, as: file.name) == "OK\u{4}\u{4}>")
            }
            try await app.prompt.send("\u{4}")
            // Booting, the unit takes 0x03 for an ordinary byte.
            try await central.clock.sleep(until: central.clock.deadline(in: .seconds(2)))
            try await app.enterRawREPL()
            return try await app.ask("print(ARGPT_VERSION)")
        }
        #expect(version.hasSuffix("OK\(scripts.version)\r\n\u{4}\u{4}>"))
        var assets = AssetSet()
        assets[.scripts] = scripts
        let report = try await bench.flash(assets)
        #expect(report.steps.first { $0.component == .scripts }?.action == .current, "\(report)")
    }
}
