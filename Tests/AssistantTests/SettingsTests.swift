import Bluetooth
import Foundation
import Support
import Testing

@testable import Assistant
@testable import OpenAI

@Suite struct SettingsTests {
    private static let key = "sk-test-0123456789abcdef"

    /// A configuration folder with a file in it.
    private func withConfiguration(
        _ content: String?, permissions: Int = 0o600, _ body: ([String: String], String) throws -> Void
    ) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("noafw-config-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("noafw/config.json")
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        if let content {
            try Data(content.utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: file.path)
        }
        try body(["XDG_CONFIG_HOME": folder.path], file.path)
    }

    @Test func theFileIsRead() throws {
        let content = """
            {"base_url": "https://llm.example/", "model": "m", "speech_model": "s", "api_key": "\(Self.key)", "images": false,
             "language": "de", "token_limit": 99, "proxy": "localhost:3128"}
            """
        try withConfiguration(content) { environment, _ in
            let settings = try AssistantSettings.load(environment: environment)
            #expect(settings.baseURL.endpoint("chat/completions") == "https://llm.example:443/v1/chat/completions")
            #expect(settings.chatModel == "m" && settings.speechModel == "s" && !settings.takesImages)
            #expect(settings.language == "de" && settings.tokenLimit == 99)
            #expect(settings.proxy == .init(host: "localhost", port: 3128))
            #expect(settings.key?.bearer == "Bearer \(Self.key)")
            let elsewhere = try AssistantSettings.load(environment: environment, overrides: .init(baseURL: "http://localhost:1"))
            #expect(elsewhere.key == nil)
            #expect(elsewhere.notices == ["api_key of the configuration file is not sent to localhost: it was given for another server"])
        }
    }

    @Test func certificatesAreLookedForBesideTheFile() throws {
        try withConfiguration("{\"ca_file\": \"office.pem\"}") { environment, path in
            let file = try AssistantSettings.load(environment: environment).certificateFile
            #expect(file == URL(fileURLWithPath: path).deletingLastPathComponent().appendingPathComponent("office.pem").path)
        }
        try withConfiguration("{\"ca_file\": \"/etc/office.pem\"}") { environment, _ in
            let file = try AssistantSettings.load(environment: environment).certificateFile
            #expect(file == "/etc/office.pem")
        }
    }

    @Test(arguments: [
        (["https_proxy": "http://proxy:3128/"], "proxy:3128"), (["HTTPS_PROXY": "proxy:3128"], "proxy:3128"),
            (["all_proxy": "proxy:1"], "proxy:1"), (["https_proxy": "first:1", "all_proxy": "second:2"], "first:1"),
            (["http_proxy": "proxy:3128"], nil),
        (["https_proxy": "proxy:1", "no_proxy": "example.com, .example"], nil), (["https_proxy": "proxy:1", "NO_PROXY": "*"], nil),
        (["https_proxy": "proxy:1", "no_proxy": "other.example,xample"], "proxy:1"),
    ] as [([String: String], String?)])
    func theEnvironmentsProxy(environment: [String: String], proxy: String?) throws {
        let settings = try AssistantSettings.load(environment: environment, overrides: .init(baseURL: "https://llm.example"))
        #expect(settings.proxy?.description == proxy)
        #expect(settings.notices.isEmpty)
    }

    @Test(arguments: ["http://user:secret@proxy:1", "socks5://proxy:1", "proxy", "proxy:0"]) func aProxyOfAnotherKindIsNamed(
        text: String
    ) throws {
        let settings = try AssistantSettings.load(environment: ["https_proxy": text])
        #expect(settings.proxy == nil)
        #expect(settings.notices == ["https_proxy is not used: it is not of the form http://HOST:PORT, without a user and password"])
    }

    @Test func thisMachineNeedsNoProxy() throws {
        let environment = ["http_proxy": "proxy:1", "all_proxy": "proxy:2"]
        #expect(try AssistantSettings.load(environment: environment, overrides: .init(baseURL: "http://localhost:8080")).proxy == nil)
        #expect(try AssistantSettings.load(environment: environment, overrides: .init(baseURL: "http://llm.example")).proxy?.port == 1)
    }

    @Test(arguments: [0o644, 0o640, 0o604, 0o660, 0o601]) func othersMayNotReadIt(permissions: Int) throws {
        try withConfiguration("{\"api_key\": \"\(Self.key)\"}", permissions: permissions) { environment, path in
            let reason = "its permissions are \(String(permissions, radix: 8)), not 600"
            let error = #expect(throws: AssistantError.self) { try AssistantSettings.load(environment: environment) }
            #expect(error == .notPrivate(path: path, reason))
            #expect(error?.diagnosis.category == .permission)
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away")) func itMustBelongToTheUser() throws {
        try withConfiguration("{}") { environment, path in
            #expect(chown(path, 1, 1) == 0)
            #expect(throws: AssistantError.notPrivate(path: path, "it belongs to somebody else")) {
                try AssistantSettings.load(environment: environment)
            }
        }
    }

    @Test(arguments: [
        ("{", "it is not a JSON object"), ("[]", "the value of it is of another type than expected"),
        ("{\"api_key\": 12345}", "the value of api_key is of another type than expected"),
        ("{\"api-key\": \"sk-x\"}", "it has an unknown key: api-key"),
        ("{\"proxy\": \"nowhere\"}", "its proxy is not HOST:PORT"),
    ])
    func mistakesAreNamed(content: String, reason: String) throws {
        try withConfiguration(content) { environment, path in
            #expect(throws: AssistantError.badConfiguration(path: path, reason)) {
                try AssistantSettings.load(environment: environment)
            }
        }
    }

    @Test func aFolderOrAHugeFileIsRefused() throws {
        try withConfiguration(String(repeating: " ", count: 70_000)) { environment, path in
            #expect(throws: AssistantError.badConfiguration(path: path, "it is larger than 65536 bytes")) {
                try AssistantSettings.load(environment: environment)
            }
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            #expect(throws: AssistantError.badConfiguration(path: path, "it is not a file")) {
                try AssistantSettings.load(environment: environment)
            }
        }
    }

    @Test func aKeyGoesOnlyWhereItBelongs() throws {
        func load(_ environment: [String: String], _ base: String? = nil) throws -> AssistantSettings {
            try AssistantSettings.load(environment: environment, overrides: .init(baseURL: base))
        }
        #expect(try load([:]).key == nil)
        #expect(try load(["OPENAI_API_KEY": Self.key]).key != nil)
        #expect(try load(["OPENAI_API_KEY": Self.key], "http://localhost:8080").key == nil)
        #expect(try load(["OPENAI_API_KEY": Self.key, "OPENAI_BASE_URL": "http://localhost:8080/v1"]).key != nil)
        #expect(try load(["NOAFW_API_KEY": Self.key], "http://localhost:8080").key != nil)
        #expect(throws: AssistantError.plainHTTP(host: "llm.example")) {
            try load(["NOAFW_API_KEY": Self.key], "http://llm.example")
        }
        #expect(try load([:], "http://llm.example").key == nil)
        #expect(throws: AssistantError.badKey) { try load(["NOAFW_API_KEY": "a\r\nX-Evil: 1"]) }
    }

    @Test(arguments: [
        "", "localhost:8080", "ftp://x", "file:///etc/passwd", "http://", "https://user:secret@host", "https://host/?key=secret",
        "https://host#x", "http://host:99999", "http://ho st",
    ])
    func badBaseURLs(text: String) {
        let error = #expect(throws: AssistantError.self) { try BaseURL(text) }
        #expect(error?.diagnosis.code == "AST-0003")
        #expect(error?.diagnosis.message.contains("secret") == false)
    }

    @Test(arguments: [
        ("https://api.openai.com", "https://api.openai.com:443/v1"), ("http://LOCALHOST:8080/", "http://localhost:8080/v1"),
        ("http://h/v1/", "http://h:80/v1"), ("https://h/v1beta/openai", "https://h:443/v1beta/openai"),
        ("https://h/llm", "https://h:443/llm/v1"), ("http://[::1]:8080", "http://[::1]:8080/v1"),
    ])
    func baseURLs(text: String, url: String) throws { #expect(try BaseURL(text).description == url) }
}
