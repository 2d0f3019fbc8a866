import Provisioning
import REPL
import ScriptBundle
import Support

extension FrameConsole {
    /// How long a program that tells no version is listened to, at least and at most.
    private static let silence = (least: Duration.seconds(5), most: Duration.seconds(15))
    /// Without a word of the console.
    private static let quiet = Duration.seconds(2)
    /// Bytes.
    private static let chatterLimit = 4096

    /// Starts the unit's program and waits until it has shown that it lives.
    /// - Throws: ``ProvisioningError/programFailed(_:)``, ``ProvisioningError/programEnded``,
    ///   ``ProvisioningError/programSilent(seconds:)``, ``ProvisioningError/programPrints(_:)``,
    ///   ``ProvisioningError/wrongVersion(_:expected:actual:)``.
    public func verifyProgram(of scripts: ScriptSet) async throws -> ProgramVerification {
        try await scripts.tellsVersion ? hearVersion(of: scripts) : hearSilence(of: scripts)
    }

    private func hearVersion(of scripts: ScriptSet) async throws -> ProgramVerification {
        let sign: LuaProgramSign
        do {
            sign = try await insisting { try await repl.startProgram(asks: true, within: Self.answerTimeout) }
        } catch REPLError.lua(let exception) {
            throw ProvisioningError.programFailed(exception.message)
        }
        restoreGuard.started()
        switch sign {
        case .version(scripts.version): return .announced
        case .version(let actual): throw ProvisioningError.wrongVersion(.scripts, expected: scripts.version, actual: actual)
        case .silent: throw ProvisioningError.programSilent(seconds: LuaREPL.programTimeout.components.seconds)
        }
    }

    /// A program of which nothing is known but that it must not fail, must not end, and has to be the one that was installed.
    private func hearSilence(of scripts: ScriptSet) async throws -> ProgramVerification {
        try await startProgram()
        try await awaitSilence()
        restoreGuard.interrupted()
        guard try await repl.stopProgram(within: Self.promptTimeout) else { throw ProvisioningError.programEnded }
        let versions = [try await ask(Self.runningVersionCode), try await version(of: .scripts)]
        try await startProgram()
        for version in versions where version != scripts.version {
            throw ProvisioningError.wrongVersion(.scripts, expected: scripts.version, actual: version)
        }
        return .silent
    }

    /// - Throws: ``ProvisioningError/programPrints(_:)`` when it does not come.
    private func awaitSilence() async throws {
        let clock = repl.clock
        let (least, most) = (clock.deadline(in: Self.silence.least), clock.deadline(in: Self.silence.most))
        var (count, last, end) = (0, "", least)
        while clock.now < end, let notification = try await repl.next(before: end) {
            guard case .text(let bytes) = notification else { continue }
            let exception = LuaException(bytes)
            if exception.endsProgram { throw ProvisioningError.programFailed(exception.message) }
            (count, last, end) = (count + bytes.count, exception.message, max(least, clock.deadline(in: Self.quiet)))
            guard end <= most, count <= Self.chatterLimit else { throw ProvisioningError.programPrints(last) }
        }
    }
}

extension ScriptSet {
    /// What a program holds that answers the question for its version, as Lua writes it.
    private static let versionMessages = [Array("\\x17".utf8), Array("\\x18".utf8)]

    fileprivate var tellsVersion: Bool {
        Self.versionMessages.allSatisfy { message in files.contains { $0.bytes.firstRange(of: message) != nil } }
    }
}
