/// Recognises this project's own stand-ins for firmware and FPGA images wherever they appear: in a bundle, or under another
/// name. They run on no glasses.
public enum DevelopmentMark {
    public static let text = "noafw development image, not for hardware"

    /// Only the beginning of an image is searched, in bytes.
    private static let range = 16 << 10

    public static func isIn(_ image: [UInt8]) -> Bool {
        let mark = Array(text.utf8)
        let beginning = image.prefix(range)
        return beginning.indices.contains { beginning[$0] == mark[0] && beginning[$0...].starts(with: mark) }
    }
}
