import Ledger
import Provisioning
import Support

/// What the reports of several verbs share.
enum ReportText {
    static func verdict(_ error: Diagnosis, hasBegun: Bool, _ style: TextStyle) -> String {
        let word = error.category == .interrupted ? "INTERRUPTED" : hasBegun ? "FAIL" : "NOT STARTED"
        return style.paint(word, .bad) + (hasBegun ? "  the unit is not verified" : "  no unit was touched")
    }

    /// What had to be done to the unit.
    static func needed(_ recoveries: [Recovery]) -> [String] {
        guard !recoveries.isEmpty else { return [] }
        return recoveries.map { "  needed \($0.remedy.words): \(UntrustedText.escape($0.reason.message)) [\($0.reason.code)]" } + [""]
    }

    static func seen(_ program: ProgramVerification) -> String { "ran for \(program.seconds) s without an error" }

    static func seen(_ program: ProgramVerification?) -> [String] { program.map { ["  its program \(seen($0))"] } ?? [] }

    /// What an operator should know of a program that was verified without a word of its own.
    static func silence(_ verification: ProgramVerification?) -> [String] {
        verification?.sign == .silent
            ? ["  its program never says that it is ready: verified by its version, a quiet console and the absence of errors"] : []
    }

    static func words(_ pass: PassedRun) -> String { "last passed \(when(pass.endedAt, pass.verb))" }

    /// In UTC, as all times of the ledger.
    static func when(_ time: UTCTime, _ verb: String) -> String {
        "\(time.iso8601.prefix(16).replacing("T", with: " ")) UTC (\(UntrustedText.escape(verb)))"
    }

    /// By what a component is compared.
    static func evidence(for component: Component, isDeep: Bool) -> Evidence { isDeep ? component.evidence : .version }
}
