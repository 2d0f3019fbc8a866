import Bluetooth
import Support

/// A keyboard's program: it takes a command from a write and types it before it answers.
struct KeyboardModel: UnitModel {
    static let family = "keyboard"
    /// In bytes: NimBLE's preferred one.
    static let largestMTU = 256
    /// From the chip's start: the Wi-Fi has an address by then.
    private static let bootTime = Duration.seconds(3)

    enum Timer {
        case ready
        case restart
        /// The program ends before its first act.
        case crash
        case key(KeyboardTypist.Task)
    }

    let folder: UnitFolder
    let largestMTU: Int
    var usb: KeyboardUSB
    let board: KeyboardBoard
    var timers = TimerQueue<Timer>()
    /// Each task types for itself: the HTTP server's keys come between those of Bluetooth.
    var typists: [KeyboardTypist.Task: KeyboardTypist] = [:]
    let settings: KeyboardSettings
    let network: KeyboardNetwork
    /// Of the program that runs.
    var version = ""
    /// Waits for what the HTTP server types.
    var webReply: Inbox<Bool>?
    /// The stack of the Bluetooth task below a command: what an earlier one left there.
    private var stack: [UInt8] = []

    init(folder: UnitFolder, largestMTU: Int, settings: KeyboardSettings, network: KeyboardNetwork) {
        (self.folder, self.largestMTU, self.settings, board) = (folder, largestMTU, settings, settings.board)
        self.network = network
        usb = KeyboardUSB(file: folder.reports, isPlugged: settings.isPlugged, refused: settings.refusedReports)
    }

    mutating func start(_ image: [UInt8], on unit: inout UnitPlatform) throws {
        board.restart()
        stack = []
        guard try startProgram(at: unit.now) else { return }
        // Without Wi-Fi neither USB nor Bluetooth is started.
        guard settings.knowsWiFi, try folder.keyboardStorage().knowsWiFi else { return }
        timers.add(.ready, at: unit.now + Self.bootTime)
    }

    mutating func stop(_ cause: UnitPlatform.StopCause) {
        timers.removeAll { _ in true }
        typists = [:]
        usb.stop()
        stopNetwork()
    }

    var nextDeadline: Duration? { timers.nextDeadline }

    mutating func advance(on unit: inout UnitPlatform) throws {
        switch timers.takeDue(at: unit.now) {
        case .ready:
            network.begin(version: version, at: unit.now)
            usb.start()
            guard !settings.network.radioless.contains(version) else { return }
            unit.startRadio(as: .keyboard(address: unit.address, largestMTU: largestMTU))
        case .restart: unit.reset(.software)
        case .crash: unit.reset(.crash)
        case .key(let task): try type(as: task, on: &unit)
        case nil: break
        }
    }

    mutating func sense(_ input: UserInput, on unit: inout UnitPlatform) throws {
        switch input {
        case .dock: usb.isPlugged = true
        case .undock: usb.isPlugged = false
        case .tap, .press, .release, .unpair, .cut, .surroundings: break
        }
    }

    mutating func write(_ value: [UInt8], to characteristic: AttributeID, on unit: inout UnitPlatform) throws -> UInt8? {
        guard characteristic == KeyboardAttributes.receive, let command = KeyboardCommand(value) else { return nil }
        board.noteCommand(command.trace)
        begin(KeyboardTypist(command, stack: stack), as: .bluetooth)
        if case .text(let bytes) = command { stack = bytes }
        try type(as: .bluetooth, on: &unit)
        return nil
    }

    /// Nothing begins while the host is not there.
    mutating func begin(_ typist: KeyboardTypist, as task: KeyboardTypist.Task) {
        if usb.isMounted { typists[task] = typist }
    }

    /// The next step of a task, and when the one after it is due.
    mutating func type(as task: KeyboardTypist.Task, on unit: inout UnitPlatform) throws {
        guard let step = typists[task]?.next(layout: board.layout) else { return end(task, on: &unit) }
        if let key = step.key { board.noteKey(key) }
        if step.isOverread { try usb.note("over-read", at: unit.now) }
        guard try usb.send(step.report, at: unit.now) else { return end(task, isWhole: false, on: &unit) }
        if task == .bluetooth { unit.occupyHost() }
        timers.add(.key(task), at: unit.now + step.pause)
    }

    private mutating func end(_ task: KeyboardTypist.Task, isWhole: Bool = true, on unit: inout UnitPlatform) {
        typists[task] = nil
        if task == .web { endWebTyping(isWhole) }
        if task == .bluetooth { unit.releaseHost() }
    }
}
