import Bluetooth
import Provisioning
import REPL
import ScriptBundle
import Support

extension MonocleConsole {
    /// Noa's program sends `rdy:` 7 s after its start (noa-for-ios, `main.py`).
    private static let announcementTimeout = Duration.seconds(15)
    /// How long to listen to a program that never announces itself, and how much longer to wait for a quiet console.
    private static let silence = (least: Duration.seconds(5), more: Duration.seconds(10))
    /// Silence on the console.
    private static let quiet = Duration.seconds(2)
    private static let lookInterval = Duration.milliseconds(100)
    /// Bytes. A program that prints without a pause goes silent by itself: the firmware does not notice a full output ring while the read
    /// position is 0, and then sends nothing more (monocle-micropython, `main.c`).
    private static let chatterLimit = 4096
    /// A program that tidies up has as long as the first.
    private static let interruptTimeouts = [3, 1, 1].map(Duration.seconds)
    private static let announcement = Array("rdy:".utf8)
    static let restartCode = "print('_nr' in globals())"

    /// - Throws: an error of the program; `REPLError` when packets were lost that could have shown one.
    func hearProgram(of scripts: ScriptSet, watching: Duration) async throws -> ProgramVerification {
        // Two signs may be lost on the way.
        for _ in 0..<3 {
            if let heard = try await hearOnce(scripts, watching: watching) { return heard }
        }
        try await startProgram()
        throw ProvisioningError.programSilent(seconds: Self.announcementTimeout.components.seconds)
    }

    /// - Returns: `nil` where nothing came of a program that announces itself.
    private func hearOnce(_ scripts: ScriptSet, watching: Duration) async throws -> ProgramVerification? {
        let announces = scripts.announces(Self.announcement)
        let messages = try await appMessages()
        // A restart removes the helper.
        try await insisting { try await RemoteHelper.ground.ensure(on: repl, within: Self.answerTimeout, asksAnew: true) }
        while messages?.poll() != nil {}
        try await startProgram()
        let start = repl.clock.now
        let isAnnounced = try await hearSign(in: messages, announces: announces, watching: watching)
        let seconds = Int(start.duration(to: repl.clock.now).components.seconds)
        let wasRunning = try await stopProgram()
        let answer = try await confirmed({ $0 == "False" }) {
            try await insisting { try await repl.runText(Self.restartCode, within: Self.answerTimeout) }
        }
        guard answer == "False" else {
            throw REPLError.timedOut("the restart of the unit's Python")
        }
        if announces, !isAnnounced { return nil }
        guard wasRunning else { throw REPLError.garbage("a program that runs") }
        if !isAnnounced { try await checkVersions(of: scripts) }
        return ProgramVerification(isAnnounced ? .announced : .silent, seconds: seconds)
    }

    private func checkVersions(of scripts: ScriptSet) async throws {
        let versions = try await confirmed({ $0.allSatisfy { $0 == scripts.version } }) {
            try await insisting {
                [try await ScriptInstaller.runningVersion(repl), try await ScriptInstaller.installedVersion(repl)]
            }
        }
        for version in versions where version != scripts.version {
            try await startProgram()
            throw ProvisioningError.wrongVersion(.scripts, expected: scripts.version, actual: version)
        }
    }

    /// Subscribes before the start, since a program announces itself only once.
    private func appMessages() async throws -> Inbox<[UInt8]>? {
        do {
            return try await connection.subscribe(to: AppService.transmit, deadline: repl.clock.deadline(in: .seconds(5)))
        } catch LinkError.characteristicMissing {
            return nil
        }
    }

    /// Listens for the program's sign, its errors and its end.
    /// - Returns: whether the sign came.
    private func hearSign(in messages: Inbox<[UInt8]>?, announces: Bool, watching: Duration) async throws -> Bool {
        let clock = repl.clock
        let least = announces ? Self.announcementTimeout : max(Self.silence.least, watching)
        let soonest = clock.deadline(in: least)
        var (console, end, most, isAnnounced) = (Console(), soonest, clock.deadline(in: least + Self.silence.more), false)
        while clock.now < min(end, most) {
            if let bytes = try await repl.nextOutput(before: min(end, clock.deadline(in: Self.lookInterval))) {
                try console.take(bytes)
                if !announces, !isAnnounced { end = max(soonest, clock.deadline(in: Self.quiet)) }
            }
            while !isAnnounced, let message = messages?.poll() {
                guard message.starts(with: Self.announcement) else { continue }
                isAnnounced = true
                end = clock.deadline(in: watching)
                most = end
            }
        }
        guard announces || isAnnounced || end <= most && console.byteCount <= Self.chatterLimit else {
            throw ProvisioningError.programPrints(console.lastLine)
        }
        // A link may pause for almost as long as a program is watched.
        try await repl.settle(within: Self.answerTimeout)
        let rest = clock.deadline(in: .seconds(1))
        while clock.now < rest, let bytes = try await repl.nextOutput(before: clock.deadline(in: Self.lookInterval)) {
            try console.take(bytes)
        }
        return isAnnounced
    }

    private struct Console {
        var reader = ConsoleReader()
        var lastLine = ""
        var byteCount = 0

        mutating func take(_ bytes: [UInt8]) throws {
            byteCount += bytes.count
            for event in reader.receive(bytes) {
                switch event {
                case .line(let line): lastLine = line
                case .raised(let exception): throw ProvisioningError.programFailed(exception.lastLine)
                case .ended: throw ProvisioningError.programEnded
                }
            }
        }
    }

    /// Interrupts the program, which may catch that once or twice, and gets to the raw prompt.
    /// - Returns: whether the unit reported that this ended a program. A program that had ended before shows nothing but a prompt.
    private func stopProgram() async throws -> Bool {
        restoreGuard.interrupted()
        var reader = ConsoleReader()
        var wasRunning = false
        for timeout in Self.interruptTimeouts where !wasRunning {
            let deadline = repl.clock.deadline(in: timeout)
            try await repl.interrupt(within: timeout)
            while !wasRunning, let bytes = try await repl.nextOutput(before: deadline) {
                wasRunning = reader.receive(bytes).contains(.ended)
            }
        }
        try await repl.recover(within: Self.promptTimeout)
        return wasRunning
    }
}

extension ScriptSet {
    fileprivate func announces(_ announcement: [UInt8]) -> Bool {
        files.contains { $0.bytes.contains(bytes: announcement) }
    }
}
