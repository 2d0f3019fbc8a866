import OpenAI
import Provisioning

/// noafw's own files, which no result may replace.
enum OwnFiles {
    /// Their names in the state folder.
    static let state = ["chat-history", "kept", "ledger", "locks", "names.json", "units.json", "units.lock", "virtual"]

    /// Absolute paths of files and folders, existing or not.
    static func all(in context: CommandContext) -> [String] {
        let search = context.assetSearch(nil)
        let state = (try? context.stateFolder()).map { folder in Self.state.map { "\(folder)/\($0)" } } ?? []
        let trust = try? TrustInputs(given: [], search: search).folder()
        return state + [AssistantSettings.configurationFile(environment: context.environment), trust?.location].compactMap(\.self)
            + ((try? search.locate()).map { catalogue(in: $0.root) } ?? [])
    }

    static func catalogue(in root: String) -> [String] { ["Firmware", "FPGA", "Scripts"].map { "\(root)/\($0)" } }
}
