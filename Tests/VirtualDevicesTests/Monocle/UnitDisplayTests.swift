import Bluetooth
import Foundation
import TestSupport
import Testing
@testable import VirtualDevices

/// Text as the firmware's display module sends it (`modules/display.py`): what a program cannot show.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "the interpreter is missing: run Tools/setup tests"))
struct UnitDisplayTests {
    private static func show(_ rows: [String], on terminal: Terminal) async throws -> String {
        _ = try await terminal.run("from display import *\nrows=[]")
        for (index, row) in rows.enumerated() {
            let text = row.unicodeScalars.map { $0.isASCII ? String($0) : "\\u" + String(0x10000 + Int($0.value), radix: 16).suffix(4) }
                .joined()
            _ = try await terminal.run("rows.append(Text('\(text)',0,\(index * 50),WHITE))")
        }
        return try await terminal.run("show(rows)")
    }

    /// 5 bytes, and 5 a row, and a byte a glyph: eight full rows of ASCII fit, one letter more in UTF-8 does not.
    @Test func aPageHas255Bytes() async throws {
        try await withUnit { unit, central, folder in
            let terminal = try await Terminal.raw(unit, central)
            let full = [String](repeating: String(repeating: "m", count: 26), count: 8)
            let shown = try await Self.show(full, on: terminal)
            #expect(shown == "")
            let lines = VirtualDisplay.lines(of: folder.display)
            #expect(lines.count == 8 && lines.allSatisfy { $0.text.count == 26 && $0.color == 0xFFFFFF })
            let russian = [String](repeating: String(repeating: "ж", count: 26), count: 5)
            let answer = try await Self.show(russian, on: terminal)
            #expect(answer.contains("ValueError: input buffer size must be less than 255 bytes"))
        }
    }

    @Test func lettersOutsideASCIIShowWrongGlyphs() async throws {
        try await withUnit { unit, central, folder in
            let answer = try await Self.show(["né"], on: try await Terminal.raw(unit, central))
            #expect(answer == "")
            #expect(VirtualDisplay.lines(of: folder.display).first?.text == "n\u{FFFD}\u{FFFD}")
        }
    }

    @Test(arguments: [
        ("show(Text('a',0,0,WHITE),Text('b',0,48,WHITE))", "TextOverlapError"),
        ("show(Text('a',0,0,WHITE),Text('b',0,49,WHITE))", ""),
        ("show(Text('a',0,0,WHITE),Text('b',24,0,WHITE))", "TextOverlapError"),
        ("show([Text('a',40*(i%16),49*(i//16),i) for i in range(90)])", "ValueError"),
        ("Text('a',0,0,WHITE,justify=10)", "ValueError"),
    ])
    func rulesOfText(code: String, error: String) async throws {
        try await withUnit { unit, central, _ in
            let terminal = try await Terminal.raw(unit, central)
            _ = try await terminal.run("from display import *")
            let answer = try await terminal.run(code)
            #expect(error.isEmpty ? answer == "" : answer.contains(error), "\(answer)")
        }
    }

    @Test func textIsCutAtTheEdges() async throws {
        try await withUnit { unit, central, folder in
            let terminal = try await Terminal.raw(unit, central)
            _ = try await terminal.run("from display import *\nshow(Text('0123456789'*3,0,0,RED))")
            #expect(VirtualDisplay.lines(of: folder.display) == [.init(text: "01234567890123456789012345", color: 0xAD2323, x: 0, y: 0)])
        }
    }

    @Test func aStoppedFPGAShowsNothing() async throws {
        try await withUnit { unit, central, folder in
            let terminal = try await Terminal.raw(unit, central)
            #expect(VirtualDisplay.lines(of: folder.display).map(\.text) == ["MONOCLE"])
            _ = try await terminal.run("import fpga\nfpga.run(False)\nfrom display import *\nshow(Text('x',0,0,RED))")
            #expect(VirtualDisplay.lines(of: folder.display).map(\.text) == ["MONOCLE"])
        }
    }
}
