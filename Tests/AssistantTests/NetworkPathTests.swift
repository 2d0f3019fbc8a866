import Bluetooth
import Foundation
import Support
import TestSupport
import Testing

@testable import Assistant
@testable import OpenAI

/// The way to the server: TLS, proxies, and peers that are no server at all.
@Suite(.timeLimit(.minutes(2))) struct NetworkPathTests {
    private static func ask(_ settings: AssistantSettings, clock: SessionClock = .continuous) async throws -> String {
        let progress = Inbox<ResponderProgress>()
        return try await OpenAIResponder.with(settings, clock: clock) { responder in
            var conversation = Conversation()
            conversation.ask("?")
            _ = try await responder.answer(conversation) { progress.deliver($0) }
            var text = ""
            while let next = progress.poll() { if case .text(let piece) = next { text += piece } }
            return text
        }
    }

    private static func error(of settings: AssistantSettings, clock: SessionClock = .continuous) async -> AssistantError? {
        await #expect(throws: AssistantError.self) { _ = try await ask(settings, clock: clock) }
    }

    private static func hello(_ reply: LocalServer.Reply) async throws {
        try await reply.send(200, HTTPTests.hello, type: "text/event-stream")
    }

    // MARK: - TLS

    /// A server with an authority of its own: refused, until the user names it.
    @Test(.enabled(if: TestTools.mayRunOpenSSL, "openssl is missing")) func aPrivateAuthorityIsTrustedWhenNamed() async throws {
        let folder = try TemporaryFolder()
        let identity = try TLSIdentity(for: "localhost", in: folder)
        try await LocalServer.with(tls: identity, { request, reply in
            #expect(request.header("Authorization") == "Bearer \(HTTPTests.key)")
            try await Self.hello(reply)
        }) { url in
            var settings = AssistantSettings(baseURL: try BaseURL(url), key: try SecretText(HTTPTests.key))
            let error = await Self.error(of: settings)
            #expect(error == .insecure(host: "localhost", reason: "its certificate is not trusted here"), "\(String(describing: error))")
            settings.certificateFile = identity.certificateFile
            #expect(try await Self.ask(settings) == "Hello")
        }
    }

    @Test(.enabled(if: TestTools.mayRunOpenSSL, "openssl is missing")) func anotherNameIsNotTrusted() async throws {
        let folder = try TemporaryFolder()
        let identity = try TLSIdentity(for: "assistant.example", in: folder)
        try await LocalServer.with(tls: identity, { _, reply in
            Issue.record("a question came through")
            try await Self.hello(reply)
        }) { url in
            var settings = AssistantSettings(baseURL: try BaseURL(url))
            settings.certificateFile = identity.certificateFile
            let error = await Self.error(of: settings)
            #expect(error == .insecure(host: "localhost", reason: "its certificate is for another name"), "\(String(describing: error))")
        }
    }

    @Test func aFileWithoutCertificatesIsToldBeforeAnythingIsAsked() async throws {
        let folder = try TemporaryFolder()
        var settings = AssistantSettings(baseURL: try BaseURL("https://localhost:1"))
        for (name, content, reason) in [
            ("none.pem", nil, "the certificates cannot be read"), ("empty.pem", "", "it holds no certificates in PEM"),
            ("text.pem", "-----BEGIN CERTIFICATE-----\nno\n", "it holds no certificates in PEM"),
        ] as [(String, String?, String)] {
            if let content { try folder.write(content, to: name) }
            settings.certificateFile = folder.path(name)
            #expect(await Self.error(of: settings) == .badConfiguration(path: folder.path(name), reason))
        }
    }

    // MARK: - Proxies

    private static func through(proxy port: Int, to url: String) throws -> AssistantSettings {
        var settings = AssistantSettings(baseURL: try BaseURL(url))
        settings.proxy = .init(host: "127.0.0.1", port: port)
        return settings
    }

    @Test func aQuestionGoesThroughATunnel() async throws {
        let heads = Inbox<String>()
        try await LocalServer.with({ _, reply in try await Self.hello(reply) }) { url in
            try await LocalPeer.withProxy(heard: { heads.deliver($0) }) { port in
                let text = try await Self.ask(try Self.through(proxy: port, to: url))
                #expect(text == "Hello")
            }
        }
        #expect(heads.poll()?.hasPrefix("CONNECT 127.0.0.1:") == true)
    }

    /// The proxy sees the host and nothing more.
    @Test(.enabled(if: TestTools.mayRunOpenSSL, "openssl is missing")) func aSecureConnectionGoesThroughATunnel() async throws {
        let folder = try TemporaryFolder()
        let identity = try TLSIdentity(for: "localhost", in: folder)
        let heads = Inbox<String>()
        try await LocalServer.with(tls: identity, { _, reply in try await Self.hello(reply) }) { url in
            try await LocalPeer.withProxy(heard: { heads.deliver($0) }) { port in
                var settings = AssistantSettings(baseURL: try BaseURL(url), key: try SecretText(HTTPTests.key))
                settings.proxy = .init(host: "127.0.0.1", port: port)
                settings.certificateFile = identity.certificateFile
                #expect(try await Self.ask(settings) == "Hello")
            }
        }
        let head = try #require(heads.poll())
        #expect(head.hasPrefix("CONNECT localhost:"))
        #expect(!head.contains(HTTPTests.key))
    }

    @Test(arguments: [
        ("HTTP/1.1 407 Proxy Authentication Required", "it requires a user and a password"),
        ("HTTP/1.1 403 Forbidden", "it refuses the connection"),
    ])
    func aProxyMayRefuse(answer: String, reason: String) async throws {
        try await LocalPeer.withProxy(answer: answer, heard: { _ in }) { port in
            let error = await Self.error(of: try Self.through(proxy: port, to: "https://assistant.example"))
            #expect(error == .proxyRefused(proxy: "127.0.0.1:\(port)", reason))
        }
    }

    @Test func aProxyMayBeGone() async throws {
        let port = try await LocalPeer.with(greeting: "") { $0 }
        var settings = try Self.through(proxy: port, to: "https://assistant.example")
        settings.retries.attempts = 1
        #expect(await Self.error(of: settings) == .proxyRefused(proxy: "127.0.0.1:\(port)", "Connection refused"))
    }

    // MARK: - No server at all

    @Test func nobodyListens() async throws {
        let url = try await LocalServer.with({ _, _ in }) { $0 }
        var settings = AssistantSettings(baseURL: try BaseURL(url))
        settings.retries.attempts = 1
        let error = await #expect(throws: AssistantError.self) {
            try await OpenAIResponder.with(settings, clock: .continuous) { responder in
                var conversation = Conversation()
                conversation.ask("?")
                _ = try await responder.answer(conversation) { _ in }
            }
        }
        #expect(error == .unreachable(host: "127.0.0.1", reason: "Connection refused"))
    }

    @Test func thereIsNoSuchHost() async throws {
        let settings = AssistantSettings(baseURL: try BaseURL("http://no-such-host.invalid"))
        let error = await #expect(throws: AssistantError.self) {
            try await OpenAIResponder.with(settings, clock: .continuous) {
                _ = try await $0.hear(Sound(samples: [1]), as: .assistant) { _ in }
            }
        }
        #expect(error == .unknownHost("no-such-host.invalid"))
    }

    /// A plain HTTP server where TLS was expected.
    @Test func theConnectionIsNotSecure() async throws {
        let url = try await LocalServer.with({ _, reply in try await reply.send(200, "{}") }) { url in
            let settings = AssistantSettings(baseURL: try BaseURL(url.replacingOccurrences(of: "http:", with: "https:")))
            let error = await #expect(throws: AssistantError.self) {
                try await OpenAIResponder.with(settings, clock: .continuous) {
                    _ = try await $0.hear(Sound(samples: [1]), as: .assistant) { _ in }
                }
            }
            #expect(error?.diagnosis.code == "AST-0008", "\(String(describing: error))")
            return url
        }
        #expect(!url.isEmpty)
    }

    @Test(arguments: ["SSH-2.0-OpenSSH_9.2\r\n", "220 mail.example ESMTP\r\n", "\u{0}\u{1}\u{2}"])
    func whatIsNotHTTPIsTold(greeting: String) async throws {
        try await LocalPeer.with(greeting: greeting) { port in
            let settings = AssistantSettings(baseURL: try BaseURL("http://127.0.0.1:\(port)"))
            #expect(await Self.error(of: settings, clock: ManualClock().clock) == .notUnderstood("it is not HTTP"))
        }
    }

    /// A server that is never silent for long, and never done.
    @Test func anAnswerHasItsTimeAsAWhole() async throws {
        let manual = ManualClock()
        let goOn = Inbox<Void>()
        try await LocalServer.with({ _, reply in
            try await reply.head(200, [("Content-Type", "text/event-stream")])
            while true {
                try await reply.write("data: {\"choices\":[{\"delta\":{\"content\":\"word \"}}]}\n\n")
                _ = try await goOn.next(before: SessionClock.continuous.deadline(in: .seconds(60)), on: .continuous)
            }
        }) { url in
            let progress = Inbox<ResponderProgress>()
            let settings = AssistantSettings(baseURL: try BaseURL(url))
            let summary = try await OpenAIResponder.with(settings, clock: manual.clock) { responder in
                var conversation = Conversation()
                conversation.ask("?")
                async let summary = responder.answer(conversation) { progress.deliver($0) }
                for _ in 0..<9 {
                    _ = try await progress.next(before: SessionClock.continuous.deadline(in: .seconds(60)), on: .continuous)
                    await manual.waitForSleeper(lasting: .seconds(1) ... .seconds(30))
                    manual.advance(by: .seconds(20))
                    goOn.deliver(())
                }
                return try await summary
            }
            #expect(summary.cutShort == .byError(.timedOut("the next words")))
            #expect(manual.clock.now.offset == .seconds(180))
        }
    }
}
