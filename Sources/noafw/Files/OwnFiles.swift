import OpenAI
import Provisioning

/// What noafw keeps for itself: no result is written there.
enum OwnFiles {
    /// The names in the state folder.
    static let state = ["chat-history", "ledger", "locks", "units.json", "units.lock", "virtual"]

    /// Absolute paths of files and folders, whether they are there or not.
    static func all(in context: CommandContext) -> [String] {
        let search = context.assetSearch(nil)
        let state = (try? context.stateFolder()).map { folder in Self.state.map { "\(folder)/\($0)" } } ?? []
        let trust = try? TrustInputs(given: [], search: search).folder()
        return state + [AssistantSettings.configurationFile(environment: context.environment), trust?.location].compactMap(\.self)
            + ((try? search.locate()).map { catalogue(in: $0.root) } ?? [])
    }

    static func catalogue(in root: String) -> [String] { ["Firmware", "FPGA", "Scripts"].map { "\(root)/\($0)" } }
}
