import Cryptography
import REPL
import Support

public enum ScriptDifference: Sendable, Hashable, CustomStringConvertible {
    case missing(String)
    /// Lengths in bytes.
    case differs(String, expected: Int, actual: Int)
    /// A file or folder that the set does not have; untrusted but printable. A folder ends in `/`.
    case extra(String)
    /// Like ``extra(_:)``, but Python would load it instead of a script or a module that is needed.
    case shadow(String)

    public var description: String {
        switch self {
        case .missing(let name): "\(name) is missing"
        case .differs(let name, let expected, let actual) where expected == actual: "\(name) differs in content"
        case .differs(let name, let expected, let actual): "\(name) has \(actual) bytes instead of \(expected)"
        case .extra(let name): "\(name) is not part of the set"
        case .shadow(let name): "\(name) hides a script or module"
        }
    }
}

public enum ScriptEvent: Sendable, Hashable {
    case uploading(bytesDone: Int, bytesTotal: Int)
    case notice(String)
}

/// Installs a set of scripts on a unit and verifies it there.
///
/// New files are uploaded next to the old ones and verified by digest. Then the old `main.py`, which carries the version, is
/// removed first and the new one is put in place last: after any interruption, no mixture claims a version.
public struct ScriptInstaller: Sendable {
    /// Bytes (monocle-micropython, `mpconfigport.h`).
    private static let cacheSize = 128

    let helper: ScriptHelper
    let scripts: ScriptSet
    var session: HelperSession { helper.session }

    public init(repl: PythonREPL, scripts: ScriptSet) { (helper, self.scripts) = (ScriptHelper(repl: repl), scripts) }

    public func deepCheck() async throws -> [ScriptDifference] {
        try await session.using {
            var found: [ScriptDifference] = []
            for file in scripts.installed {
                guard let actual = try await helper.file(file.name) else {
                    found.append(.missing(file.name))
                    continue
                }
                if actual != file.expectation {
                    found.append(.differs(file.name, expected: file.bytes.count, actual: actual.byteCount))
                }
            }
            let expected = Set(scripts.files.map(\.name))
            let shadow = ModuleShadow(for: scripts)
            for name in try await helper.names().sorted() where !expected.contains(name) {
                let shown = PrintableText.name(name.utf8)
                found.append(shadow.hides(name) ? .shadow(shown) : .extra(shown))
            }
            return found
        }
    }

    /// Replaces the named files. The scripts run after a restart of Python, `PythonREPL.start(within:)`.
    /// - Returns: bytes of files sent.
    public func install(_ names: Set<String>, report: (ScriptEvent) -> Void) async throws -> Int {
        let outdated = scripts.installed.filter { names.contains($0.name) }
        try await retrying(report) { try await session.ensure() }
        try await retrying(report) { try await removeLeftovers(except: outdated) }
        guard !outdated.isEmpty else { return 0 }
        try await retrying(report) { try await checkSpace(for: outdated) }
        let total = outdated.reduce(0) { $0 + $1.bytes.count }
        var done = 0
        var bytesSent = 0
        for file in outdated {
            let isThere = try await retrying(report) { try await helper.file(file.copyName) == file.expectation }
            if !isThere {
                try await helper.upload(file, report) { report(.uploading(bytesDone: done + $0, bytesTotal: total)) }
                bytesSent += file.bytes.count
            }
            done += file.bytes.count
            report(.uploading(bytesDone: done, bytesTotal: total))
        }
        try await retrying(report) { try await putInPlace(outdated) }
        return bytesSent
    }

    /// Each file takes two questions before it is sent and three after.
    public var pace: ScriptPace {
        ScriptPace(
            roundTrip: session.repl.roundTrip / .seconds(1), pieceTrips: 1, pieceByteCount: 300, fileTrips: 8, setTrips: 4,
            byteSeconds: 0.000_05)
    }

    private func removeLeftovers(except files: [ScriptSet.File]) async throws {
        let wanted = Set(files.map(\.copyName))
        for name in try await helper.names() where name.hasSuffix(ScriptSet.copySuffix) && !wanted.contains(name) {
            try await session.tell("drop(\(ScriptHelper.literal(name)))")
        }
    }

    public func check(_ names: Set<String>, isAfterFirmware: Bool) async throws {
        try await session.using { try await checkSpace(for: scripts.installed.filter { names.contains($0.name) }) }
    }

    /// Old and new copies exist side by side for a while. LittleFS needs a block or two for the folder.
    private func checkSpace(for files: [ScriptSet.File]) async throws {
        let space = try await helper.space()
        let blocks = FileBlocks(size: space.blockByteCount, cacheSize: Self.cacheSize)
        var needed = 2 * space.blockByteCount
        for file in files where try await helper.file(file.copyName) != file.expectation {
            needed += blocks.count(of: file.bytes.count) * space.blockByteCount
        }
        if needed <= space.freeByteCount { return }
        let own = Set(scripts.files.flatMap { [$0.name, $0.copyName, $0.name.prefix { $0 != "/" } + "/"] })
        let others = try await helper.names().filter { !own.contains($0) }
        throw ScriptError.noSpace(
            needed: needed, free: space.freeByteCount, removal: others.isEmpty ? "" : ShadowRemoval.code(for: others))
    }

    /// Safe to repeat: a file without a new copy is already in place, and the verification at the end covers all files.
    private func putInPlace(_ files: [ScriptSet.File]) async throws {
        if let main = files.first(where: { $0.name == scripts.family.mainName }) {
            if try await helper.file(main.copyName) == main.expectation {
                try await session.tell("drop(\(ScriptHelper.literal(main.name)))")
            } else if try await helper.file(main.name) != main.expectation {
                // The old one would claim its version over the new ones.
                throw ScriptError.verificationFailed(main.name)
            }
        }
        for file in files where try await helper.file(file.copyName) == file.expectation {
            try await session.tell("move(\(ScriptHelper.literal(file.name)))")
        }
        for file in scripts.installed where try await helper.file(file.name) != file.expectation {
            throw ScriptError.verificationFailed(file.name)
        }
    }
}

extension ScriptSet.File {
    /// The new copy's name until it replaces the file.
    public var copyName: String { name + ScriptSet.copySuffix }
    var expectation: RemoteFile { RemoteFile(sha256: SHA256.of(bytes), byteCount: bytes.count) }
}
