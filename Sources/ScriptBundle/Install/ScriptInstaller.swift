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
    /// As many names of 56 bytes as one command holds.
    private static let filesAtOnce = 6

    let helper: ScriptHelper
    let scripts: ScriptSet
    var session: HelperSession { helper.session }

    public init(repl: PythonREPL, scripts: ScriptSet) { self.init(repl: repl, scripts: scripts, way: .input) }

    init(repl: PythonREPL, scripts: ScriptSet, way: FileWay) {
        (helper, self.scripts) = (ScriptHelper(repl: repl, way: way), scripts)
    }

    public func deepCheck() async throws -> [ScriptDifference] {
        try await helper.reader.using {
            var found: [ScriptDifference] = []
            for (file, actual) in zip(scripts.installed, try await helper.files(scripts.installed)) {
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
        let survey = try await retrying(report) { try await self.survey(for: outdated) }
        guard !outdated.isEmpty else { return 0 }
        try checkSpace(for: survey.missing, survey)
        let (total, sent) = (outdated.byteCount, survey.missing.byteCount)
        try await helper.upload(survey.missing, areNew: survey.areNew, memoryByteCount: survey.space.memoryByteCount) { event in
            guard case .uploading(let done, _) = event else { return report(event) }
            report(.uploading(bytesDone: total - sent + done, bytesTotal: total))
        }
        report(.uploading(bytesDone: total, bytesTotal: total))
        var areProven = true
        try await retrying(report) {
            defer { areProven = false }
            try await putInPlace(outdated, areProven: areProven)
        }
        return sent
    }

    private func retrying<Value>(_ report: (ScriptEvent) -> Void, _ step: () async throws -> Value) async throws -> Value {
        try await session.retrying({ report(.notice($0)) }, step)
    }

    /// What an installation finds on the unit.
    private struct Survey {
        let names: [String]
        let space: ScriptHelper.Space
        /// Files whose new copy is not on the unit, and whether nothing of those copies is.
        let missing: [ScriptSet.File]
        let areNew: Bool
    }

    /// - Parameter removing: what earlier installations left of other files.
    private func survey(for files: [ScriptSet.File], removing: Bool = true) async throws -> Survey {
        let (names, space) = try await helper.namesAndSpace()
        let copies = Set(names.filter { $0.hasSuffix(ScriptSet.copySuffix) })
        let leftovers = copies.subtracting(files.map(\.copyName)).sorted()
        if removing, !leftovers.isEmpty { try await session.tell(leftovers.map { "drop(\(ScriptHelper.literal($0)))" }) }
        let begun = files.filter { copies.contains($0.copyName) }
        let whole = Set(begun).subtracting(try await helper.missing(of: begun))
        return Survey(names: names, space: space, missing: files.filter { !whole.contains($0) }, areNew: begun.isEmpty)
    }

    /// A set takes the rest of the helper and a few questions, and the blocks of a file in its folder as long as five. What the ring holds
    /// takes one, half of the time while the flash erases.
    public var pace: ScriptPace {
        ScriptPace(
            roundTrip: session.repl.roundTrip / .seconds(1), pieceTrips: 0.5, pieceByteCount: 976, fileTrips: 4.6, setTrips: 14,
            byteSeconds: 0.000_035)
    }

    public func check(_ names: Set<String>, isAfterFirmware: Bool) async throws {
        try await session.using {
            let survey = try await self.survey(for: scripts.installed.filter { names.contains($0.name) }, removing: false)
            try checkSpace(for: survey.missing, survey)
        }
    }

    /// Old and new copies exist side by side for a while. LittleFS needs a block or two for the folder.
    private func checkSpace(for files: [ScriptSet.File], _ survey: Survey) throws {
        let space = survey.space
        let blocks = FileBlocks(size: space.blockByteCount, cacheSize: Self.cacheSize)
        var needed = 2 * space.blockByteCount
        for file in files {
            needed += blocks.count(of: file.bytes.count) * space.blockByteCount
        }
        if needed <= space.freeByteCount { return }
        let own = Set(scripts.files.flatMap { [$0.name, $0.copyName, $0.name.prefix { $0 != "/" } + "/"] })
        let others = survey.names.filter { !own.contains($0) }
        throw ScriptError.noSpace(
            needed: needed, free: space.freeByteCount, removal: others.isEmpty ? "" : ShadowRemoval.code(for: others))
    }

    /// Safe to repeat: a file without a new copy is already in place, and the verification at the end covers all files.
    /// - Parameter areProven: all copies are on the unit.
    private func putInPlace(_ files: [ScriptSet.File], areProven: Bool) async throws {
        let missing = areProven ? [] : try await helper.missing(of: files)
        let main = files.first { $0.name == scripts.family.mainName }
        if let main, missing.contains(main), try await helper.file(main) != main.expectation {
            // The old one would claim its version over the new ones.
            throw ScriptError.verificationFailed(main.name)
        }
        let ready = files.filter { !missing.contains($0) }
        let calls = stride(from: 0, to: ready.count, by: Self.filesAtOnce).map { start in
            let old = start == 0 && main.map(ready.contains) == true ? main?.name : nil
            let names = [old] + ready[start..<min(start + Self.filesAtOnce, ready.count)].map(\.name)
            return "place(\(names.map { $0.map(ScriptHelper.literal) ?? "0" }.joined(separator: ",")))"
        }
        for call in calls.dropLast() { try await session.tell(call) }
        for (file, actual) in zip(scripts.installed, try await helper.files(scripts.installed, after: calls.last))
        where actual != file.expectation {
            throw ScriptError.verificationFailed(file.name)
        }
    }
}

extension ScriptSet.File {
    /// The new copy's name until it replaces the file.
    public var copyName: String { name + ScriptSet.copySuffix }
    var expectation: RemoteFile { RemoteFile(sha256: SHA256.of(bytes), byteCount: bytes.count) }
}
