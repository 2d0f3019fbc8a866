import Support
import Testing

@testable import Assistant
@testable import OpenAI

/// Where questions and a key may go.
@Suite struct BaseURLTests {
    @Test(arguments: ["http://user@example.com", "http://user:word@example.com", "http://:word@example.com", "https://key@localhost/v1"])
    func aURLWithAUserIsRefusedAndNotRepeated(text: String) {
        let error = #expect(throws: AssistantError.self) { try BaseURL(text) }
        #expect(error?.diagnosis.message.contains("user@") == false && error?.diagnosis.message.contains("word@") == false)
    }

    @Test(arguments: [
        "", "localhost", "ftp://localhost", "http://", "http://localhost?key=1", "http://localhost/v1#top", "http://localhost:0",
        "http://localhost:65536",
        "http://localhost/" + String(repeating: "a", count: 2000),
    ])
    func whatIsNoServerIsRefused(text: String) {
        #expect(throws: AssistantError.badBaseURL(text.contains("?") || text.contains("#") ? "(holds a query)" : String(text.prefix(200))))
        {
            try BaseURL(text)
        }
    }

    @Test(arguments: [("http://localhost:65535", 65_535), ("http://localhost:1", 1), ("https://localhost", 443), ("http://localhost", 80)])
    func aPortIsOneThatThereIs(text: String, port: Int) throws {
        #expect(try BaseURL(text).port == port)
    }

    @Test(arguments: [
        ("http://localhost:8080", true), ("http://studio.localhost", true), ("http://127.0.0.1", true), ("http://127.255.0.9:1", true),
        ("http://[::1]:8080", true), ("http://128.0.0.1", false), ("http://8.8.8.8", false), ("http://10.0.0.1", false),
        ("http://127.0.0.1.example.com", false), ("http://localhost.example.com", false), ("http://notlocalhost", false),
        ("http://[::2]", false),
        ("http://127.0.0", false), ("http://127.0.0.0.1", false), ("http://+127.0.0.1", false), ("http://127.0.0.256", false),
    ])
    func onlyThisMachineIsPrivate(text: String, isPrivate: Bool) throws {
        #expect(try BaseURL(text).isPrivateToThisMachine == isPrivate)
    }
}
