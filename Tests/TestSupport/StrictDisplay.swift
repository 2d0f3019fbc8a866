import Foundation

/// Programs for MicroPython outside any unit, and what becomes of them.
package enum StrictDisplay {
    /// A Monocle's `display` as far as texts go, as strict as firmware v23.248.0754: one write of at most 255 bytes (5, then 5 a
    /// text and its characters in UTF-8), at most 84 colours, no two boxes that touch, cut by characters at the right edge.
    /// Beyond it, `rows` holds what a person reads and `calls` counts.
    package static let module = """
        WIDTH, HEIGHT, FONT_WIDTH, FONT_HEIGHT = 640, 400, 24, 48
        TOP_LEFT, BOTTOM_CENTER = 1, 5
        RED, CYAN, YELLOW, WHITE = 0xAD2323, 0x29D0D0, 0xFFEE33, 0xFFFFFF
        rows = []
        calls = 0


        class TextOverlapError(Exception):
            pass


        class Text:
            def __init__(self, string, x, y, color, justify=TOP_LEFT):
                middle = justify == BOTTOM_CENTER
                self.string, self.color = string, color
                self.x = x - FONT_WIDTH * len(string) // 2 if middle else x
                self.y = y - FONT_HEIGHT if middle else y

            def touches(self, other):
                def apart(start, size, other_start, other_size):
                    return start > other_start + other_size or other_start > start + size

                return not (
                    apart(self.x, FONT_WIDTH * len(self.string), other.x, FONT_WIDTH * len(other.string))
                    or apart(self.y, FONT_HEIGHT, other.y, FONT_HEIGHT)
                )

            def visible(self):
                return self.string[: max(0, (WIDTH - self.x) // FONT_WIDTH)].encode()


        def show(*items):
            global rows, calls
            texts = []
            for item in items:
                texts.extend(item if isinstance(item, (list, tuple)) else [item])
            if 2 + 3 * len(set(text.color for text in texts)) > 255:
                raise ValueError("too many colours")
            for index, text in enumerate(texts):
                for other in texts[index + 1 :]:
                    if text.touches(other):
                        raise TextOverlapError(text.string)
            lines = [text.visible() for text in texts]
            if 5 + sum(5 + len(line) for line in lines if line) > 255:
                raise ValueError("too many bytes")
            for line in lines:
                for glyph in line:
                    if not 0x20 <= glyph <= 0x7E:
                        print("no glyph", glyph)
            rows = [str(line, "utf-8") for line in lines if line]
            calls += 1
        """

    /// A program in the manner of the vendor's: keeps all that it gets, of any packet from the fifth byte on, brings it word by
    /// word, 7 rows of 26 in sight and a prompt below, all in one call; and ends when a call fails. The packets are lines of
    /// standard input, in hex.
    package static let wholePageProgram = """
        import binascii
        import sys
        import display

        text = ""
        shown = 0
        for line in sys.stdin:
            text += binascii.unhexlify(line.strip())[4:].decode().replace("\\n", "  ")
            words = text.split(" ")
            while shown < len(words):
                shown += 1
                rows = [""]
                for word in words[:shown]:
                    if rows[-1] and len(rows[-1]) + 1 + len(word) <= 26:
                        rows[-1] += " " + word
                    elif rows[-1]:
                        rows.append(word)
                    else:
                        rows[-1] = word
                page = [display.Text(row, 0, 50 * index, display.WHITE) for index, row in enumerate(rows[-7:])]
                page.append(display.Text("Sending photo [=====]", 320, 400, display.YELLOW, display.BOTTOM_CENTER))
                display.show(page)
        print("calls", display.calls)
        print("\\n".join(display.rows))
        """

    /// What a program printed, errors included, and how it ended.
    package struct Outcome: Sendable {
        package var output: String
        package var status: Int32
    }

    /// Runs a program with the strict display to its end.
    /// - Parameters:
    ///   - modules: further modules by their names.
    ///   - input: the program's standard input.
    package static func run(_ program: String, modules: [String: String] = [:], input: String = "") throws -> Outcome {
        let folder = try makeUnitFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, text) in modules.merging(["display": module, "program": program], uniquingKeysWith: { first, _ in first }) {
            try Data(text.utf8).write(to: folder.appendingPathComponent("\(name).py"))
        }
        let inputFile = folder.appendingPathComponent("input")
        try Data(input.utf8).write(to: inputFile)
        let run = try runProgram(
            try TestTools.require(TestTools.micropython, "MicroPython"), ["program.py"],
            environment: ["MICROPYPATH": folder.path, "PATH": "/usr/bin:/bin"], folder: folder.path,
            input: .file(try FileHandle(forReadingFrom: inputFile)))
        return Outcome(output: run.output, status: run.status)
    }
}
