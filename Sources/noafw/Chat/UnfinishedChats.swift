import Bluetooth
import Foundation
import Ledger
import Provisioning
import Support

/// What a conversation leaves in the state folder while it goes on, and when its process dies: a file for each unit.
struct UnfinishedChats: Sendable {
    struct Answer: Codable, Sendable, Hashable {
        var text: String
        /// When it was complete, in ISO 8601.
        var time: String
    }

    struct Chat: Codable, Sendable, Hashable {
        var schema = UnfinishedChats.schema
        var unit: String
        /// Since when the conversation goes on, if it does, in ISO 8601.
        var since: String?
        /// Those that the unit has not got, the oldest first.
        var answers: [Answer] = []
    }

    static let folderName = "unfinished"
    /// Answers, and bytes of one.
    static let (countLimit, textLimit) = (16, 32 << 10)
    private static let schema = "noafw.unfinished/1"
    private static let fileLimit = 4 << 20
    /// Nobody waits for an older answer.
    private static let ageLimit = Duration.seconds(24 * 3600)

    private let stateFolder: String
    private let now: @Sendable () -> Date

    init(stateFolder: String, now: @escaping @Sendable () -> Date) { (self.stateFolder, self.now) = (stateFolder, now) }

    private var folder: String { "\(stateFolder)/\(Self.folderName)" }

    private func file(of unit: DeviceAddress) -> String { "\(folder)/\(unit.description.replacing(":", with: "-")).json" }

    var time: UTCTime { UTCTime(now()) }

    /// Empty where there is no file, or none that this reads.
    func load(_ unit: DeviceAddress) -> Chat {
        (try? FileReader.read(file(of: unit), limit: Self.fileLimit)).flatMap { chat(in: $0, of: unit) } ?? Chat(unit: unit.description)
    }

    func chat(in document: [UInt8], of unit: DeviceAddress) -> Chat? {
        guard var chat = try? JSONDecoder().decode(Chat.self, from: Data(document)), chat.schema == Self.schema,
            chat.unit == unit.description
        else { return nil }
        chat.answers = Array(chat.answers.filter { isRecent($0.time) && $0.text.utf8.count <= Self.textLimit }.suffix(Self.countLimit))
        if let since = chat.since, !isRecent(since) { chat.since = nil }
        return chat
    }

    private func isRecent(_ text: String) -> Bool {
        guard let then = UTCTime(iso8601: text) else { return false }
        return abs(time.microseconds - then.microseconds) <= Int64(Self.ageLimit.inSeconds * 1_000_000)
    }

    func save(_ chat: Chat, of unit: DeviceAddress) throws {
        if chat.since == nil, chat.answers.isEmpty {
            if FileManager.default.fileExists(atPath: file(of: unit)) { try FileManager.default.removeItem(atPath: file(of: unit)) }
            return
        }
        try FileWriter.makeFolder(folder)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try FileWriter.replace(file(of: unit), with: encoder.encode(chat))
    }

    private var units: [DeviceAddress] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(".json") }.compactMap { DeviceAddress(String($0.dropLast(5)).replacing("-", with: ":")) }
    }

    /// The units whose conversations a process left without ending them, and that none works on.
    private var abandoned: [DeviceAddress] {
        units.filter { unit in load(unit).since != nil && (try? UnitLock(unit: unit, stateFolder: stateFolder)) != nil }
    }

    /// The unit of the conversation that was cut off; `nil` where none or more than one was.
    var cutOff: DeviceAddress? {
        let units = abandoned
        return units.count == 1 ? units[0] : nil
    }

    /// Another unit is the last one from now on.
    func forgetAbandoned() {
        for unit in abandoned {
            var chat = load(unit)
            chat.since = nil
            try? save(chat, of: unit)
        }
    }
}
