/// The version of noafw itself.
enum ToolVersion {
    static let current = "0.1.0"
}
