import Bluetooth
import Support
import TestSupport
import Testing

@testable import Assistant
@testable import MonocleFamily

/// Programs that draw all they have in one call, with a display as strict as the released firmware's.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"))
struct WholePageTests {
    static let languages = [
        "Russian": "Объединённые щёголи съели бы ещё этих мягких французских булок, да выпей же чаю 🍵. ",
        "French": "Dès Noël où un zéphyr haï me vêt de glaçons würmiens, je dîne d’exquis rôtis « bœuf » à 5 € 🥖. ",
        "German": "Zwölf Boxkämpfer jagen „Viktor“ quer über den großen Sylter Deich – süße Grüße, Äpfel & Öl 🥨. ",
        "Polish": "Zażółć gęślą jaźń, pójdźże, kiń tę chmurność w głąb flaszy… Łódź, źdźbło, świeżość 🥟. ",
        "Greek": "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία· ο ουρανός της Ελλάδας είναι γαλάζιος; Ναι, πάντα 🫒. ",
        "Japanese": "いろはにほへと、散りぬるを。日本語の文章はとても長くなることがあります「テスト」🍣。 ",
    ]

    private static func long(_ sentence: String, _ count: Int = 600) -> String {
        String(String(repeating: sentence, count: count / sentence.count + 1).prefix(count))
    }

    /// What a machine with a Monocle's relay sends for an answer that comes in pieces.
    private static func packets(for answer: String, pieceOf count: Int) -> [[UInt8]] {
        var machine = ChatMachine(
            relay: MonocleRelay(), conversation: Conversation(), readyTimeout: .seconds(4), newConfirmation: { ConfirmationID("id") })
        var now = Duration.zero
        var packets: [[UInt8]] = []
        func handle(_ input: ChatMachine.Input) {
            var inputs = [input]
            while !inputs.isEmpty {
                for case .send(let packet) in machine.handle(inputs.removeFirst(), now: .init(offset: now)) {
                    packets.append(packet)
                    inputs += [.sent]
                }
                now += .milliseconds(100)
                if inputs.isEmpty, machine.nextDeadline != nil, machine.link?.line.pauseDeadline != nil { inputs.append(.tick) }
            }
        }
        handle(.linkUp(payloadSize: 253, UnitStatus()))
        handle(.packet(Array("rdy:".utf8)))
        handle(.command(.ask("?")))
        var rest = Array(answer.unicodeScalars)[...]
        while !rest.isEmpty {
            var piece = String.UnicodeScalarView()
            piece.append(contentsOf: rest.prefix(count))
            rest = rest.dropFirst(count)
            handle(.progress(work: 1, .text(String(piece))))
        }
        handle(.answered(work: 1, .success(AnswerSummary())))
        return packets
    }

    private static func hex(_ packets: [[UInt8]]) -> String {
        packets.map { $0.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "\n" }.joined()
    }

    @Test(arguments: languages.keys.sorted()) func aLongAnswerDoesNotEndTheProgram(language: String) throws {
        let answer = Self.long(Self.languages[language] ?? "")
        for pieceOf in [7, 10_000] {
            let packets = Self.packets(for: answer, pieceOf: pieceOf)
            #expect(packets.allSatisfy { $0.count <= 253 && $0.allSatisfy { $0 == 0x0A || (0x20...0x7E).contains($0) } })
            let outcome = try StrictDisplay.run(StrictDisplay.wholePageProgram, input: Self.hex(packets))
            #expect(outcome.status == 0 && outcome.output.hasPrefix("calls "), "\(outcome.output)")
        }
    }

    /// As the vendor's: a callback that decodes whatever comes, one call that draws all of it, nothing that is caught.
    private static let drawingProgram = """
        ARGPT_VERSION = "draws all"
        import bluetooth, display, time
        text = "Welcome"
        def received(message):
            global text
            if message.startswith(b"pin:"):
                bluetooth.send(b"pon:" + message[4:])
            elif message[:4] in (b"res:", b"err:"):
                text += message[4:].decode().replace("\\n", "  ")
        bluetooth.receive_callback(received)
        def draw():
            rows = [""]
            for word in text.split(" "):
                if rows[-1] and len(rows[-1]) + 1 + len(word) <= 26:
                    rows[-1] += " " + word
                else:
                    rows.append(word)
            rows = [row for row in rows if row][-7:]
            items = [display.Text(row, 0, 50 * i, display.WHITE) for i, row in enumerate(rows)]
            items.append(display.Text("Tap and speak", 320, 400, display.YELLOW, justify=display.BOTTOM_CENTER))
            display.show(items)
        told = False
        while True:
            draw()
            if bluetooth.connected() and not told:
                time.sleep(7)
                bluetooth.send(b"rdy:")
                told = True
            time.sleep_ms(100)
        """

    /// The virtual Monocle's own display and Python: the program dies of the first ValueError.
    @Test(arguments: languages.keys.sorted()) func onAVirtualUnitItDoesNotEither(language: String) async throws {
        let question = Self.long(Self.languages[language] ?? "")
        try await ChatBench.with(main: Self.drawingProgram, responder: { _ in EchoResponder() }) { bench in
            try await bench.waitUntilReady()
            for text in [question, "Finished"] {
                bench.commands.deliver(.ask(text))
                try await bench.next("delivery") { if case .sent(_, awaitsReceipt: false) = $0 { true } else { nil } }
            }
            try await bench.waitForDisplay("the second answer") { $0.contains { $0.hasSuffix("Finished") } }
            #expect(bench.display.count == 8)
        }
    }

    /// The unit's Python says so: it is the page, not the link, that ends such a program.
    @Test func onAVirtualUnitAPageThatIsNotFoldedEndsIt() async throws {
        let main = Self.drawingProgram.replacing("text = \"Welcome\"", with: "text = 'ж' * 26 + (' ' + 'ж' * 26) * 5")
        try await ChatBench.with(main: main, responder: { _ in EchoResponder() }) { bench in
            try await bench.next("silence") { if case .silent = $0 { true } else { nil } }
            #expect(bench.display == ["MONOCLE"])
        }
    }

    /// The same answers as they are written: what the folding is for.
    @Test(arguments: languages.keys.sorted()) func unfoldedItDoes(language: String) throws {
        let pieces = PlainText.pieces(of: Self.long(Self.languages[language] ?? ""), atMostBytes: 249)
        let outcome = try StrictDisplay.run(
            StrictDisplay.wholePageProgram, input: Self.hex(pieces.map { Array("res:\($0)".utf8) }))
        let isNearlyASCII = ["French", "German", "Polish"].contains(language)
        // A page of accented Latin has room for 28 further bytes; a glyph that the font has not is wrong in any case.
        #expect(outcome.output.contains(isNearlyASCII ? "no glyph" : "ValueError: too many bytes"), "\(outcome.output)")
        #expect(isNearlyASCII || outcome.status != 0)
    }

    /// What `--no-verify` asks a unit keeps to the released firmware, too.
    @Test func theQuestionKeepsToTheFirmware() throws {
        #expect(try FirmwareNames.foreign(pieces: [MonocleConsole.chatQuestion]) == [])
    }

    @Test func whateverIsAnsweredThePageIsDrawn() throws {
        let answers = [
            "", " \n ", String(repeating: "x", count: 2000), String(repeating: "Щ", count: 2000), String(repeating: "\n", count: 500) + "a",
            String(repeating: "é ", count: 900), String(repeating: "€", count: 700), "\u{3}\u{4}\u{1C}a\u{7F}",
            "👩‍👩‍👧" + String(repeating: "🇩🇪", count: 500),
            "a" + String(repeating: "\u{301}", count: 900), String(repeating: "word ", count: 2000),
        ]
        for answer in answers {
            let outcome = try StrictDisplay.run(StrictDisplay.wholePageProgram, input: Self.hex(Self.packets(for: answer, pieceOf: 100)))
            #expect(outcome.status == 0 && !outcome.output.contains("no glyph"), "\(outcome.output.suffix(300))")
        }
    }

    @Test func theStandInIsAsStrictAsTheFirmware() throws {
        let cases = [
            ("[Text('x' * 26, 0, 50 * row, WHITE) for row in range(8)]", ""),
            ("[Text('x' * 27, 0, 50 * row, WHITE) for row in range(8)]", ""),
            ("[Text('x' * 26, 0, 50 * row, WHITE) for row in range(7)] + [Text('é' * 14 + 'x' * 1, 0, 350, WHITE)]", "ValueError"),
            ("[Text('x', 0, 0, WHITE), Text('x', 0, 48, WHITE)]", "TextOverlapError"),
            ("[Text('x', 0, 0, WHITE), Text('x', 24, 0, WHITE)]", "TextOverlapError"),
            ("[Text('x', 0, 0, WHITE), Text('x', 25, 0, WHITE)]", ""),
            ("[Text('', 30 * (n % 20), 50 * (n // 20), n) for n in range(84)]", ""),
            ("[Text('', 30 * (n % 20), 50 * (n // 20), n) for n in range(85)]", "ValueError"),
        ]
        for (texts, error) in cases {
            let outcome = try StrictDisplay.run("from display import *\nshow(\(texts))")
            #expect(error.isEmpty ? outcome.status == 0 : outcome.output.contains(error), "\(texts): \(outcome.output)")
        }
    }
}
