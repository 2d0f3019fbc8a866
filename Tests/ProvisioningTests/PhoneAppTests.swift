import Bluetooth
import FPGA
import Foundation
import Provisioning
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
            let app = try await PhoneApp.connect(to: monocle, central)
            try await app.enterRawREPL()
            #expect(try await app.ask("import fpga;print(fpga.read(2,12));del(fpga)") == "OKb'v23.094.1109'\r\n\u{4}\u{4}>")
            try await app.command(
                "import ubinascii,update,device,bluetooth,fpga;fpga.run(False);update.Fpga.erase()", patience: .seconds(20))
            // 45 characters of command around each chunk, whole groups of base64.
            let size = (app.connection.payloadSize - 45) / 3 / 4 * 4 * 3
            let text = Array(Data(image).base64EncodedString().utf8)
            for start in stride(from: 0, to: text.count, by: size) {
                let chunk = String(decoding: text[start..<min(text.count, start + size)], as: UTF8.self)
                try await app.command("update.Fpga.write(ubinascii.a2b_base64(b'\(chunk)'))", patience: .seconds(2))
            }
            try await app.send("update.Fpga.write(b'done');device.reset()\u{4}")
            try await app.connection.waitUntilGone(deadline: central.clock.deadline(in: .seconds(15)))
            let again = try await PhoneApp.connect(to: monocle, central)
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
            let app = try await PhoneApp.connect(to: monocle, central)
            try await app.enterRawREPL()
            for file in scripts.installed {
                let content = String(decoding: file.bytes, as: UTF8.self)
                let newline = content.firstIndex(of: "\n") ?? content.endIndex
                // The version line keeps its newline as it is; the rest has it escaped.
                let (head, body) = file.name == "main.py"
                    ? (String(content[...newline]), String(content[content.index(after: newline)...])) : ("", content)
                let escaped = head + body.replacing("\n", with: "\\n")
                try await app.command("f=open('\(file.name)','w');f.write('''\(escaped)''');f.close()", patience: .seconds(5))
            }
            try await app.send("\u{4}")
            // Booting, the unit takes 0x03 for an ordinary byte.
            try await central.clock.sleep(until: central.clock.deadline(in: .seconds(2)))
            try await app.enterRawREPL()
            return try await app.ask("print(ARGPT_VERSION)")
        }
        #expect(version == "OK\(scripts.version)\r\n\u{4}\u{4}>")
        var assets = AssetSet()
        assets[.scripts] = scripts
        let report = try await bench.flash(assets)
        #expect(report.steps.first { $0.component == .scripts }?.action == .current, "\(report)")
    }
}

/// A client that does what the app does: writes text, waits for text.
private struct PhoneApp: Sendable {
    let connection: any Connection
    private let output: Inbox<[UInt8]>
    private let clock: SessionClock

    static func connect(to monocle: VirtualUnit, _ central: VirtualCentral) async throws -> PhoneApp {
        let clock = central.clock
        let connection = try await central.connect(to: monocle.address, deadline: clock.deadline(in: .seconds(20)))
        let output = try await connection.subscribe(
            to: AttributeID("6e400003-b5a3-f393-e0a9-e50e24dcca9e"), deadline: clock.deadline(in: .seconds(2)))
        try await clock.sleep(until: clock.deadline(in: .milliseconds(100)))
        return PhoneApp(connection: connection, output: output, clock: clock)
    }

    func enterRawREPL() async throws {
        try await send("\u{3}\u{3}\u{1}")
        _ = try await receive(until: "raw REPL; CTRL-B to exit\r\n>", patience: .seconds(5))
    }

    func command(_ code: String, patience: Duration) async throws {
        try await send(code + "\u{4}")
        let answer = try await receive(until: "\u{4}>", patience: patience)
        try #require(answer.hasSuffix("OK\u{4}\u{4}>") || answer.hasSuffix("OK\(code.count)\r\n\u{4}\u{4}>"), "\(answer)")
    }

    func ask(_ code: String) async throws -> String {
        try await send(code + "\u{4}")
        return try await receive(until: "\u{4}>", patience: .seconds(5))
    }

    func send(_ text: String) async throws {
        let channel = try await connection.openChannel(
            to: AttributeID("6e400002-b5a3-f393-e0a9-e50e24dcca9e"), deadline: clock.deadline(in: .seconds(1)))
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: connection.payloadSize) {
            let piece = Array(bytes[start..<min(bytes.count, start + connection.payloadSize)])
            try await channel.send(piece, deadline: clock.deadline(in: .seconds(5)))
        }
    }

    private func receive(until ending: String, patience: Duration) async throws -> String {
        var text = ""
        while !text.hasSuffix(ending) {
            guard let piece = try await output.next(before: clock.deadline(in: patience), on: clock) else { break }
            text += String(decoding: piece, as: UTF8.self)
        }
        return text
    }
}
