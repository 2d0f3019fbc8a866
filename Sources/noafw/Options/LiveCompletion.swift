import ArgumentParser
import Bluetooth
import Foundation
import Provisioning

/// Values that a shell offers and that only this machine knows; the completion script asks the program for them.
enum LiveCompletion {
    /// The units that this machine has worked on, and the names that they have.
    static let units = kind {
        guard let folder = stateFolder else { return [] }
        let names = (try? UnitNames(stateFolder: folder).load()) ?? [:]
        let known = (try? KnownUnits(stateFolder: folder).load().map(\.address)) ?? []
        return Set(known + names.keys.map(\.description)).sorted() + names.values.sorted()
    }

    private static var stateFolder: String? {
        try? CommandContext.stateFolder(
            environment: ProcessInfo.processInfo.environment, currentDirectory: FileManager.default.currentDirectoryPath)
    }

    static func kind(_ values: @escaping @Sendable () -> [String]) -> CompletionKind {
        .custom { _, _, _ in
            let shell = CompletionShell.requesting
            return values().map { value in
                switch shell {
                // zsh takes what follows a colon for a description.
                case .zsh: value.replacing("\\", with: "\\\\").replacing(":", with: "\\:")
                case .bash: expandedOnce(value)
                default: value
                }
            }
        }
    }

    /// bash expands what it offers, a `$(…)` in a name too.
    private static func expandedOnce(_ value: String) -> String {
        value.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || ":-.".contains($0)) }
            ? value : "'" + value.replacing("'", with: "'\\''") + "'"
    }

    /// Behind the parser's script: to bash, a colon divides words, so that an address would end at its first one.
    static func script(_ text: String, _ arguments: [String]) -> String {
        guard arguments == ["--generate-completion-script", "bash"] else { return text }
        return text + "\nCOMP_WORDBREAKS=${COMP_WORDBREAKS//:}"
    }
}
