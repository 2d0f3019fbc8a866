/// The short name of a family of units, such as `monocle`: as the command line, the catalogue and the state files have it.
public struct FamilyID: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible, ExpressibleByStringLiteral {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
    public init(_ rawValue: String) { self.rawValue = rawValue }
    public init(stringLiteral value: String) { rawValue = value }

    public var description: String { rawValue }
}

/// What a unit runs.
public enum UnitMode: String, Sendable, Hashable, Codable { case application, bootloader }
