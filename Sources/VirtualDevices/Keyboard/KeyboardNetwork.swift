import Support
import Synchronization

/// What is wrong with a keyboard's Wi-Fi, its flash and its programs, as a test plans it.
package struct KeyboardNetworkFaults: Sendable {
    /// Bytes after which a download breaks off, by its number from 1 on; 0 is that of every other one.
    package var cuts: [Int: Int] = [:]
    /// Versions of programs that end before their first act.
    package var dies: Set<String> = []
    /// Versions of programs that call themselves valid and then hang.
    package var hangs: Set<String> = []
    /// Versions of programs that start no Bluetooth.
    package var radioless: Set<String> = []
    /// What arrives is written wrong.
    package var isFlashBad = false
    /// The unit says that it has succeeded, and stays as it is.
    package var neverRestarts = false

    package init() {}

    func cut(ofDownload number: Int) -> Int? { cuts[number] ?? cuts[0] }
}

/// What a keyboard's HTTP server, its download and its program know of each other.
final class KeyboardNetwork: Sendable {
    enum Update: String, Sendable { case idle, downloading, verifying, success, failed }

    /// What the program has to do.
    enum Request: Sendable {
        case type([UInt8], reply: Inbox<Bool>)
        case restart(after: Duration)
        case forgetWiFi
    }

    struct State: Sendable {
        /// Counts the unit's starts; what belongs to an earlier one is ignored.
        var run = 0
        /// `nil` while the unit is in no network.
        var startedAt: Duration?
        var version = ""
        var update = Update.idle
        var progress = 0
        var log: [String] = []
        /// Over the unit's whole life.
        fileprivate var downloadCount = 0
        fileprivate var requests: [Request] = []
    }

    /// `config.h`: CONFIG_LOG_BUFFER_SIZE; `debug_server.c`: LOG_MSG_MAX_LEN with its end.
    private static let logLines = 50
    private static let longestLine = 127

    let board: KeyboardBoard
    let folder: UnitFolder
    let faults: KeyboardNetworkFaults
    let listener: LoopbackListener
    private let state = Mutex(State())

    init(board: KeyboardBoard, folder: UnitFolder, faults: KeyboardNetworkFaults) throws {
        (self.board, self.folder, self.faults) = (board, folder, faults)
        listener = try LoopbackListener()
    }

    var current: State { state.withLock { $0 } }

    /// Only while the unit's run lasts.
    /// - Returns: whether it does.
    @discardableResult func change(during run: Int, _ body: (inout State) -> Void) -> Bool {
        state.withLock { state in
            guard state.run == run, state.startedAt != nil else { return false }
            body(&state)
            return true
        }
    }

    func note(_ text: String, at now: Duration) {
        state.withLock { state in
            state.log.append(String("[\((now - (state.startedAt ?? now)).components.seconds)] \(text)".prefix(Self.longestLine)))
            if state.log.count > Self.logLines { state.log.removeFirst() }
        }
    }

    /// The unit's program starts its HTTP server.
    func begin(version: String, at now: Duration) {
        state.withLock { state in
            state = State(run: state.run + 1, startedAt: now, version: version, downloadCount: state.downloadCount)
        }
        note("Debug server started", at: now)
    }

    /// - Returns: `false` while an update is under way.
    func begin(during run: Int) -> Bool {
        state.withLock { state in
            guard state.run == run, ![.downloading, .verifying].contains(state.update) else { return false }
            (state.update, state.progress) = (.downloading, 0)
            return true
        }
    }

    func countDownload() -> Int {
        state.withLock { state in
            state.downloadCount += 1
            return state.downloadCount
        }
    }

    func end() { state.withLock { $0.startedAt = nil } }

    func ask(_ request: Request) { state.withLock { $0.requests.append(request) } }

    func takeRequests() -> [Request] {
        state.withLock { state in
            defer { state.requests = [] }
            return state.requests
        }
    }
}
