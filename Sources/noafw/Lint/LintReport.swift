import ScriptBundle
import Support

/// What is wrong with a folder of scripts, as editors and build logs take it.
struct LintReport {
    struct Remark: Encodable, Sendable, Hashable {
        enum Kind: String, Encodable, Sendable, CaseIterable { case error, warning }

        /// In the folder; `nil` for what concerns all of it.
        var file: String?
        var line: Int?
        var kind: Kind
        /// Of an error of noafw.
        var code: String?
        var message: String
    }

    var folder: String
    var family: String?
    var files = 0
    var remarks: [Remark] = []

    mutating func add(_ error: any Error, file: String? = nil) {
        let diagnosis = diagnose(error)
        remarks.append(Remark(file: file, kind: .error, code: diagnosis.code, message: diagnosis.message))
    }

    var errors: Int { remarks.count { $0.kind == .error } }

    /// `FOLDER/main.py:99: error: …`
    func lines(_ style: TextStyle) -> [String] {
        let found = remarks.map { remark in
            let file = remark.file.map { "\(folder)/\($0)" } ?? folder
            let place = remark.line.map { "\(file):\($0)" } ?? file
            let kind = style.paint(remark.kind.rawValue, remark.kind == .error ? .bad : .careful)
            return "\(UntrustedText.escape(place)): \(kind): \(UntrustedText.escape(remark.message))"
        }
        guard errors == 0 else { return found }
        let what = "\(UntrustedText.escape(folder)): \(files) script\(files == 1 ? "" : "s") for the \(family ?? "-")"
        return found + ["\(style.paint("PASS", .good))  \(what)"]
    }
}

/// The document `noafw.lint/1`.
struct LintDocument: Encodable, Sendable {
    let schema = "noafw.lint/1"
    var verdict: PassMember
    var folder: String
    var family: String?
    var files: Int
    var remarks: [LintReport.Remark]
    var error: Diagnosis?

    init(_ report: LintReport, error: Diagnosis?) {
        (folder, family, files, remarks) = (report.folder, report.family, report.files, report.remarks)
        (verdict, self.error) = (PassMember(error == nil), error)
    }
}
