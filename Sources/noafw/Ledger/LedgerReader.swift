import Foundation
import Ledger
import LedgerStore
import Support

/// The state folder's ledger, for the verbs that read it.
struct LedgerReader {
    let folder: String
    let ledger: SQLiteLedger
    let now: UTCTime

    init(_ context: CommandContext) throws {
        now = UTCTime(context.date())
        folder = "\(try context.stateFolder())/ledger"
        ledger = SQLiteLedger(folder: folder)
    }

    /// - Parameter note: receives what is missing from the records.
    func runs(_ filter: RunFilter, note: (String) -> Void) async throws -> [RunRecord] {
        let runs = try await ledger.runs(filter)
        tellWarnings(note)
        return runs
    }

    /// Like ``runs(_:note:)``, for more records than fit in memory.
    func read<Value: Sendable>(note: (String) -> Void, _ body: @escaping @Sendable (any RunSource) throws -> Value) async throws -> Value {
        let value = try await ledger.atOneMoment(body)
        tellWarnings(note)
        return value
    }

    private func tellWarnings(_ note: (String) -> Void) {
        for notice in ledger.warnings { note("\(notice.diagnosis.message) [\(notice.diagnosis.code)]") }
    }
}
