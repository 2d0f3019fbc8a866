import Assistant
import Foundation
import Glibc
import TestSupport
import Testing
import VirtualDevices
@testable import noafw

/// The built tool looks at virtual units: their displays, their cameras, what their programs print.
@Suite(
    .enabled(if: TestTools.mayRunMicroPython && TestTools.mayRunFrameLua, "the interpreters are missing: run Tools/setup tests"),
    .serialized)
struct LookToolTests {
    private static func start(_ kind: OwnerToolTests.Kind, _ main: String, _ bench: ToolBench) throws {
        #expect(try bench.run(["fs", "ls"] + kind.unit).status == 0)
        try Data(main.utf8).write(to: kind.files(bench).appendingPathComponent("main.\(kind.suffix)"))
    }

    /// Text is where the program puts it, in its colour; a bitmap's pixels are in theirs.
    @Test(arguments: OwnerToolTests.Kind.allCases) func theDisplayIsAPicture(kind: OwnerToolTests.Kind) throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        let main = kind == .monocle
            ? "from display import *\nshow(Text('Hello', 100, 60, 0x00FF00), Rectangle(300, 200, 309, 209, 0x0000FF))\n"
            : "frame.display.text('Hello', 101, 61, {color='RED'})\n"
                + "frame.display.bitmap(301, 201, 8, 2, 2, string.rep('\\xFF', 8))\nframe.display.show()\n"
                + "while true do frame.sleep(1) end\n"
        try Self.start(kind, main, bench)
        let file = bench.state.appendingPathComponent("screen.png")
        let screen = try bench.run(["screen", "-o", file.path, "--json"] + kind.unit)
        #expect(screen.status == 0, "\(screen.errors)")
        let document = try ToolBench.json(screen.output)
        let lines = try #require(document["lines"] as? [[String: Any]])
        #expect(lines.first?["text"] as? String == "Hello")
        #expect(lines.first?["color"] as? String == (kind == .monocle ? "#00FF00" : "#BE2633"))
        let picture = try PictureFile.read(Array(Data(contentsOf: file)))
        #expect(picture.width == 640 && picture.height == 400)
        let (text, shape) = kind == .monocle ? ([0, 255, 0], [0, 0, 255]) : ([0xBE, 0x26, 0x33], [0xBE, 0x26, 0x33])
        func count(_ color: [UInt8], _ columns: Range<Int>, _ rows: Range<Int>) -> Int {
            rows.reduce(0) { sum, y in
                sum + columns.count { x in Array(picture.pixels[(y * 640 + x) * 3..<(y * 640 + x) * 3 + 3]) == color }
            }
        }
        #expect(count(text.map(UInt8.init), 100..<230, 60..<108) > 500)
        #expect(count(shape.map(UInt8.init), 300..<308, 200..<208) == 64)
        #expect(count([0, 0, 0], 0..<640, 300..<400) == 64_000)
        #expect(try bench.run(["screen"] + kind.unit).output == "Hello\n")
    }

    @Test func aRealDisplayCannotBeRead() throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        let refused = try bench.run(["screen", "--device", "C6:05:04:03:02:01"])
        #expect(refused.status == 64 && refused.errors.contains("NOA-0128") && refused.errors.contains("noafw watch"), "\(refused.errors)")
    }

    /// The file is what the camera saw, byte by byte, and the program goes on.
    @Test(arguments: OwnerToolTests.Kind.allCases) func aPhotoIsTheCamerasOwn(kind: OwnerToolTests.Kind) throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        try Self.start(kind, kind == .monocle ? "print('up')\n" : "print('up')\nwhile true do frame.sleep(1) end\n", bench)
        let photo = bench.state.appendingPathComponent("photo.jpg")
        let card = try bench.run(["photo", "-o", photo.path] + kind.unit)
        #expect(card.status == 0 && card.output.contains("JPEG"), "\(card)")
        let scene = kind.files(bench).deletingLastPathComponent().appendingPathComponent("camera.jpg")
        var numbers = SeededNumbers(seed: 7)
        let inner = (0..<30_000).map { _ in UInt8.random(in: 0...255, using: &numbers) }
        let bytes: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0] + inner + [0xFF, 0xD9]
        try Data(bytes).write(to: scene)
        let taken = try bench.run(["photo", "-o", photo.path, "--json"] + kind.unit)
        #expect(taken.status == 0, "\(taken.errors)")
        #expect(try Array(Data(contentsOf: photo)) == bytes)
        #expect(try ToolBench.json(taken.output)["bytes"] as? Int == bytes.count)
        // What is no whole JPEG is none, and the file stays.
        try Data(bytes.dropFirst(1)).write(to: scene)
        let broken = try bench.run(["photo", "-o", photo.path] + kind.unit)
        #expect(broken.status == 1 && broken.errors.contains("PRV-0061"), "\(broken.errors)")
        try Data().write(to: scene)
        let none = try bench.run(["photo", "-o", photo.path] + kind.unit)
        #expect(none.status == 1 && none.errors.contains("PRV-0060"), "\(none.errors)")
        #expect(try Array(Data(contentsOf: photo)) == bytes)
        #expect(try bench.run(["photo"] + kind.unit).status == 64)
        #expect(try bench.run(["photo", "-o", photo.path, "--size", "101"] + kind.unit).status == 64)
        let settings = try bench.run(["photo", "-o", photo.path, "--quality", "low", "--size", "100"] + kind.unit)
        #expect(settings.errors.contains(kind == .monocle ? "takes no settings" : "PRV-0060"), "\(settings.errors)")
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/djpeg"), "djpeg is missing: run Tools/setup tests"))
    func aPhotoIsDecodedWhereAPNGIsWanted() throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        let photo = bench.state.appendingPathComponent("photo.png")
        let taken = try bench.run(["photo", "-o", photo.path] + OwnerToolTests.Kind.frame.unit)
        #expect(taken.status == 0, "\(taken.errors)")
        let picture = try PictureFile.read(Array(Data(contentsOf: photo)))
        #expect(picture.width == 64 && picture.height == 64)
    }

    @Test(arguments: OwnerToolTests.Kind.allCases) func whatAUnitSaysIsFollowed(kind: OwnerToolTests.Kind) throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        let main = kind == .monocle
            ? "import time\nfor i in range(3):\n    print('tick', i, '\\x1b[2J')\n    time.sleep(0.2)\nraise ValueError('boom')\n"
            : "for i=0,2 do print('tick '..i..' \\27[2J') frame.sleep(.2) end error('boom')\n"
        try Self.start(kind, main, bench)
        let lines = try bench.run(["watch", "--for", "6s", "--json"] + kind.unit)
        #expect(lines.status == 0, "\(lines.errors)")
        let documents = try lines.output.split(separator: "\n").map { try ToolBench.json(String($0)) }
        let unit = try #require(documents.first?["unit"] as? [String: Any])
        #expect((unit["facts"] as? [String: Int])?["battery_percent"] != nil && unit["family"] as? String == kind.rawValue)
        #expect(documents.contains { ($0["text"] as? String)?.hasPrefix("tick 0") == true }, "\(lines.output)")
        #expect(documents.contains { $0["event"] as? String == "error" && ($0["text"] as? String)?.contains("boom") == true })
        #expect(documents.last?["event"] as? String == "ended")
        let plain = try bench.run(["watch", "--for", "6s"] + kind.unit)
        #expect(plain.output.contains("battery") && plain.output.contains("tick 0") && !plain.output.contains("\u{1B}"), "\(plain.output)")
        let page = try TerminalTool(
            ["watch", "--virtual", kind.rawValue, "--virtual-speed", "4"], environment: bench.environment())
        try page.waitFor("battery")
        try page.waitFor("boom")
        page.signal(SIGINT)
        #expect(page.wait().status == 0)
        #expect(!page.screen.contains("\u{1B}[2J") && !page.screen.contains("\u{1B}[?1049h"))
    }

    @Test func onTerminalsThatShowPicturesTheScreenIsOne() throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        let environment = bench.environment(["KITTY_WINDOW_ID": "1"])
        let tool = try TerminalTool(["screen", "--virtual", "frame", "--virtual-speed", "max"], environment: environment)
        try tool.waitFor("\u{1B}_Ga=T,f=100,q=2,m=0;iVBORw0KGgo")
        try tool.waitFor("\u{1B}\\")
        #expect(tool.wait().status == 0)
    }
}
