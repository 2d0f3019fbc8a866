import ArgumentParser

/// The pace of the virtual air.
enum VirtualSpeed: Sendable, Hashable {
    /// Times real time; 1 is the pace of a real link.
    case times(Double)
    /// As fast as this machine computes.
    case maximum

    static let help = ArgumentHelp(
        "Set the pace of the virtual units: 1 is that of a real link, max is as fast as possible.", valueName: "n|max")

    /// Without a virtual unit it is misplaced.
    /// - Throws: `ValidationError`.
    static func check(_ speed: VirtualSpeed?, isVirtual: Bool) throws {
        if !isVirtual, speed != nil {
            throw ValidationError("--virtual-speed belongs to --virtual: add --virtual monocle, or leave it out.")
        }
    }
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
        case .times(let factor): Format.plain(factor)
        case .maximum: "max"
        }
    }

    static var defaultCompletionKind: CompletionKind { .list(["1", "10", "max"]) }
}
