import ArgumentParser
import Provisioning

/// `FAMILY[:NAME]` of `--virtual`.
struct VirtualUnitName: Sendable, Hashable, CustomStringConvertible {
    enum Family: String, Sendable, CaseIterable { case monocle }

    var family: Family
    /// Letters, digits, `-` and `_`; it becomes a folder's name.
    var name: String

    static let defaultName = "default"

    /// As on the command line; it is also the unit's `id` in the JSON documents.
    var description: String { name == Self.defaultName ? family.rawValue : "\(family.rawValue):\(name)" }
}

extension VirtualUnitName {
    /// - Throws: `ValidationError`.
    init(argument: String) throws {
        let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let family = Family(rawValue: parts[0]) else {
            throw ValidationError("a virtual unit is one of: \(Family.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
        let name = parts.count == 2 ? parts[1] : Self.defaultName
        let isSafe = name.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
        }
        guard isSafe, (1...32).contains(name.utf8.count) else {
            throw ValidationError("its name is 1 to 32 letters, digits, '-' and '_', such as \(family.rawValue):bench-2.")
        }
        self.init(family: family, name: name)
    }

    static var completion: CompletionKind { .list(Family.allCases.map(\.rawValue)) }
}

/// The pace of the virtual air.
enum VirtualSpeed: Sendable, Hashable {
    /// Times real time; 1 is the pace of a real link.
    case times(Double)
    /// As fast as this machine computes.
    case maximum
}

extension VirtualSpeed: ExpressibleByArgument {
    init?(argument: String) {
        if argument == "max" {
            self = .maximum
        } else if let factor = Double(argument), factor.isFinite, (0.01...10_000).contains(factor) {
            self = .times(factor)
        } else {
            return nil
        }
    }

    var defaultValueDescription: String {
        switch self {
        case .times(let factor): Measure.plain(factor)
        case .maximum: "max"
        }
    }

    static var defaultCompletionKind: CompletionKind { .list(["1", "10", "max"]) }
}

/// A comma-separated list of parts.
struct PartList: Sendable, Hashable {
    var parts: Set<Part>
}

extension PartList: ExpressibleByArgument {
    init?(argument: String) {
        let names = argument.split(separator: ",", omittingEmptySubsequences: false)
        let parts = names.compactMap { Part(rawValue: String($0)) }
        guard parts.count == names.count else { return nil }
        self.init(parts: Set(parts))
    }

    static var defaultCompletionKind: CompletionKind { .list(Part.allCases.map(\.rawValue)) }
}
