import Assistant
import Bluetooth
import Ledger
import Support
import Synchronization

/// The answers of a conversation that its unit has not got.
struct UndeliveredAnswers: Sendable {
    private struct Entry {
        var answer: UnfinishedChats.Answer
        /// `nil` until an earlier conversation's answer has its turn.
        var turn: TurnID?
        var isOffered = false
    }

    private var entries: [Entry]

    /// - Parameter answers: of an earlier conversation.
    init(_ answers: [UnfinishedChats.Answer] = []) { entries = answers.map { Entry(answer: $0) } }

    var answers: [UnfinishedChats.Answer] { entries.map(\.answer) }

    /// The texts of an earlier conversation's, once: they are told in this order.
    mutating func offer() -> [String] {
        let texts = entries.filter { $0.turn == nil && !$0.isOffered }.map(\.answer.text)
        for index in entries.indices where entries[index].turn == nil { entries[index].isOffered = true }
        return texts
    }

    /// - Returns: whether ``answers`` has changed.
    mutating func take(_ event: ChatEvent, time: String) -> Bool {
        switch event {
        case .asked(let id, .notice):
            if let index = entries.firstIndex(where: { $0.turn == nil && $0.isOffered }) { entries[index].turn = id }
            return false
        case .answered(let id, let text, _) where (1...UnfinishedChats.textLimit).contains(text.utf8.count):
            if entries.count == UnfinishedChats.countLimit { entries.removeFirst() }
            entries.append(Entry(answer: UnfinishedChats.Answer(text: text, time: time), turn: id))
            return true
        // One that a full queue has pushed out has not been seen.
        case .cancelled(_, .queueFull): return false
        case .delivered(let id), .sent(let id, awaitsReceipt: false), .cancelled(let id, _):
            let count = entries.count
            entries.removeAll { $0.turn == id }
            return entries.count < count
        default: return false
        }
    }
}

/// Keeps a conversation's undelivered answers in the state folder.
final class AnswerKeeper: Sendable {
    private let chats: UnfinishedChats
    private let unit: DeviceAddress
    private let isResumable: Bool
    private let keepsAnswers: Bool
    private let tell: @Sendable (String) -> Void
    private let state: Mutex<UndeliveredAnswers>
    private let hasFailed = Mutex(false)

    /// - Parameters:
    ///   - isResumable: a later conversation may look for this unit.
    ///   - keepsAnswers: otherwise what is kept stays as it is.
    ///   - tell: gets a problem of the file, once.
    init(
        _ chats: UnfinishedChats, unit: DeviceAddress, isResumable: Bool, keepsAnswers: Bool, tell: @escaping @Sendable (String) -> Void
    ) {
        (self.chats, self.unit, self.isResumable, self.keepsAnswers, self.tell) = (chats, unit, isResumable, keepsAnswers, tell)
        state = Mutex(UndeliveredAnswers(chats.load(unit).answers))
    }

    /// Of an earlier conversation, the oldest first.
    var waiting: [UnfinishedChats.Answer] { keepsAnswers ? state.withLock { $0.answers } : [] }

    /// The earlier conversation's are given up.
    func drop() { state.withLock { $0 = UndeliveredAnswers() } }

    /// - Returns: the texts to show on the unit, in this order.
    func begin() -> [String] {
        chats.forgetAbandoned()
        let (texts, answers) = state.withLock { (keepsAnswers ? $0.offer() : [], $0.answers) }
        save(answers, isOpen: true)
        return texts
    }

    /// Call it with each event, before anybody sees it: what the unit has got is never offered again.
    func take(_ event: ChatEvent) {
        guard keepsAnswers else { return }
        let answers = state.withLock { state in state.take(event, time: chats.time.iso8601) ? state.answers : nil }
        if let answers { save(answers, isOpen: true) }
    }

    func end() { save(state.withLock { $0.answers }, isOpen: false) }

    private func save(_ answers: [UnfinishedChats.Answer], isOpen: Bool) {
        let chat = UnfinishedChats.Chat(
            unit: unit.description, since: isOpen && isResumable ? chats.time.iso8601 : nil, answers: answers)
        do {
            try chats.save(chat, of: unit)
        } catch {
            let isFirst = hasFailed.withLock { failed in
                defer { failed = true }
                return !failed
            }
            if isFirst { tell("answers that do not reach the unit cannot be kept: \(SystemError.text(error))") }
        }
    }
}
