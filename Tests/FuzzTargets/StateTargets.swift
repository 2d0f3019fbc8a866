import Bluetooth
import Foundation
import Ledger
import ScriptBundle
import Support

@testable import Provisioning
@testable import noafw

extension FuzzTarget {
    static let knownUnits = FuzzTarget("known-units", seeds: { Samples.knownUnits }) { input in
        guard let units = try? KnownUnits.units(in: input) else { return }
        for address in units.compactMap({ DeviceAddress($0.address) }) {
            try BrokenPromise.check(DeviceAddress("\(address)") == address, "an address that is another one when it is written")
        }
    }

    static let unitNames = FuzzTarget("unit-names", seeds: { Samples.unitNames }) { input in
        guard let names = try? UnitNames.names(in: input) else { return }
        for name in names.values {
            try BrokenPromise.check(name == PrintableText.of(name.utf8), "a name that is not printable")
            try BrokenPromise.check(name.utf8.count <= UnitNames.lengthLimit, "a name of \(name.utf8.count) bytes")
        }
    }

    /// The list of what is kept of a unit: no name in it leads out of its folder.
    static let keptList = FuzzTarget("kept-list", seeds: { try [Samples.keptList()] }) { input in
        guard let manifest = try? KeptManifest(input) else { return }
        for file in manifest.files {
            guard let path = try? UnitPath(file.path), path.text == file.path else { continue }
            let parts = file.path.split(separator: "/", omittingEmptySubsequences: false)
            let isInside = parts.allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." && !$0.utf8.contains(0) }
            try BrokenPromise.check(isInside, "the path \(file.path)")
        }
    }

    static let unfinishedChat = FuzzTarget("unfinished-chat", seeds: { Samples.unfinishedChats }) { input in
        let chats = UnfinishedChats(stateFolder: "/nowhere", now: { Date(timeIntervalSince1970: 1_790_000_000) })
        guard let unit = DeviceAddress("C0:00:00:00:00:01"), let chat = chats.chat(in: input, of: unit) else { return }
        try BrokenPromise.check(chat.unit == unit.description, "the chat of another unit")
        try BrokenPromise.check(chat.answers.count <= UnfinishedChats.countLimit, "\(chat.answers.count) answers")
        let areShort = chat.answers.allSatisfy { $0.text.utf8.count <= UnfinishedChats.textLimit }
        try BrokenPromise.check(areShort, "an answer that is too long")
    }

    /// What was typed in earlier sessions, and is shown again.
    static let inputHistory = FuzzTarget("input-history", seeds: { Samples.histories }) { input in
        let lines = HistoryFile.lines(in: input)
        var editor = LineEditor(history: InputHistory(lines: lines))
        for line in lines {
            let written = HistoryFile.lines(in: Array(HistoryFile.encode(line).utf8))
            try BrokenPromise.check(written == [line], "another line when it is written")
            _ = editor.handle(.older)
            try checkText(of: editor, limit: .max)
        }
    }

    /// A record whose plan and steps say what the next run will take, and what was to be updated.
    static let recordedPlan = FuzzTarget("recorded-plan", seeds: { try [Samples.plannedRun()] }) { input in
        guard let record = try? RecordLine(line: input).record else { return }
        let components = FamilyList.supported.components
        for (_, factor) in StationPace.corrections(for: components, from: [RunRecord](repeating: record, count: StationPace.leastCount)) {
            try BrokenPromise.check((0.5...2).contains(factor), "a factor of \(factor)")
        }
        _ = RecordedPlan.components(in: record.plan)
    }

    /// A folder of the catalogue names its own files alone.
    static let catalogue = FuzzTarget("catalogue", seeds: { Samples.catalogues }) { input in
        guard let manifest = try? CatalogueManifest(input, path: "input", requiresDigests: true) else { return }
        for entry in manifest.entries {
            for file in entry.listed {
                try BrokenPromise.check(!file.file.contains("/") && !file.file.hasPrefix("."), "the file \(file.file)")
                try BrokenPromise.check(file.sha256.utf8.count == 64, "a file without its digest")
            }
            guard let chosen = try? manifest.choose(for: entry.hardware) else { continue }
            try BrokenPromise.check(manifest.entries.contains(chosen), "an entry that is not listed")
        }
    }
}

extension Samples {
    private static let digest = String(repeating: "0123456789abcdef", count: 4)

    static let knownUnits = [
        #"{"schema":"noafw.units/1","units":[{"address":"C0:00:00:00:00:01","family":"monocle","lastWorkedOn":1790000000}]}"#,
        #"{"schema":"noafw.units/1","units":[]}"#,
    ].map { Array($0.utf8) }

    static let unitNames = [
        #"{"names":[{"address":"C0:00:00:00:00:01","name":"Room 3, 12"},{"address":"c0:00:00:00:00:02","name":"\u001b"}],"#
            + #""schema":"noafw.names/1"}"#
    ].map { Array($0.utf8) }

    static func keptList() throws -> [UInt8] {
        let files = try ["notes.txt", "lib/a.py"].map { KeptFile(path: try UnitPath($0), bytes: image) }
        let unit = UnitIdentity(address: try address, name: "monocle", versions: [FamilyList.supported.components[0]: "v23.230.0808"])
        return Array(try JSONEncoder().encode(KeptManifest(files, of: unit, "monocle", at: UTCTime(microseconds: 0))))
    }

    private static var address: DeviceAddress {
        get throws { try DeviceAddress("C0:00:00:00:00:01") ?? { throw BrokenPromise(what: "no address") }() }
    }

    static let unfinishedChats = [
        #"{"schema":"noafw.unfinished/1","unit":"C0:00:00:00:00:01","since":"2026-09-21T14:13:20.000000Z","answers":"#
            + #"[{"text":"It is noon.","time":"2026-09-21T14:13:20.000000Z"}]}"#,
        #"{"schema":"noafw.unfinished/1","unit":"C0:00:00:00:00:01","answers":[]}"#,
    ].map { Array($0.utf8) }

    static let histories = ["one\ntwo\\nlines\na \\\\ b\n", "hello\n"].map { Array($0.utf8) }

    static func plannedRun() throws -> [UInt8] {
        var record = RunRecord(
            station: "line-1", unitAddress: "C0:00:00:00:00:01", family: "monocle", verb: "flash", toolVersion: "1", host: "bench"
        ).begun(as: RunIDGenerator(now: { UTCTime(microseconds: 1_000_000) }, random: { 1 }).next(), at: UTCTime(microseconds: 1))
        record.plan = #"{"components":[{"action":"update","component":"firmware","estimates":[{"seconds":2,"stage":"firmware"}]}]}"#
        record.steps = [RunStep(name: "firmware", startMilliseconds: 0, milliseconds: 1700, bytes: 9)]
        record.close(.pass, at: UTCTime(microseconds: 2), elapsed: .seconds(1))
        return try RecordLine(owner: 1, record: record).encoded()
    }

    static let catalogues = [
        #"{"default":{"monocle":"v23.230.0808"},"entries":[{"development":true,"file":"a.zip","hardware":"monocle","key":"a.pem","sha256":"#
            + "\"\(digest)\",\"version\":\"v23.230.0808\"}]}",
        #"{"entries":[{"files":[{"file":"main.py","sha256":"#
            + "\"\(digest)\"},{\"file\":\"a.py\"}],\"hardware\":\"frame\",\"version\":\"v25.046.1533\"}]}",
    ].map { Array($0.utf8) }
}
