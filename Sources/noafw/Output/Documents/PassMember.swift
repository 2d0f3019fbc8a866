/// Whether a unit or a file is as it should be.
enum PassMember: String, Codable, CaseIterable, Sendable {
    case pass, fail

    init(_ passed: Bool) { self = passed ? .pass : .fail }
}
