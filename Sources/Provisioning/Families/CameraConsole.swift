import Support

/// A console of a unit with a camera.
public protocol CameraConsole: ProgramConsole {
    /// Takes a photo with the firmware's own functions.
    /// - Parameter report: gets the bytes so far.
    /// - Returns: a whole JPEG file as the unit gave it; untrusted.
    /// - Throws: ``ProvisioningError/noPhoto(reason:)``, ``ProvisioningError/photoDamaged(byteCount:)``.
    func takePhoto(_ settings: PhotoSettings, report: @escaping @Sendable (Int) -> Void) async throws -> [UInt8]
}

/// What a photo is to be like; `nil` leaves the choice to the firmware.
public struct PhotoSettings: Sendable, Hashable {
    /// As the Frame's firmware names them.
    public enum Quality: String, Sendable, CaseIterable {
        case veryLow = "very-low", low, medium, high, veryHigh = "very-high"
    }

    /// Pixels on a side, in steps of two (frame-codebase, `camera.c`).
    public static let sides = 100...720

    public var quality: Quality?
    public var side: Int?

    public init(quality: Quality? = nil, side: Int? = nil) { (self.quality, self.side) = (quality, side) }
}

/// Collects a photo from a unit, within bounds.
package struct PhotoPieces {
    /// Cameras make 10 to 60 KB; the Frame's count has 16 bits, the Monocle's queue has no end of its own.
    package static let byteLimit = 256 << 10
    private static let (beginning, end): ([UInt8], [UInt8]) = ([0xFF, 0xD8, 0xFF], [0xFF, 0xD9])

    package private(set) var bytes: [UInt8] = []

    package init() {}

    package mutating func take(_ piece: some Collection<UInt8>) throws {
        guard bytes.count + piece.count <= Self.byteLimit else {
            throw ProvisioningError.noPhoto(reason: "it sent more than \(Self.byteLimit >> 10) KiB")
        }
        bytes += piece
    }

    /// The last two bytes are the end mark of a JPEG.
    package var isWhole: Bool { bytes.starts(with: Self.beginning) && bytes.suffix(2) == Self.end[...] }

    package func photo() throws -> [UInt8] {
        guard !bytes.isEmpty else { throw ProvisioningError.noPhoto(reason: "nothing came within the time") }
        guard isWhole else { throw ProvisioningError.photoDamaged(byteCount: bytes.count) }
        return bytes
    }
}
