import Bluetooth
import Foundation
import REPL
import Support
import TestSupport
import Testing
import VirtualDevices

@testable import Assistant

// The unit misbehaves.
extension ChatTests {

    private static func program(_ sending: String) -> String {
        """
        import bluetooth, time
        def send(data):
            while True:
                try:
                    bluetooth.send(data)
                    return
                except OSError:
                    time.sleep_ms(5)
        said = False
        def received(data):
            global said
            said = True
            with open("heard.txt", "a") as file:
                file.write(data + b"\\n")
        bluetooth.receive_callback(received)
        while not bluetooth.connected():
            time.sleep_ms(20)
        time.sleep_ms(300)
        send(b"rdy:")
        \(sending)
        while True:
            time.sleep_ms(50)
        """
    }

    /// What a program prints while it runs, and what ends it.
    @Test func theConsoleIsHeard() async throws {
        let main = Self.program("print('begun')\nwhile not said:\n    time.sleep_ms(50)\nraise ValueError('enough')")
        try await ChatBench.with(main: main, responder: { _ in EchoResponder() }) { bench in
            try await bench.next("the line") { if case .console("begun") = $0 { true } else { nil } }
            bench.commands.deliver(.ask("hello"))
            let last = try await bench.next("the exception") { if case .raised(let error) = $0 { error.lastLine } else { nil } }
            #expect(last == "ValueError: enough")
            try await bench.next("the end") { if case .programEnded = $0 { true } else { nil } }
        }
    }

    /// The first words of a program that dies at once come with the word of its start.
    @Test(arguments: ["import nosuchmodule", "x = ", "print('only this')"]) func aProgramThatEndsAtOnceIsHeard(main: String) async throws {
        try await ChatBench.with(main: main, responder: { _ in EchoResponder() }) { bench in
            try await bench.next("the end") { if case .programEnded = $0 { true } else { nil } }
            let raised = bench.history.value.compactMap { if case .raised(let error) = $0 { error.lastLine } else { nil } }
            #expect(raised.count == (main.hasPrefix("print") ? 0 : 1), "\(raised)")
            #expect(raised.allSatisfy { $0.hasPrefix("ImportError") || $0.hasPrefix("SyntaxError") })
        }
    }

    @Test func theConsoleIsHeardOverTheNextLinkToo() async throws {
        let main = Self.program("n = 0\nwhile True:\n    n += 1\n    print('count', n)\n    time.sleep(1)")
        try await ChatBench.with(main: main, responder: { _ in EchoResponder() }) { bench in
            try await bench.next("the line") { if case .console("count 2") = $0 { true } else { nil } }
            bench.cutLink()
            try await bench.next("the loss") { if case .lost = $0 { true } else { nil } }
            try await bench.next("a line", within: .seconds(120)) { if case .console = $0 { true } else { nil } }
        }
    }

    /// It neither ends the link nor fills the memory.
    @Test func aProgramThatPrintsForEverIsLeftOut() async throws {
        let main = Self.program("while True:\n    print('again and again')")
        try await ChatBench.with(main: main, responder: { _ in EchoResponder() }) { bench in
            let count = try await bench.next("the rest") { if case .consoleLeftOut(let count) = $0 { count } else { nil } }
            #expect(count > 10)
            try await bench.pause(.seconds(30))
            #expect(!bench.history.value.contains { if case .lost = $0 { true } else { false } })
            #expect(bench.history.value.count < 600)
        }
    }

    @Test func nonsenseIsToldAndTheChatGoesOn() async throws {
        let main = Self.program(#"""
            for message in (b"abc", b"\xff\xfe\x1b[", b"zzz:what", b"pon:\xff\xff", b"pon:1234", b"aen:"):
                send(message)
            send(b"ast:")
            send(b"dat:" + b"\x40" * 200)
            send(b"aen:")
            """#)
        try await ChatBench.with(main: main, responder: { ScriptedResponder($0, heard: [.success("hi")]) }) { bench in
            var notices: [RelayNotice] = []
            while notices.count < 5 {
                notices.append(try await bench.next("notice") { if case .notice(let notice) = $0 { notice } else { nil } })
            }
            #expect(notices.suffix(5) == [
                .shortMessage(byteCount: 3), .unknownCommand("\u{FFFD}\u{FFFD}\u{FFFD}[", byteCount: 4),
                .unknownCommand("zzz:", byteCount: 8), .brokenText(command: "pon:", "\u{FFFD}\u{FFFD}"), .unknownConfirmation("1234"),
            ])
            let text = try await bench.next("speech") { if case .heard(_, let text) = $0 { text } else { nil } }
            #expect(text == "hi")
            let told = try await bench.waitForFile("heard.txt") { $0.contains("pin:") }
            #expect(told.hasPrefix("err:The app does not understand this unit.\npin:"))
        }
    }

    @Test func soundWithoutEndIsCutAndAnswered() async throws {
        let main = Self.program("""
            send(b"ast:")
            while not said:
                send(b"dat:" + b"\\x40" * 249)
            """)
        try await ChatBench.with(main: main, responder: { ScriptedResponder($0, heard: [.success("la la la")]) }) { bench in
            let notice = try await bench.next("notice", within: .seconds(200)) { if case .notice(let notice) = $0 { notice } else { nil } }
            #expect(notice == .recordingTooLong(limitSeconds: 60))
            let question = try await bench.next("question") { if case .asked(_, let question) = $0 { question } else { nil } }
            #expect(question == .spoken(seconds: 60, photo: false, cut: .tooLong))
            let text = try await bench.next("speech") { if case .heard(_, let text) = $0 { text } else { nil } }
            #expect(text == "la la la")
            let told = try await bench.waitForFile("heard.txt") { $0.contains("pin:") }
            #expect(told.hasPrefix("err:The recording was too long.\npin:"))
        }
    }
}
