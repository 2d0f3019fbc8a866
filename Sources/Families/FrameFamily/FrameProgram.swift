import Provisioning
import REPL
import ScriptBundle
import Support

extension FrameConsole {
    /// How long to listen to a program that reports no version, and how much longer to wait for a quiet console.
    private static let silence = (least: Duration.seconds(5), more: Duration.seconds(10))
    /// Silence on the console.
    private static let quiet = Duration.seconds(2)
    /// Bytes.
    private static let chatterLimit = 4096
    private static let knockInterval = Duration.milliseconds(500)
    /// Runs the program for its error, which is lost when something was sent right before it.
    static let rerunCode = "local o,e=pcall(require,'main')return o and''or tostring(e):sub(1,300)"

    func hearProgram(of scripts: ScriptSet, watching: Duration) async throws -> ProgramVerification {
        let start = repl.clock.now
        let tells = scripts.tellsVersion
        do {
            if tells { try await hearVersion(of: scripts) } else { try await startProgram() }
            try await watch(for: tells ? watching : max(watching, Self.silence.least), untilQuiet: !tells)
        } catch REPLError.lua(let exception) {
            throw ProvisioningError.programFailed(exception.programMessage)
        }
        let seconds = Int(start.duration(to: repl.clock.now).components.seconds)
        restoreGuard.interrupted()
        try await repl.recover(within: Self.promptTimeout)
        if !tells { try await checkVersions(of: scripts) }
        return ProgramVerification(tells ? .announced : .silent, seconds: seconds)
    }

    private func hearVersion(of scripts: ScriptSet) async throws {
        let actual = try await confirmed({ $0 == nil || $0 == scripts.version }) {
            try await insisting { try await repl.startProgram(within: Self.answerTimeout) }
        }
        restoreGuard.started()
        guard let actual else {
            try await watch(for: Self.knockInterval, untilQuiet: false)
            throw ProvisioningError.programSilent(seconds: LuaREPL.programTimeout.components.seconds)
        }
        guard actual == scripts.version else {
            throw ProvisioningError.wrongVersion(.scripts, expected: scripts.version, actual: actual)
        }
    }

    /// A silent program must be the one that was installed.
    private func checkVersions(of scripts: ScriptSet) async throws {
        let versions = try await confirmed({ $0.allSatisfy { $0 == scripts.version } }) {
            [try await ask(Self.runningVersionCode), try await version(of: .scripts)]
        }
        for version in versions where version != scripts.version {
            throw ProvisioningError.wrongVersion(.scripts, expected: scripts.version, actual: version)
        }
    }

    /// Listens while a question waits at the prompt, which answers it once the program has ended.
    /// - Parameter untilQuiet: also waits for a quiet console.
    private func watch(for least: Duration, untilQuiet: Bool) async throws {
        let (clock, word) = (repl.clock, PythonREPL.randomNonce())
        let (soonest, most) = (clock.deadline(in: least), clock.deadline(in: least + Self.silence.more))
        var (count, end) = (0, soonest)
        var isOver: Bool
        repeat {
            isOver = clock.now >= end
            try await repl.knock(word, within: Self.answerTimeout)
            // The last time only what has come counts: a link may pause for almost as long as a program is watched.
            let pause = isOver ? clock.now : clock.deadline(in: Self.knockInterval)
            while let notification = try await repl.next(before: pause) {
                guard case .text(let bytes) = notification else { continue }
                if bytes == Array(word.utf8) { throw try await ending() }
                let exception = LuaException(bytes)
                if exception.endsProgram { throw REPLError.lua(exception) }
                guard untilQuiet else { continue }
                (count, end) = (count + bytes.count, max(soonest, clock.deadline(in: Self.quiet)))
                guard end <= most, count <= Self.chatterLimit else { throw ProvisioningError.programPrints(exception.message) }
            }
        } while !isOver || clock.now < end
    }

    /// Runs the program again at the prompt, which keeps its error.
    private func ending() async throws -> any Error {
        restoreGuard.interrupted()
        try await repl.recover(within: Self.promptTimeout)
        let error = try await repl.runText(Self.rerunCode, within: LuaREPL.programTimeout)
        return error.isEmpty ? ProvisioningError.programEnded : REPLError.lua(LuaException(error.utf8))
    }
}

extension ScriptSet {
    /// In the source of a program that answers the question for its version.
    private static let versionMessages = [Array("\\x17".utf8), Array("\\x18".utf8)]

    fileprivate var tellsVersion: Bool {
        Self.versionMessages.allSatisfy { message in files.contains { $0.bytes.contains(bytes: message) } }
    }
}
