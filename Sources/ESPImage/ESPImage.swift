import Support

/// An application image as ESP-IDF builds it (ESP-IDF, `esp_app_format.h`).
public struct ESPImage: Sendable, Hashable {
    /// The first byte of every image.
    static let magic: UInt8 = 0xE9
}
