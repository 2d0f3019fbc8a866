import Assistant
import Foundation
import Support

@testable import LedgerServer
@testable import OpenAI
@testable import noafw

extension FuzzTarget {
    /// config.json. No message shows its key.
    static let assistantSettings = FuzzTarget("assistant-settings", seeds: { Samples.configurations }) { input in
        var file: ConfigurationFile?
        do {
            file = try ConfigurationFile.decode(Data(input), "input")
            let settings = try AssistantSettings.loaded(from: file, ["HTTPS_PROXY": "http://proxy:8080"], .init())
            try BrokenPromise.check(settings.tokenLimit > 0, "no room for an answer")
            try checkWords(settings.notices.joined(separator: "\n"), of: file)
        } catch let error as AssistantError {
            try checkWords(error.diagnosis.message, of: file)
        }
    }

    private static func checkWords(_ words: String, of file: ConfigurationFile?) throws {
        guard let file, let key = file.apiKey, key.utf8.count >= 8 else { return }
        let others = [file.baseURL, file.model, file.speechModel, file.language, file.proxy, file.certificateFile]
        guard !others.contains(where: { $0?.contains(key) == true }) else { return }
        try BrokenPromise.check(!words.contains(key), "a message that shows the key")
    }

    /// libpq's service file, before libpq sees what it says.
    static let serviceFile = FuzzTarget("service-file", seeds: { [Samples.serviceFile] }) { input in
        guard let settings = try? ServiceFile.section("ledger", of: String(decoding: input, as: UTF8.self), "input") else { return }
        let areWhole = settings.allSatisfy { !$0.key.isEmpty && !($0.key + $0.value).contains(where: \.isNewline) }
        try BrokenPromise.check(areWhole, "a setting of several lines")
    }

    /// bluetoothd's main.conf.
    static let daemonSettings = FuzzTarget("daemon-settings", seeds: { [Samples.daemonSettings] }) { input in
        let supervision = DaemonSettings(text: String(decoding: input, as: UTF8.self)).supervision
        try BrokenPromise.check(supervision.map { (0...655_350).contains($0) } ?? true, "a time that no link has")
    }
}

extension Samples {
    static let configurations = [
        #"{"base_url":"https://api.example.com/v1","model":"a","speech_model":"b","api_key":"sk-4f9a27c1e8b35d60","images":false,"#
            + #""language":"en","token_limit":100,"proxy":"http://proxy:3128","ca_file":"ca.pem","allow_plain_http":false}"#,
        #"{"base_url":"http://[::1]:8080","api_key":"sk-4f9a27c1e8b35d60"}"#,
    ].map { Array($0.utf8) }

    static let serviceFile = Array("# stations\n[other]\nhost=a\n[ledger]\nhost=b\n port = 5433\ndbname=ledger\nhost=c\n\n[last]\nx\n".utf8)

    static let daemonSettings = Array("[General]\nName = a\n[LE]\n#\nConnectionSupervisionTimeout=42\n[Policy]\nAutoEnable=true\n".utf8)
}
