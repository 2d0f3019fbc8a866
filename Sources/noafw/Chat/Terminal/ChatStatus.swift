import Assistant

/// The status line: unit, battery, link, mode, and current activity.
struct ChatStatus {
    let unit: String
    let assistant: String
    private(set) var mode: AssistantMode
    private var battery: Int?
    private var link = "connecting"
    private var activity: String?
    private var waiting = 0

    init(unit: String, assistant: String, mode: AssistantMode) {
        (self.unit, self.assistant, self.mode) = (unit, assistant, mode)
    }

    mutating func take(_ event: ChatEvent) {
        switch event {
        case .connecting, .starting: link = "connecting"
        case .connected(let status):
            link = "connected"
            battery = status.batteryPercent ?? battery
        case .ready: (link, waiting) = ("ready", 0)
        case .silent: (link, waiting) = ("silent", 0)
        case .lost, .reconnecting: link = "link lost"
        case .listening: activity = "listening"
        case .asked(_, .picture), .asked(_, .notice): activity = "sending"
        case .asked, .heard: activity = "understanding"
        case .thinking: activity = "thinking"
        case .retrying: activity = "waiting for the server"
        case .answerPiece: activity = "answering"
        case .answered: activity = "sending"
        case .sent(_, awaitsReceipt: false), .delivered, .undeliverable, .failed, .cancelled, .recordingDropped: activity = nil
        case .mode(let mode): self.mode = mode
        case .undelivered(let count): waiting = count
        case .programEnded: link = "program ended"
        case .console, .consoleLeftOut, .raised, .sent, .repeated, .photo, .version, .pong, .notice, .noticesLeftOut, .folded,
            .historyCleared:
            break
        }
    }

    func line(columns: Int) -> String {
        let parts = [
            unit, battery.map { "battery \($0) %" }, link, "\(mode.rawValue): \(assistant)", activity,
            waiting > 0 ? "\(waiting) undelivered" : nil,
        ].compactMap { $0 }
        let text = "[ " + parts.map(UntrustedText.escape).joined(separator: " | ") + " ]"
        return DisplayWidth.prefix(text, columns: max(8, columns - 1))
    }
}
