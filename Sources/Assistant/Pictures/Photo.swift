/// A picture from glasses as a file that a server and a terminal can show.
public struct Photo: Sendable, Hashable {
    public enum Kind: String, Sendable, Hashable {
        case jpeg, png

        public var mediaType: String { "image/\(rawValue)" }
        public var fileExtension: String { self == .jpeg ? "jpg" : "png" }
    }

    public let kind: Kind
    public let bytes: [UInt8]

    public init(jpeg bytes: [UInt8]) { (kind, self.bytes) = (.jpeg, bytes) }
    public init(png bytes: [UInt8]) { (kind, self.bytes) = (.png, bytes) }
}
