import Bluetooth
import Provisioning

/// What people call the units of this station, wherever one is named to a person. Documents have it as a member of its own.
enum UnitLabels {
    /// Of the command that runs.
    @TaskLocal static var known: [DeviceAddress: String] = [:]

    /// The unit that has the name.
    static func address(of name: String) -> DeviceAddress? { known.first { $0.value.lowercased() == name.lowercased() }?.key }

    /// A text for a person with each unit's name behind its address, but for commands to copy.
    static func labelled(_ text: String) -> String {
        guard !known.isEmpty else { return text }
        var (result, rest) = ("", text[...])
        while let match = rest.firstMatch(of: /\b[0-9A-F]{2}(?::[0-9A-F]{2}){5}\b/) {
            result += rest[..<match.range.upperBound]
            let isOption = rest[..<match.range.lowerBound].hasSuffix("--device ")
            rest = rest[match.range.upperBound...]
            guard !isOption, let name = DeviceAddress(String(match.output)).flatMap({ known[$0] }) else { continue }
            if !rest.hasPrefix(" (\(name))") { result += " (\(name))" }
        }
        return result + rest
    }
}

extension DeviceAddress {
    /// For a person.
    var labelled: String { UnitLabels.labelled(description) }
}
