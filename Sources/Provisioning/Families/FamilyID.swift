/// The short name of a family, such as `monocle`, as in the command line, the catalogue and the state files.
public struct FamilyID: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible, ExpressibleByStringLiteral {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
    public init(_ rawValue: String) { self.rawValue = rawValue }
    public init(stringLiteral value: String) { rawValue = value }

    public var description: String { rawValue }
}

public enum UnitMode: String, Sendable, Hashable, Codable { case application, bootloader }
