import Assistant
import OpenAI
import Support

/// `noafw chat --check`: proves the assistant before a shift, without a unit.
struct ChatCheck: Sendable {
    private struct Report: Verdict {
        var findings: [ResponderTrial.Finding]
        /// Both parts were tried, and none failed.
        var passed: Bool { findings.count == ResponderTrial.Part.allCases.count && findings.allSatisfy { (try? $0.outcome.get()) != nil } }
    }

    private static let usualLimit = 120.0

    let context: CommandContext
    let mode: AssistantMode
    let isJSON: Bool
    /// In seconds.
    let limit: Double?

    /// - Parameter choose: reads options and configuration.
    func run(_ choose: @escaping () throws -> AssistantChoice) async -> Int32 {
        await OfflineCommand(context: context, isJSON: isJSON).run(
            failure: { [mode] in ChatCheckDocument(mode: mode, error: $0) }
        ) { style in
            let choice = try choose()
            guard case .server(let settings) = choice else { throw CommandError.noKey }
            settings.notices.forEach(context.note)
            let findings = try await findings(settings)
            let error = findings.lazy.compactMap(\.diagnosis).first
            var table = TextTable([.init("check"), .init("result"), .init("seconds", .right), .init("found")])
            for finding in findings {
                table.append([
                    finding.part.rawValue, finding.diagnosis == nil ? "passed" : "failed", Format.seconds(finding.seconds), finding.words,
                ])
            }
            let verdict = error == nil ? style.paint("PASS", .good) : style.paint("FAIL", .bad)
            let rows = table.lines(style: style) { findings[$0].diagnosis == nil ? nil : .bad }
            return OfflineCommand.Result(
                lines: rows + ["\(verdict)  \(UntrustedText.escape(choice.name))"],
                document: ChatCheckDocument(assistant: choice.name, mode: mode, findings: findings, error: error), error: error)
        }
    }

    private func findings(_ settings: AssistantSettings) async throws -> [ResponderTrial.Finding] {
        let outcome = await Supervisor(context: context, tick: nil, timeoutSeconds: limit ?? Self.usualLimit).run {
            // A server lives in real time.
            try await OpenAIResponder.with(settings, clock: .continuous) {
                Report(findings: try await ResponderTrial($0, mode: mode, clock: .continuous).run())
            }
        }
        switch outcome {
        case .finished(let report), .interrupted(let report?): return report.findings
        case .failed(let error): throw error
        case .interrupted(nil): throw CommandError.chatInterrupted
        }
    }
}

extension ResponderTrial.Finding {
    fileprivate var diagnosis: Diagnosis? { if case .failure(let error) = outcome { diagnose(error) } else { nil } }

    fileprivate var words: String {
        switch (outcome, part) {
        case (.failure, _): UntrustedText.escape(diagnosis.map { "\($0.code) \($0.message)" } ?? "")
        case (.success(let count), .answer): "\(count) characters"
        case (.success(0), .speech): "it takes sound, and hears no words in a tone"
        case (.success(let count), .speech): "it takes sound, and hears \(count) characters in a tone"
        }
    }
}

/// The document `noafw.chat-check/1`.
struct ChatCheckDocument: Encodable, Sendable {
    struct Check: Encodable, Sendable {
        var name: ResponderTrial.Part
        var passed: Bool
        var seconds: Double
        var error: Diagnosis?
    }

    var schema = "noafw.chat-check/1"
    var verdict: PassMember
    /// Model and host; `null` without any.
    var assistant: String?
    var mode: String
    var checks: [Check]
    var error: Diagnosis?

    init(assistant: String? = nil, mode: AssistantMode, findings: [ResponderTrial.Finding] = [], error: Diagnosis? = nil) {
        (self.assistant, self.mode, self.error) = (assistant, mode.rawValue, error)
        verdict = PassMember(error == nil && !findings.isEmpty)
        checks = findings.map { Check(name: $0.part, passed: $0.diagnosis == nil, seconds: $0.seconds, error: $0.diagnosis) }
    }
}
