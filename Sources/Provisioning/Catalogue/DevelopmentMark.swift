/// What this project's own stand-ins for firmware and FPGA images hold, so that they are known wherever they turn up: in a
/// bundle, or under another name. They run on no glasses.
public enum DevelopmentMark {
    public static let text = "noafw development image, not for hardware"

    /// Bytes at the beginning of an image among which the mark is looked for.
    private static let range = 16 << 10

    /// - Parameter image: of any size.
    public static func isIn(_ image: [UInt8]) -> Bool {
        let mark = Array(text.utf8)
        let beginning = image.prefix(range)
        return beginning.indices.contains { start in
            beginning[start] == mark[0] && beginning[start...].starts(with: mark)
        }
    }
}
