import Bluetooth
import REPL
import ScriptBundle

/// How a unit's program has shown that it lives.
public enum ProgramProof: String, Sendable {
    /// It says so itself over the app's service.
    case announced
    /// It never says so: no error came, the console fell quiet, and the program that runs is of the right version.
    case silent
}

extension UnitSession {
    /// Noa's program says `rdy:` 7 s after its start (noa-for-ios, `main.py`).
    private static let announcementPatience = Duration.seconds(15)
    /// How long a program that never announces itself is listened to.
    private static let silencePatience = Duration.seconds(5)
    /// Without a word of the console at the end of it.
    private static let quiet = Duration.seconds(2)
    /// Bytes. A program that prints without a pause falls silent by itself: the firmware does not notice that its output ring is
    /// full while the read position is 0, and then sends nothing more (monocle-micropython, `main.c`).
    private static let chatterLimit = 4096
    /// An error right after the announcement still counts.
    private static let aftermath = Duration.milliseconds(300)
    private static let announcement = Array("rdy:".utf8)

    private enum Sign: Sendable {
        case announced
        /// What the console said last, if it has not fallen quiet.
        case silent(lastLine: String?)
    }

    /// Starts the unit's program and waits until it has shown that it lives.
    /// - Throws: ``ProvisioningError/programFailed(_:)``, ``ProvisioningError/programEnded``,
    ///   ``ProvisioningError/programSilent(seconds:)``, ``ProvisioningError/programPrints(_:)``.
    func proveProgram(of scripts: ScriptSet) async throws -> ProgramProof {
        let announces = scripts.announces(Self.announcement)
        let patience = announces ? Self.announcementPatience : Self.silencePatience
        let messages = try await appMessages()
        try await startProgram()
        switch try await sign(in: messages, within: patience) {
        case .announced: return .announced
        case .silent where announces: throw ProvisioningError.programSilent(seconds: patience.components.seconds)
        case .silent(let line?): throw ProvisioningError.programPrints(line)
        case .silent(nil):
            try await repl.recover(within: MonocleRadio.promptPatience)
            let running = try await insisting { try await ScriptInstaller.runningVersion(repl) }
            try await startProgram()
            guard running == scripts.version else {
                throw ProvisioningError.wrongVersion(.scripts, expected: scripts.version, actual: running)
            }
            return .silent
        }
    }

    /// Subscribed before the start: a program announces itself once.
    private func appMessages() async throws -> Inbox<[UInt8]>? {
        do {
            return try await connection.subscribe(to: AppService.transmit, deadline: repl.clock.deadline(in: .seconds(5)))
        } catch LinkError.characteristicMissing {
            return nil
        }
    }

    private func sign(in messages: Inbox<[UInt8]>?, within patience: Duration) async throws -> Sign {
        let deadline = repl.clock.deadline(in: patience)
        return try await withThrowingTaskGroup(of: Sign?.self) { group in
            group.addTask { try await listen(until: deadline) }
            if let messages {
                group.addTask {
                    while let message = try await messages.next(before: deadline, on: repl.clock) {
                        guard message.starts(with: Self.announcement) else { continue }
                        try await repl.clock.sleep(until: repl.clock.deadline(in: Self.aftermath))
                        return .announced
                    }
                    return nil
                }
            }
            defer { group.cancelAll() }
            while let sign = try await group.next() {
                if let sign { return sign }
            }
            return .silent(lastLine: nil)
        }
    }

    /// - Throws: what ends the program, or shows that it is broken.
    private func listen(until deadline: SessionClock.Instant) async throws -> Sign {
        var reader = ConsoleReader()
        var lastLine = ""
        var quietSince = repl.clock.now
        var byteCount = 0
        while let bytes = try await repl.console(before: deadline) {
            quietSince = repl.clock.now
            byteCount += bytes.count
            for event in reader.receive(bytes) {
                switch event {
                case .line(let line): lastLine = line
                case .raised(let exception): throw ProvisioningError.programFailed(exception)
                case .ended: throw ProvisioningError.programEnded
                }
            }
            if repl.clock.now >= deadline { break }
        }
        let isQuiet = byteCount <= Self.chatterLimit && quietSince.duration(to: repl.clock.now) >= Self.quiet
        return .silent(lastLine: isQuiet ? nil : lastLine)
    }
}

extension ScriptSet {
    /// Whether some file holds what a program would have to send.
    fileprivate func announces(_ announcement: [UInt8]) -> Bool {
        files.contains { $0.bytes.firstRange(of: announcement) != nil }
    }
}
