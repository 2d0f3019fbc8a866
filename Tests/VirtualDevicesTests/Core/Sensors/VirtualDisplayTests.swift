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
}
