import Assistant
import Bluetooth
import Support
import Testing
import VirtualDevices

@testable import noafw

@Suite struct ChatScriptTests {
    private func parse(_ text: String, isVirtual: Bool = true, takesPictures: Bool = true) throws -> ChatScript {
        try ChatScript(Array(text.utf8), path: "smoke.txt", isVirtual: isVirtual, takesPictures: takesPictures) { name in
            if name == "dot.ppm" { return Array("P6 1 1 255 abc".utf8) }
            guard name == "hello.wav" || name == "cat.jpg" else {
                throw LinkError.unavailable("no \(name)")
            }
            return Array(name.utf8)
        }
    }

    @Test func everyStep() throws {
        let script = try parse("""
            # A smoke test.
            send  hello  there

              tap
            tap B
            hold 1.5s
            show cat.jpg
            speak hello.wav
            expect ^I heard: .* within .* within 500ms
            """)
        #expect(script.steps == [
            .init(line: 2, action: .send("hello  there")), .init(line: 4, action: .tap(.A)), .init(line: 5, action: .tap(.B)),
            .init(line: 6, action: .hold(seconds: 1.5)), .init(line: 7, action: .show(Array("cat.jpg".utf8))),
            .init(line: 8, action: .speak(Array("hello.wav".utf8))),
            .init(line: 9, action: .expect(pattern: "^I heard: .* within .*", seconds: 0.5)),
        ])
    }

    @Test(arguments: [
        ("send", "'send' needs a text"), ("tap C", "'tap' takes a pad"), ("hold long", "'hold' takes a time"),
        ("speak", "'speak' needs a file"), ("speak no.wav", "no no.wav"), ("shout hello", "'shout' is not a step"),
        ("expect hello", "'expect' takes REGEX within SECONDS"), ("expect hello within 5", "'expect' takes"),
        ("expect hello within 99999s", "'expect' takes"), ("picture", "'picture' needs a file"), ("picture cat.jpg", "neither PNG nor PPM"),
        ("soak", "'soak' takes COUNT every SECONDS"), ("soak 0 every 2s", "'soak' takes"), ("soak 3 every 2s cut", "'soak' takes"),
        ("expect ( within 5s", "is not a regular expression")
    ])
    func faultsAreNumbered(line: String, reason: String) throws {
        let error = #expect(throws: ChatScript.Fault.self) { try parse("# one\n\n\(line)\n") }
        #expect(error?.line == 3)
        #expect(error?.diagnosis.message.hasPrefix("smoke.txt, line 3: ") == true)
        #expect(error?.diagnosis.message.contains(reason) == true, "\(error?.diagnosis.message ?? "")")
        #expect(error?.diagnosis.category == .badData)
    }

    /// Nothing that was tested is no pass.
    @Test(arguments: ["", "\n", "# send hello\n  \n"]) func noStepsAreAFault(text: String) throws {
        let error = #expect(throws: ChatScript.Fault.self) { try parse(text) }
        #expect(error?.reason.contains("no steps") == true)
    }

    @Test(arguments: ["tap", "hold", "speak hello.wav", "show cat.jpg"]) func aRealUnitHasNoHands(line: String) {
        let error = #expect(throws: ChatScript.Fault.self) { try parse("send hello\n\(line)", isVirtual: false) }
        #expect(error?.line == 2)
        #expect(error?.reason.contains("needs a virtual unit") == true)
    }

    @Test func aUnitThatTakesNoPicturesIsRefusedBeforeItIsTouched() {
        let error = #expect(throws: ChatScript.Fault.self) { try parse("send hello\npicture dot.ppm", takesPictures: false) }
        #expect(error?.line == 2)
        #expect(error?.reason == "this family's display cannot show pictures")
    }

    @Test func picturesAndSoaks() throws {
        let script = try parse("picture dot.ppm\nsoak 100 every 2s\nsoak 5 every 500ms cut every 30s", isVirtual: true)
        guard case .picture(let picture) = script.steps[0].action, case .soak(let plain) = script.steps[1].action,
            case .soak(let cut) = script.steps[2].action
        else { return #expect(Bool(false), "\(script.steps)") }
        #expect(picture.height == 1)
        #expect(plain.count == 100 && plain.interval == .seconds(2) && plain.cutInterval == nil)
        #expect(cut.count == 5 && cut.interval == .milliseconds(500) && cut.cutInterval == .seconds(30))
        #expect(throws: ChatScript.Fault.self) { try parse("soak 5 every 500ms cut every 30s", isVirtual: false) }
        _ = try parse("soak 100 every 2s\npicture dot.ppm", isVirtual: false)
    }

    @Test func notText() {
        #expect(throws: ChatScript.Fault.self) {
            try ChatScript([0xFF, 0xFE], path: "x", isVirtual: true) { _ in [] }
        }
    }

    @Test(arguments: [
        ("hello", TypedLine.command(.ask("hello"))), ("  hello ", .command(.ask("hello "))), ("", .nothing), (" \n", .nothing),
        ("/clear", .command(.clearHistory)), ("/cancel", .command(.cancelAnswer)), ("/retry", .command(.retry)),
        ("/mode translator", .command(.switchMode(.translator))), ("/mode  assistant", .command(.switchMode(.assistant))),
        ("/mode poet", .unknown("/mode poet")), ("/quit", .quit), ("/help", .help), ("//etc", .command(.ask("/etc"))),
        ("/what", .unknown("/what")),
    ] as [(String, TypedLine)])
    func typedLines(line: String, meaning: TypedLine) {
        #expect(TypedLine(line) == meaning)
    }

    @Test func terminalsThatShowPictures() {
        #expect(PhotoGraphics.detect(["TERM_PROGRAM": "WezTerm"], sixel: true) == .inline)
        #expect(PhotoGraphics.detect(["TERM": "xterm-kitty"], sixel: false) == .kitty)
        #expect(PhotoGraphics.detect(["KITTY_WINDOW_ID": "1"], sixel: false) == .kitty)
        #expect(PhotoGraphics.detect(["TERM": "xterm"], sixel: true) == .sixel)
        #expect(PhotoGraphics.detect(["TERM": "xterm"], sixel: false) == nil)
        #expect(PhotoGraphics.detect(["TERM": "xterm-kitty", "TMUX": "x"], sixel: true) == nil)
    }
}
