import ArgumentParser
import Foundation
import Provisioning

/// Values that a shell offers and that only this machine knows; the completion script asks the program for them.
enum LiveCompletion {
    /// The units that this machine has worked on.
    static let units = kind {
        let folder = try? CommandContext.stateFolder(
            environment: ProcessInfo.processInfo.environment, currentDirectory: FileManager.default.currentDirectoryPath)
        return folder.flatMap { try? KnownUnits(stateFolder: $0).load() }?.map(\.address) ?? []
    }

    static func kind(_ values: @escaping @Sendable () -> [String]) -> CompletionKind {
        .custom { _, _, _ in
            // zsh takes what follows a colon for a description.
            CompletionShell.requesting == .zsh ? values().map { $0.replacing(":", with: "\\:") } : values()
        }
    }
}
