import Bluetooth
import DFU
import REPL
import ScriptBundle
import Support
import Testing

@testable import Provisioning

struct RetryPolicyTests {
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
        var policy = RetryPolicy(mayRestartUnit: mayRestartUnit)
        var tried: [Remedy] = []
        while let remedy = policy.remedy(for: error, progress: 0, hasLink: true) { tried.append(remedy) }
        return tried
    }

    @Test func theKindOfTheErrorChooses() {
        #expect(remedies(for: Self.memory) == [.softReset, .safeMode, .safeMode])
        #expect(remedies(for: REPLError.garbage("a number")) == [.interrupt, .softReset, .reconnect, .safeMode])
        #expect(remedies(for: REPLError.timedOut("an answer")) == [.interrupt, .reconnect, .safeMode])
        #expect(remedies(for: REPLError.noPrompt) == [.safeMode, .reconnect])
        #expect(remedies(for: REPLError.programInTheWay("x")) == [.safeMode, .reconnect])
        #expect(remedies(for: REPLError.lacking("device.VERSION")) == [.safeMode, .reconnect])
        #expect(remedies(for: ProvisioningError.restartsWhenInterrupted("0x08")) == [.reconnect, .safeMode, .reconnect])
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

    /// Errors of changing kinds do not add up to more.
    @Test func norByTurns() {
        let errors: [any Error] = [
            Self.memory, REPLError.garbage("x"), REPLError.timedOut("x"), REPLError.noPrompt, LinkError.disconnected("x")
        ]
        var policy = RetryPolicy(mayRestartUnit: true)
        var used: [Remedy: Int] = [:]
        for round in 0..<100 {
            guard let remedy = policy.remedy(for: errors[round % errors.count], progress: 0, hasLink: true) else { continue }
            used[remedy, default: 0] += 1
        }
        #expect(used == [.interrupt: 2, .softReset: 2, .safeMode: 2, .reconnect: 2])
    }

    @Test func withoutALinkThereIsNothingToInterrupt() {
        for error in [Self.memory, REPLError.garbage("x"), REPLError.timedOut("x")] {
            var policy = RetryPolicy(mayRestartUnit: true)
            #expect(policy.remedy(for: error, progress: 0, hasLink: false) == .reconnect)
        }
    }

    private struct StationError: DiagnosableError {
        var diagnosis: Diagnosis {
            Diagnosis("BLZ-0012", .unavailable, .station, "off", cause: "", remedy: "")
        }
    }

    @Test func theStationsFaultIsNotTheUnits() {
        #expect(remedies(for: StationError()) == [.reconnect, .reconnect])
    }

    @Test func startingOverIsNoEnd() {
        var reach = Reach([.fpga])
        reach.note(.commit, fraction: 0.5)
        let before = reach.advances
        reach.note(.fpga, fraction: 0.5)
        #expect(reach.advances == before)
        reach.fallBack(to: .erase)
        reach.note(.fpga, fraction: 0.6)
        #expect(reach.advances > before)
    }

    @Test func progressRenewsTheBudget() {
        var policy = RetryPolicy(mayRestartUnit: true)
        #expect(policy.remedy(for: REPLError.garbage("x"), progress: 5, hasLink: true) == .interrupt)
        #expect(policy.remedy(for: REPLError.garbage("x"), progress: 5, hasLink: true) == .softReset)
        #expect(policy.remedy(for: REPLError.garbage("x"), progress: 6, hasLink: true) == .interrupt)
        #expect(policy.remedy(for: REPLError.garbage("x"), progress: 4, hasLink: true) == .softReset)
    }

    @Test func aLinkThatBreaksForEverEnds() {
        var policy = RetryPolicy(mayRestartUnit: true)
        let tried = (1...1000).prefix { policy.remedy(for: LinkError.disconnected("x"), progress: $0, hasLink: true) != nil }
        #expect(tried.count == 60)
    }

    @Test func whatAskingAgainCannotChangeIsNotAskedAgain() {
        let address = DeviceAddress("D0:00:00:00:00:01")!
        let errors: [any Error] = [
            ProvisioningError.unitNotFound(address), ProvisioningError.batteryUnknown,
            ProvisioningError.wrongVersion(.fpga, expected: "a", actual: "b"), ProvisioningError.programEnded,
            ProvisioningError.programFailed("ValueError: x"),
            ScriptError.noSpace(needed: 2, free: 1), CancellationError(),
        ]
        for error in errors { #expect(remedies(for: error).isEmpty, "\(error)") }
    }

    @Test func aUnitThatWasSeenMayBeOnItsWayBack() {
        let address = DeviceAddress("D0:00:00:00:00:01")!
        var policy = RetryPolicy(mayRestartUnit: true)
        _ = policy.remedy(for: LinkError.disconnected("x"), progress: 0, hasLink: true)
        #expect(policy.remedy(for: ProvisioningError.unitNotFound(address), progress: 0, hasLink: true) == .reconnect)
    }
}
