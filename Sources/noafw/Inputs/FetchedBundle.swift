import Download
import ScriptBundle
import Support

/// A bundle that the command line names by an address and a digest: it is fetched before anything else, and is a file then.
enum FetchedBundle {
    private static let options = ["--bundle", "--expect"]

    /// The same command line with paths of the cache for addresses.
    /// - Throws: ``DownloadError``, `CancellationError`.
    static func resolved(_ arguments: [String], in context: CommandContext) async throws -> [String] {
        var result = arguments
        for index in arguments.indices.prefix(while: { arguments[$0] != "--" }) {
            for option in options {
                if arguments[index] == option, index + 1 < arguments.count, isAddress(arguments[index + 1]) {
                    result[index + 1] = try await fetch(arguments[index + 1], context)
                } else if arguments[index].hasPrefix(option + "="), isAddress(String(arguments[index].dropFirst(option.count + 1))) {
                    result[index] = "\(option)=" + (try await fetch(String(arguments[index].dropFirst(option.count + 1)), context))
                }
            }
        }
        return result
    }

    private static func isAddress(_ text: String) -> Bool { text.lowercased().hasPrefix("https:") || text.lowercased().hasPrefix("http:") }

    private static func fetch(_ text: String, _ context: CommandContext) async throws -> String {
        let file = try PinnedFile(text, byteLimit: ReleaseBundle.fileByteCount(.unit))
        let downloader = try context.downloader(note: context.note)
        return try await context.interruptible { try await downloader.fetch(file) }
    }
}

extension CommandContext {
    /// - Throws: ``CommandError/noCacheFolder``.
    func downloader(note: @escaping @Sendable (String) -> Void) throws(CommandError) -> Downloader {
        Downloader(cache: DownloadCache(folder: "\(try cacheFolder())/downloads"), environment: environment, clock: clock, note: note)
    }

    /// `noafw` in the XDG cache folder; absolute.
    private func cacheFolder() throws(CommandError) -> String {
        if let shared = environment["XDG_CACHE_HOME"], shared.hasPrefix("/") { return "\(shared)/noafw" }
        guard let home = environment["HOME"], home.hasPrefix("/") else { throw .noCacheFolder }
        return "\(home)/.cache/noafw"
    }

    /// Work that a signal ends.
    /// - Throws: what `body` throws, ``CommandError/interrupted(condition:nextAction:)``.
    func interruptible<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        try await withThrowingTaskGroup(of: Value.self) { group in
            group.addTask { try await body() }
            group.addTask { [interrupts, clock] in
                _ = try await interrupts.requests.next(before: clock.deadline(in: .forever), on: clock)
                throw CommandError.interrupted(condition: "nothing was fetched", nextAction: "run the same command again")
            }
            defer { group.cancelAll() }
            guard let value = try await group.next() else { throw CancellationError() }
            return value
        }
    }
}
