import Foundation
import Testing
@testable import VirtualDevices

struct VirtualDisplayTests {
    private func lines(of text: String) throws -> [VirtualDisplay.Line] {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("noafw-display-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(text.utf8).write(to: file)
        return VirtualDisplay.lines(of: file)
    }

    @Test func textIsReadFromTopToBottomAndFromLeftToRight() throws {
        let found = try lines(of: """
            [{"kind": "text", "text": "below", "x": 5, "y": 50, "color": 255},
             {"kind": "rectangle", "points": [1, 2, 3, 4], "color": 7, "thickness": 1},
             {"kind": "text", "text": "right", "x": 300, "y": 0, "color": 1},
             {"kind": "text", "text": " ", "x": 0, "y": 0, "color": 1},
             {"kind": "text", "text": "left", "x": 0, "y": 0, "color": 2}]
            """)
        #expect(found == [
            .init(text: "left right", color: 2, x: 0, y: 0), .init(text: "below", color: 255, x: 5, y: 50),
        ])
    }

    @Test func whatATerminalCouldObeyIsReplaced() throws {
        let found = try lines(of: #"[{"kind": "text", "text": "a\u001b[2J\u0007\u202eb", "x": 0, "y": 0, "color": 0}]"#)
        #expect(found.map(\.text) == ["a\u{FFFD}[2J\u{FFFD}\u{FFFD}b"])
    }

    @Test func whatIsNoDisplayIsEmpty() throws {
        for text in ["", "[", "{}", "[1]", #"[{"text": 1}]"#, "[\(String(repeating: "[", count: 100_000))"] {
            #expect(try lines(of: text).isEmpty)
        }
        #expect(VirtualDisplay.lines(of: URL(fileURLWithPath: "/nonexistent/display.json")).isEmpty)
        let item = #"{"kind": "text", "text": "x", "x": 0, "y": 0, "color": 0}"#
        #expect(try lines(of: "[" + String(repeating: item + ",", count: 30_000) + item + "]").isEmpty)
        let long = #"[{"kind": "text", "text": ""# + String(repeating: "x", count: 5000) + #"", "x": 0, "y": 0}]"#
        #expect(try lines(of: long).first?.text.count == 256)
    }

    private func picture(of text: String) throws -> VirtualDisplay.Picture {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("noafw-display-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(text.utf8).write(to: file)
        return VirtualDisplay.picture(of: file)
    }

    private func color(_ picture: VirtualDisplay.Picture, _ x: Int, _ y: Int) -> Int {
        picture.pixels[(y * 640 + x) * 3..<(y * 640 + x) * 3 + 3].reduce(0) { $0 << 8 | Int($1) }
    }

    /// The pixels of a bitmap flow from row to row; 0 is the first colour whatever the offset (sprite_engine.sv).
    @Test func bitmapsAndShapesArePainted() throws {
        let palette = "[\((0..<16).map { "\($0 * 0x010101)" }.joined(separator: ","))]"
        let data = Data([0x12, 0x03, 0xF4]).base64EncodedString()
        let shown = try picture(of: """
            [{"kind": "rectangle", "points": [0, 0, 639, 399], "color": 255},
             {"kind": "line", "points": [10, 300, 20, 300], "color": 65280, "thickness": 1},
             {"kind": "polygon", "points": [100, 100, 120, 100, 120, 120, 100, 120], "color": 16711680},
             {"kind": "bitmap", "x": 11, "y": 21, "width": 3, "colors": 16, "offset": 2, "palette": \(palette), "data": "\(data)"}]
            """)
        #expect((0..<2).map { y in (0..<3).map { color(shown, 10 + $0, 20 + y) } }
            == [[3, 4, 0].map { $0 * 0x010101 }, [5, 1, 6].map { $0 * 0x010101 }])
        #expect(color(shown, 15, 300) == 0x00FF00 && color(shown, 110, 110) == 0xFF0000 && color(shown, 639, 399) == 0x0000FF)
    }

    @Test func whatADisplayCannotShowIsCut() throws {
        let palette = "[\((0..<16).map(String.init).joined(separator: ","))]"
        let data = Data(repeating: 255, count: 90_000).base64EncodedString()
        let most = "\(Int.max)", least = "\(Int.min)"
        let items = ["line", "polyline", "polygon", "rectangle"].map {
            #"{"kind": "\#($0)", "points": [\#(least), \#(most), \#(most), \#(least), 5, 5], "color": \#(most), "thickness": \#(most)}"#
        } + [
            #"{"kind": "text", "text": "a\u00e9\u4e2d", "x": \#(most), "y": \#(least), "places": [\#(least), \#(most), 1]}"#,
            #"{"kind": "bitmap", "x": \#(least), "y": 1, "width": \#(most), "colors": 3, "offset": -1, "palette": [], "data": "AAAA"}"#,
            #"{"kind": "bitmap", "x": 640, "y": 400, "width": 640, "colors": 2, "offset": \#(least), "#
                + #""palette": \#(palette), "data": "\#(data)"}"#,
        ]
        #expect(try picture(of: "[\(items.joined(separator: ","))]").pixels.count == 768_000)
        #expect(try picture(of: "no display").pixels.allSatisfy { $0 == 0 })
    }
}
