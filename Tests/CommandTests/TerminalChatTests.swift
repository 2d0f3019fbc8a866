import Assistant
import Bluetooth
import Support
import Testing

@testable import noafw

/// What a person sees and what the session is told.
@Suite struct TerminalChatTests {
    private static let now = SessionClock.Instant(offset: .zero)

    private func chat(columns: Int = 60) -> TerminalChat {
        TerminalChat(
            editor: LineEditor(), status: ChatStatus(unit: "monocle", assistant: "echo", mode: .assistant),
            style: TextStyle(isColoured: false), columns: columns)
    }

    private func text(_ effects: [TerminalChat.Effect]) -> String {
        effects.map { if case .write(let text) = $0 { text } else { "" } }.joined()
    }

    private func deeds(_ effects: [TerminalChat.Effect]) -> [TerminalChat.Effect] {
        effects.filter { if case .write = $0 { false } else { true } }
    }

    @Test func aQuestionIsAskedAndRemembered() {
        var chat = chat()
        _ = chat.begin()
        #expect(deeds(chat.receive(Array("hello\r".utf8), now: Self.now)) == [.remember("hello"), .command(.ask("hello"))])
        #expect(deeds(chat.receive(Array("/clear\r".utf8), now: Self.now)) == [.remember("/clear"), .command(.clearHistory)])
        #expect(
            deeds(chat.receive(Array("/picture my cat.png\r".utf8), now: Self.now)) == [
                .remember("/picture my cat.png"), .picture("my cat.png")
            ])
        #expect(deeds(chat.receive(Array("\r".utf8), now: Self.now)) == [])
        #expect(deeds(chat.receive(Array("/quit\r".utf8), now: Self.now)) == [.remember("/quit"), .quit])
        #expect(deeds(chat.receive([0x04], now: Self.now)) == [.quit])
    }

    @Test func interruptTwiceInTwoSecondsQuits() {
        var chat = chat()
        #expect(deeds(chat.receive([0x03], now: Self.now)) == [])
        #expect(deeds(chat.receive([0x03], now: Self.now.advanced(by: .seconds(3)))) == [])
        #expect(deeds(chat.receive([0x03], now: Self.now.advanced(by: .seconds(5)))) == [.quit])
    }

    @Test func anAnswerAppearsAsItComesAboveTheLineBeingTyped() {
        var chat = chat(columns: 24)
        _ = chat.begin()
        _ = chat.receive(Array("next".utf8), now: Self.now)
        let id = TurnID(number: 1)
        _ = chat.receive(.thinking(id), photoFile: nil)
        #expect(text(chat.receive(.answerPiece(id, "one two"), photoFile: nil)).contains("noa: one two\r\n[ monocle"))
        let more = text(chat.receive(.answerPiece(id, " three four five"), photoFile: nil))
        #expect(more.contains("\u{1B}[Jnoa: one two three four\r\n") && more.contains("five\r\n[ monocle"), "\(more.debugDescription)")
        #expect(more.contains("> next"))
        let last = text(chat.receive(.answered(id, "one two three four five", nil), photoFile: nil))
        #expect(last.contains("\u{1B}[Jfive\r\n[ monocle") && !last.contains("one"), "\(last.debugDescription)")
    }

    /// An exception is trouble for anybody; all that a program prints is for who asked for it.
    @Test func theConsoleIsForWhoAskedForIt() {
        for isVerbose in [false, true] {
            var chat = TerminalChat(
                editor: LineEditor(), status: ChatStatus(unit: "monocle", assistant: "echo", mode: .assistant),
                style: TextStyle(isColoured: false), columns: 60, isVerbose: isVerbose)
            _ = chat.begin()
            #expect(text(chat.receive(.console("line\u{1B}[2J"), photoFile: nil)).contains("unit: line\\u{1b}[2J\r\n") == isVerbose)
            #expect(text(chat.receive(.consoleLeftOut(lines: 3), photoFile: nil)).contains("unit: (3 more lines)\r\n") == isVerbose)
            #expect(text(chat.receive(.programEnded, photoFile: nil)).contains("!!! the unit's program has ended\r\n"))
        }
    }

    @Test func nothingFromOutsideSteersTheTerminal() {
        var chat = chat()
        let id = TurnID(number: 1)
        let nasty = "\u{1B}[2Jx\u{9B}31m\u{202E}\u{07}"
        let events: [ChatEvent] = [
            .connected(UnitStatus(firmware: nasty)), .lost(reason: nasty), .heard(id, nasty), .answerPiece(id, nasty),
            .answered(id, nasty, .byError(.refused(status: 400, nasty))), .failed(id, AssistantError.unknownHost(nasty)),
            .retrying(id, after: .seconds(1), because: .refused(status: 429, nasty)),
        ]
        for event in events {
            let shown = text(chat.receive(event, photoFile: nasty))
            #expect(
                !shown.contains("\u{1B}[2J") && !shown.unicodeScalars.contains { ["\u{9B}", "\u{202E}", "\u{07}"].contains($0) }, "\(event)"
            )
        }
    }

    /// A slow line delivers a key's bytes one by one.
    @Test func aKeyInPiecesIsOneKey() {
        var chat = chat()
        _ = chat.receive(Array("ab".utf8), now: Self.now)
        for byte in Array("\u{1B}[D".utf8) {
            _ = chat.receive([byte], now: Self.now)
            _ = chat.fit(columns: 60)
        }
        _ = chat.receive(Array("c".utf8), now: Self.now)
        #expect(chat.editor.text == "acb")
        _ = chat.receive([0x1B], now: Self.now)
        _ = chat.rest()
        _ = chat.receive(Array("[".utf8), now: Self.now)
        #expect(chat.editor.text == "ac[b")
    }

    @Test func lettersThatAreJoinedStayJoined() {
        #expect(
            UntrustedText.lines("\u{1F469}\u{200D}\u{1F467} \u{645}\u{6CC}\u{200C}\u{62E}") == [
                "\u{1F469}\u{200D}\u{1F467} \u{645}\u{6CC}\u{200C}\u{62E}"
            ])
        #expect(UntrustedText.lines("a\u{202E}b\u{200B}c") == ["a\\u{202e}b\\u{200b}c"])
    }

    @Test func theStatusLineTellsUnitBatteryLinkAndMode() {
        var status = ChatStatus(unit: "monocle", assistant: "echo", mode: .assistant)
        status.take(.connected(UnitStatus(batteryPercent: 80)))
        status.take(.ready)
        status.take(.mode(.translator))
        status.take(.thinking(TurnID(number: 1)))
        #expect(status.line(columns: 100) == "[ monocle | battery 80 % | ready | translator: echo | thinking ]")
        status.take(.listening)
        #expect(status.line(columns: 100).contains("| listening ]"))
        status.take(.recordingDropped(.empty))
        #expect(!status.line(columns: 100).contains("listening"))
        status.take(.lost(reason: "x"))
        #expect(status.line(columns: 40).count == 39)
    }

    /// What is drawn is erased again, row by row, wherever the cursor was.
    @Test func erasingFindsTheFirstRow() {
        var area = LiveArea()
        #expect(area.erase() == "")
        #expect(area.draw(["a", "b", "c"], cursorRow: 1, cursorColumn: 1) == "a\r\nb\r\nc\u{1B}[1A\r\u{1B}[1C")
        #expect(area.erase() == "\r\u{1B}[1A\u{1B}[J")
        #expect(area.erase() == "")
    }
}
