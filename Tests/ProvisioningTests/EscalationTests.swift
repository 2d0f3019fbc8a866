import Bluetooth
import DFU
import REPL
import ScriptBundle
import Testing

@testable import Provisioning

struct EscalationTests {
    private static let memory = REPLError.exception(exception("MemoryError: memory allocation failed, allocating 512 bytes"))

    private static func exception(_ text: String) -> PythonException {
        var reader = ConsoleReader()
        for event in reader.receive(Array("Traceback (most recent call last):\r\n\(text)\r\n".utf8)) {
            if case .raised(let exception) = event { return exception }
        }
        preconditionFailure("no exception in \(text)")
    }

    /// What is tried when nothing helps.
    private func remedies(for error: any Error, mayRestartUnit: Bool = true) -> [Remedy] {
        var escalation = Escalation(mayRestartUnit: mayRestartUnit)
        var tried: [Remedy] = []
        while let remedy = escalation.remedy(for: error, progress: 0) { tried.append(remedy) }
        return tried
    }

    @Test func theKindOfTheErrorChooses() {
        #expect(remedies(for: Self.memory) == [.softReset, .safeMode, .safeMode])
        #expect(remedies(for: REPLError.garbage("a number")) == [.interrupt, .softReset, .reconnect, .safeMode])
        #expect(remedies(for: REPLError.timedOut("an answer")) == [.interrupt, .reconnect, .safeMode])
        #expect(remedies(for: REPLError.noPrompt) == [.safeMode, .reconnect])
        #expect(remedies(for: LinkError.disconnected("0x08")) == [.reconnect, .reconnect])
        #expect(remedies(for: ProvisioningError.doesNotReturn) == [.reconnect, .reconnect])
    }

    @Test func whoOnlyLooksDoesNotRestartTheUnit() {
        for error in [Self.memory, REPLError.garbage("x"), REPLError.timedOut("x"), REPLError.noPrompt] {
            #expect(!remedies(for: error, mayRestartUnit: false).contains(.safeMode))
        }
    }

    @Test func nothingIsTriedMoreThanTwiceUnchanged() {
        let errors: [any Error] = [
            Self.memory, REPLError.garbage("x"), REPLError.timedOut("x"), REPLError.noPrompt, LinkError.disconnected("x"),
            REPLError.exception(Self.exception("NameError: x")), ScriptError.uploadFailed("main.py"),
        ]
        for error in errors {
            let tried = remedies(for: error)
            for remedy in tried { #expect(tried.count { $0 == remedy } <= 2, "\(error)") }
        }
    }

    @Test func progressRenewsTheBudget() {
        var escalation = Escalation(mayRestartUnit: true)
        #expect(escalation.remedy(for: REPLError.garbage("x"), progress: 5) == .interrupt)
        #expect(escalation.remedy(for: REPLError.garbage("x"), progress: 5) == .softReset)
        #expect(escalation.remedy(for: REPLError.garbage("x"), progress: 6) == .interrupt)
        #expect(escalation.remedy(for: REPLError.garbage("x"), progress: 4) == .softReset)
    }

    @Test func aLinkThatBreaksForEverEnds() {
        var escalation = Escalation(mayRestartUnit: true)
        let tried = (1...1000).prefix { escalation.remedy(for: LinkError.disconnected("x"), progress: $0) != nil }
        #expect(tried.count == 60)
    }

    @Test func whatAskingAgainCannotChangeIsNotAskedAgain() {
        let address = DeviceAddress("D0:00:00:00:00:01")!
        let errors: [any Error] = [
            ProvisioningError.unitNotFound(address), ProvisioningError.batteryUnknown,
            ProvisioningError.wrongVersion(.fpga, expected: "a", actual: "b"), ProvisioningError.programEnded,
            ProvisioningError.programFailed(Self.exception("ValueError: x")), REPLError.lacking("x"),
            ScriptError.noSpace(needed: 2, free: 1), CancellationError(),
        ]
        for error in errors { #expect(remedies(for: error).isEmpty, "\(error)") }
    }

    @Test func aUnitThatWasSeenMayBeOnItsWayBack() {
        let address = DeviceAddress("D0:00:00:00:00:01")!
        var escalation = Escalation(mayRestartUnit: true)
        _ = escalation.remedy(for: LinkError.disconnected("x"), progress: 0)
        #expect(escalation.remedy(for: ProvisioningError.unitNotFound(address), progress: 0) == .reconnect)
    }
}
