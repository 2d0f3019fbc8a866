import Testing

@testable import noafw

@Suite struct TextTests {
    @Test(arguments: [
        ("monocle", "monocle"),
        ("Brille é 眼鏡", "Brille é 眼鏡"),
        ("a\u{1B}[2J\u{7}\r\nb", "a\\u{1b}[2J\\u{7}\\u{d}\\u{a}b"),
        ("\u{9B}31m", "\\u{9b}31m"),
        ("x\u{202E}y\u{2066}z\u{200B}", "x\\u{202e}y\\u{2066}z\\u{200b}"),
        ("\u{2028}\u{E000}\u{FEFF}", "\\u{2028}\\u{e000}\\u{feff}"),
    ])
    func deviceTextCannotSteerATerminal(raw: String, shown: String) {
        #expect(UntrustedText.escape(raw) == shown)
    }

    @Test func deviceTextIsCut() {
        #expect(UntrustedText.escape(String(repeating: "x", count: 5000)) == String(repeating: "x", count: 200) + "...")
    }

    @Test func jsonEscapesEverythingATerminalMightObey() {
        struct Document: Encodable {
            var b = "\"\\\n\u{1B}\u{202E}😀"
            var a: [Double?] = [nil, -3, 1.5]
            var yes = true
            @Omitted var none: Int?
            var absent: UInt16?
            var byName = ["z": 1, "a": 2]
        }
        #expect(
            JSONWriter.text(Document())
                == #"{"b":"\"\\\u000a\u001b\u202e\ud83d\ude00","a":[null,-3,1.5],"yes":true,"absent":null,"byName":{"a":2,"z":1}}"#)
    }

    @Test(arguments: [(0.0, "0"), (12, "12"), (1.25, "1.25"), (0.1234, "0.123"), (-0.0001, "0"), (.nan, "0"), (.infinity, "0")])
    func numbersAreShortAndAlwaysJSON(value: Double, text: String) { #expect(JSONWriter.text(value) == text) }

    @Test(arguments: [(0, "0"), (999, "999"), (1000, "1,000"), (444_430, "444,430"), (1_002_003, "1,002,003"), (-1000, "-1,000")])
    func bytesAreGrouped(count: Int, text: String) { #expect(Format.bytes(count) == text) }

    @Test(arguments: [(0.0, "0:00"), (31.2, "0:32"), (725, "12:05"), (3723, "1:02:03"), (.nan, "0:00"), (1e12, "99:59:59")])
    func timeLeftIsAClock(seconds: Double, text: String) { #expect(Format.clock(seconds: seconds) == text) }

    @Test func tablesAlign() {
        var table = TextTable([.init("a"), .init("bytes", .right)])
        table.append(["long cell", "1"])
        table.append(["x", "1,000,000"])
        #expect(table.lines(style: TextStyle(isColoured: false)) { _ in .bad } == [
            "a              bytes", "long cell          1", "x          1,000,000",
        ])
        #expect(table.lines(style: TextStyle(isColoured: true)) { $0 == 0 ? .bad : nil }[1] == "\u{1B}[31mlong cell          1\u{1B}[0m")
    }
}
