import Bluetooth
import Provisioning
import Support

/// The value of `--device` as a person types it: an address, a name that was given with `noafw units`, or one that a unit advertises.
struct DeviceArgument {
    /// What units of this station are called.
    var names: [DeviceAddress: String]
    /// Whether the command line may hold a secret, which no message repeats.
    var isPrivate = false

    /// The same command line with addresses for names that stand for one.
    /// - Throws: ``CommandError/likeAnAddress(_:meant:)``, ``CommandError/likeAName(_:name:)``: before anything is opened or looked for.
    func resolved(_ arguments: [String]) throws(CommandError) -> [String] {
        var result = arguments
        for index in arguments.indices.prefix(while: { arguments[$0] != "--" }) {
            if arguments[index] == "--device", index + 1 < arguments.count {
                result[index + 1] = try address(of: arguments[index + 1])
            } else if arguments[index].hasPrefix("--device=") {
                result[index] = "--device=" + (try address(of: String(arguments[index].dropFirst(9))))
            }
        }
        return result
    }

    /// - Returns: the text itself where it is an address, or may be what a unit advertises.
    func address(of text: String) throws(CommandError) -> String {
        if DeviceAddress(text) != nil { return text }
        if let named = names.first(where: { $0.value.lowercased() == text.lowercased() }) { return "\(named.key)" }
        let shown = isPrivate ? "this" : text
        if Self.looksLikeAnAddress(text) { throw .likeAnAddress(shown, meant: meant(by: text)) }
        if !Self.isAdvertised(text), let near = Nearest.of(text, among: names.values.sorted()) { throw .likeAName(shown, name: near) }
        return text
    }

    /// What every unit of a family is called by its maker is no mistyped name.
    private static func isAdvertised(_ text: String) -> Bool {
        let word = text.lowercased()
        return word == "ios-keyboard" || word == "dfutarg" || SupportedFamily.all.contains { word.hasPrefix($0.id.rawValue) }
    }

    /// Pairs of digits with marks between them, or twelve digits.
    static func looksLikeAnAddress(_ text: String) -> Bool {
        let marks = text.count { ":-_.".contains($0) }
        let digits = text.count { $0.isHexDigit && $0.isASCII }
        guard text.count <= 24, text.allSatisfy({ $0.isASCII && ($0.isHexDigit || ":-_.oOlIsSgG".contains($0)) }) else { return false }
        return text.contains(":") && digits >= 2 || marks == 5 && digits >= 8 || marks == 0 && digits == 12
    }

    /// The address that twelve digits make, however they are divided, else the nearest of those that have a name.
    private func meant(by text: String) -> String? {
        let digits = text.filter { $0.isHexDigit && $0.isASCII }
        if digits.count == 12, text.allSatisfy({ $0.isHexDigit || ":-_.".contains($0) }) {
            let pairs = stride(from: 0, to: 12, by: 2).map { String(Array(digits)[$0..<$0 + 2]) }
            return pairs.joined(separator: ":").uppercased()
        }
        return Nearest.of(text, among: names.keys.map(\.description).sorted())
    }
}
