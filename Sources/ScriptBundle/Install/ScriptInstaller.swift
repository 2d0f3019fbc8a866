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
            for (file, actual) in zip(scripts.installed, try await helper.files(scripts.installed.map(\.name))) {
                guard let actual else {
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
        let missing = try await retrying(report) { try await self.missing(of: outdated) }
        try await retrying(report) { try await checkSpace(for: missing) }
        let total = outdated.reduce(0) { $0 + $1.bytes.count }
        var done = 0
        var bytesSent = 0
        for file in outdated {
            if missing.contains(file) {
                try await helper.upload(file, report) { report(.uploading(bytesDone: done + $0, bytesTotal: total)) }
                bytesSent += file.bytes.count
            }
            done += file.bytes.count
            report(.uploading(bytesDone: done, bytesTotal: total))
        }
        try await retrying(report) { try await putInPlace(outdated) }
        return bytesSent
    }

    /// Each file takes a question before it is sent, and one after; its folder's blocks in the flash take as long as three. A set takes
    /// seven.
    public var pace: ScriptPace {
        ScriptPace(
            roundTrip: session.repl.roundTrip / .seconds(1), pieceTrips: 0.8, pieceByteCount: 400, fileTrips: 5, setTrips: 7,
            byteSeconds: 0.000_05)
    }

    private func removeLeftovers(except files: [ScriptSet.File]) async throws {
        let wanted = Set(files.map(\.copyName))
        for name in try await helper.names() where name.hasSuffix(ScriptSet.copySuffix) && !wanted.contains(name) {
            try await session.tell("drop(\(ScriptHelper.literal(name)))")
        }
    }

    public func check(_ names: Set<String>, isAfterFirmware: Bool) async throws {
        try await session.using { try await checkSpace(for: missing(of: scripts.installed.filter { names.contains($0.name) })) }
    }

    /// Files whose new copy is not on the unit.
    private func missing(of files: [ScriptSet.File]) async throws -> [ScriptSet.File] {
        zip(files, try await helper.files(files.map(\.copyName))).filter { $0.expectation != $1 }.map { $0.0 }
    }

    /// Old and new copies exist side by side for a while. LittleFS needs a block or two for the folder.
    private func checkSpace(for files: [ScriptSet.File]) async throws {
        let space = try await helper.space()
        let blocks = FileBlocks(size: space.blockByteCount, cacheSize: Self.cacheSize)
        var needed = 2 * space.blockByteCount
        for file in files {
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
        let missing = try await missing(of: files)
        let main = files.first { $0.name == scripts.family.mainName }
        if let main {
            if !missing.contains(main) {
                try await session.tell("drop(\(ScriptHelper.literal(main.name)))")
            } else if try await helper.file(main.name) != main.expectation {
                // The old one would claim its version over the new ones.
                throw ScriptError.verificationFailed(main.name)
            }
        }
        let calls = files.filter { !missing.contains($0) && $0 != main }.map { Self.moveCall($0) }
        try await session.tell(calls)
        if let main, !missing.contains(main) { try await session.tell(Self.moveCall(main)) }
        for (file, actual) in zip(scripts.installed, try await helper.files(scripts.installed.map(\.name)))
        where actual != file.expectation {
            throw ScriptError.verificationFailed(file.name)
        }
    }

    private static func moveCall(_ file: ScriptSet.File) -> String { "move(\(ScriptHelper.literal(file.name)))" }
}

extension ScriptSet.File {
    /// The new copy's name until it replaces the file.
    public var copyName: String { name + ScriptSet.copySuffix }
    var expectation: RemoteFile { RemoteFile(sha256: SHA256.of(bytes), byteCount: bytes.count) }
}
