import Foundation
import Support
import TestSupport
import Testing
import VirtualDevices

@testable import KeyboardFamily

@Suite struct TraceTests {
    /// As the unit writes it: bytes as they are, quotation marks and control characters escaped.
    private func json(_ board: KeyboardBoard) -> [UInt8] {
        func list(_ lines: [[UInt8]]) -> [UInt8] {
            let lines = lines.map { line in
                [0x22] + line.flatMap { byte -> [UInt8] in
                    switch byte {
                    case 0x22, 0x5C: [0x5C, byte]
                    case ..<0x20: Array("\\u00".utf8) + Array(HexText.encode([byte]).utf8)
                    default: [byte]
                    }
                } + [0x22]
            }
            return Array("[".utf8) + lines.joined(separator: [0x2C]) + Array("]".utf8)
        }
        let trace = board.trace
        return Array("{\"ble\":".utf8) + list(trace.commands) + Array(",\"hid\":".utf8) + list(trace.keys) + Array("}".utf8)
    }

    private func prove(
        _ items: [TypedItem], _ settings: KeyboardSettings = KeyboardSettings(), after first: [TypedItem] = [],
        meanwhile: @escaping @Sendable (KeyboardBench) -> Void = { _ in }
    ) async throws {
        try await KeyboardBench(settings: settings).run { bench in
            if !first.isEmpty { _ = try await bench.session().type(first) }
            let before = try KeyboardTrace(json: json(settings.board))
            meanwhile(bench)
            try await bench.wait(.seconds(1))
            let result = try await bench.session().type(items)
            try before.prove(result.commands, layout: .swissGerman, next: try KeyboardTrace(json: json(settings.board)))
        }
    }

    private func text(_ text: String) -> [TypedItem] { TypingText(text, layout: .swissGerman).items }

    @Test(arguments: [
        "Hi", "Übergrösse \"quoted\" \\ K:0x00\n\t{x}", "^", String(repeating: "äöü", count: 40), String(repeating: "x", count: 27) + "ä",
        "' K:0x0B M:0x02",
    ])
    func whatWasTypedIsProved(words: String) async throws {
        try await prove(text(words))
        try await prove(text(words) + [.control(0x4A), .enter], after: text("something before"))
    }

    @Test func aUnitWithoutAHostProvesNothing() async throws {
        var settings = KeyboardSettings()
        settings.isPlugged = false
        await #expect(throws: KeyboardError.notProved(reason: "it noted no key")) { try await prove(text("Hi"), settings) }
    }

    @Test func aHostThatSleepsProvesNothing() async throws {
        var settings = KeyboardSettings()
        settings.refusedReports = [3]
        await #expect(throws: KeyboardError.notProved(reason: "it noted other keys")) { try await prove(text("abc"), settings) }
    }

    @Test func otherCommandsAreNotProved() throws {
        let before = KeyboardTrace()
        var next = before.after([KeyCommand.control(0x4A)], layout: KeyboardLayout.swissGerman)
        try before.prove([KeyCommand.control(0x4A)], layout: KeyboardLayout.swissGerman, next: next)
        next.commands = [Array("ENTER".utf8)]
        #expect(throws: KeyboardError.notProved(reason: "it noted other commands")) {
            try before.prove([KeyCommand.control(0x4A)], layout: KeyboardLayout.swissGerman, next: next)
        }
    }

    /// The same with and without it.
    @Test func theSameAgainProvesNothing() async throws {
        let same = text(String(repeating: "a", count: 64))
        let many = Array(repeating: same, count: 20).flatMap(\.self)
        await #expect(throws: KeyboardError.proofSaysNothing) { try await prove(same, after: many) }
        try await prove(text("b"), after: many)
    }

    @Test(arguments: [
        "", "{}", "[]", "{\"ble\":[],\"hid\":[\"x\"]}", "{\"ble\":[1],\"hid\":[]}",
        "{\"ble\":[],\"hid\":[\(Array(repeating: "\"BS K:0x2A\"", count: 21).joined(separator: ","))]}",
    ])
    func whatIsNoTraceIsRefused(document: String) {
        #expect(throws: KeyboardTrace.Unreadable.self) { _ = try KeyboardTrace(json: Array(document.utf8)) }
    }

    @Test func thePageIsPlainHTTP() {
        #expect(KeyboardPage("http://ios-keyboard.local/")?.url == "http://ios-keyboard.local")
        #expect(KeyboardPage("http://192.168.1.7:8080") != nil)
        for url in [
            "https://a", "http://", "a", "http://u:p@a", "http://a/trace", "http://a?b", "file:///etc/passwd", "http://127.0.0.1:99999"
        ] {
            #expect(KeyboardPage(url) == nil, "\(url)")
        }
    }

    @Test func thePageIsAsked() async throws {
        try await LocalServer.with({ request, reply in
            let trace = "{\"ble\":[\"ENTER\"],\"hid\":[\"ENTER K:0x28\"]}"
            try await reply.send(200, request.path == "/trace" ? trace : "{\"current\":\"de\"}")
        }) { url in
            let page = try #require(KeyboardPage(url))
            #expect(try await page.layout(on: .continuous) == "de")
            #expect(
                try await page.trace(on: .continuous) == KeyboardTrace(json: Array("{\"ble\":[\"ENTER\"],\"hid\":[\"ENTER K:0x28\"]}".utf8))
            )
        }
        // Another page would prove another unit.
        try await LocalServer.with({ _, reply in try await reply.send(302, "", headers: [("Location", "http://127.0.0.1:99999/x")]) }) {
            url in
            let page = try #require(KeyboardPage(url))
            await #expect(throws: KeyboardError.noTrace(url: url, reason: "it answers 302")) { _ = try await page.trace(on: .continuous) }
        }
        let gone = try #require(KeyboardPage("http://127.0.0.1:9"))
        await #expect(throws: KeyboardError.self) { _ = try await gone.trace(on: .continuous) }
    }
}
