import Bluetooth
import Support
import Testing

@testable import BlueZ

/// The way to a link, event by event.
@Suite struct ConnectMachineTests {
    private func at(_ seconds: Double) -> SessionClock.Instant {
        SessionClock.Instant(offset: .milliseconds(Int64(seconds * 1000)))
    }

    private static let address = DeviceAddress("C0:FF:EE:00:00:01")!

    private func machine(deadline: Double = 60) throws -> ConnectMachine {
        ConnectMachine(address: Self.address, deadline: at(deadline))
    }

    @Test func aKnownDeviceIsConnectedAtOnceAndAnUnknownOneIsSought() throws {
        var known = try machine()
        #expect(known.handle(.adapterReady(isKnown: true), at: at(0)) == .connect(until: at(10)))
        var unknown = try machine()
        #expect(unknown.handle(.adapterReady(isKnown: false), at: at(0)) == .find)
        #expect(unknown.handle(.found, at: at(1)) == .connect(until: at(11)))
        #expect(unknown.handle(.connected, at: at(2)) == .awaitServices)
        #expect(unknown.handle(.resolved, at: at(3)) == .succeed)
    }

    /// bluetoothd's plain word for it is believed at once; what may have another reason has to happen twice.
    @Test func aFullAdapterShowsTwice() throws {
        var machine = try machine()
        _ = machine.handle(.adapterReady(isKnown: true), at: at(0))
        #expect(machine.handle(.noPlace(.abortedByLocal), at: at(1)) == .connect(until: at(11)))
        guard case .fail(.link(.adapterFull)) = machine.handle(.noPlace(.abortedByLocal), at: at(2)) else {
            Issue.record("no failure"); return
        }
        var told = try self.machine()
        _ = told.handle(.adapterReady(isKnown: true), at: at(0))
        guard case .fail(.link(.adapterFull)) = told.handle(.noPlace(.linkLimit), at: at(1)) else { Issue.record("no failure"); return }
    }

    @Test func theLastAttemptTakesTheRest() throws {
        var machine = try machine(deadline: 25)
        #expect(machine.handle(.adapterReady(isKnown: true), at: at(0)) == .connect(until: at(10)))
        #expect(machine.handle(.timedOut, at: at(10)) == .connect(until: at(25)))
        guard case .fail(.link(.connectFailed)) = machine.handle(.timedOut, at: at(25)) else { Issue.record("no failure"); return }
    }

    /// A rest that is just long enough for two is divided.
    @Test func twoAttemptsFitInTwentySeconds() throws {
        for (deadline, end) in [(20, 10), (19.9, 19.9)] {
            var machine = try machine(deadline: deadline)
            #expect(machine.handle(.adapterReady(isKnown: true), at: at(0)) == .connect(until: at(end)))
        }
    }

    @Test(arguments: [BlueZError.abortedByLocal, .canceled, .abortedByRemote, .inProgress, .failed("")])
    func crowdedAirIsTriedAgainAtOnce(error: BlueZError) throws {
        var machine = try machine()
        _ = machine.handle(.adapterReady(isKnown: true), at: at(0))
        #expect(machine.handle(.failed(error), at: at(0.1)) == .connect(until: at(10.1)))
    }

    @Test func anErrorThatComesAtOnceDoesNotSpin() throws {
        var machine = try machine()
        var action = machine.handle(.adapterReady(isKnown: true), at: at(0))
        var now = 0.0
        var attempts = 0
        while now < 60 {
            switch action {
            case .connect:
                attempts += 1
                action = machine.handle(.failed(.abortedByLocal), at: at(now))
            case .pause(let until):
                now = max(now + 0.001, Double(until.offset / .milliseconds(1)) / 1000)
                action = machine.handle(.paused, at: at(now))
            default: now = 60
            }
        }
        #expect(attempts < 60)
        #expect(action == .fail(.bluez(.abortedByLocal)))
    }

    /// bluetoothd says NotReady while its adapter is powered for as long as it starts or stops it.
    @Test(arguments: [BlueZError.notReady, .daemonStopped, .doesNotExist])
    func aStepThatFailsAtOnceAgainAndAgainDoesNotSpin(error: BlueZError) throws {
        var machine = try machine()
        var action = machine.handle(.adapterReady(isKnown: true), at: at(0))
        var now = 0.0
        var steps = 0
        var attempts = 0
        while now < 60, steps < 1000 {
            steps += 1
            switch action {
            case .connect:
                attempts += 1
                action = machine.handle(.failed(error), at: at(now))
            case .awaitAdapter: action = machine.handle(.adapterReady(isKnown: true), at: at(now))
            case .find: action = machine.handle(.found, at: at(now))
            case .pause(let until):
                now = Double(until.offset / .milliseconds(1)) / 1000
                action = machine.handle(.paused, at: at(now))
            default: steps = 1000
            }
        }
        #expect(attempts < 60)
        #expect(action == .fail(.bluez(error)))
    }

    @Test func theDeadlineTellsTheLastError() throws {
        var machine = try machine(deadline: 15)
        _ = machine.handle(.adapterReady(isKnown: true), at: at(0))
        _ = machine.handle(.failed(.abortedByLocal), at: at(1))
        #expect(machine.handle(.timedOut, at: at(15)) == .fail(.bluez(.abortedByLocal)))
    }

    @Test func errorsTakeTheirStep() throws {
        func after(_ error: BlueZError) throws -> ConnectMachine.Action {
            var machine = try machine()
            _ = machine.handle(.adapterReady(isKnown: true), at: at(0))
            return machine.handle(.failed(error), at: at(1))
        }
        #expect(try after(.doesNotExist) == .find)
        #expect(try after(.notReady) == .awaitAdapter)
        #expect(try after(.daemonStopped) == .awaitAdapter)
        #expect(try after(.noAdapter("hci0")) == .awaitAdapter)
        #expect(try after(.accessDenied("")) == .fail(.bluez(.accessDenied(""))))
        #expect(try after(.notSupported) == .fail(.bluez(.notSupported)))
    }

    @Test func anAdapterThatHasComeBackIsNoReason() throws {
        var machine = try machine(deadline: 15)
        _ = machine.handle(.adapterReady(isKnown: false), at: at(0))
        _ = machine.handle(.failed(.noAdapter("hci0")), at: at(1))
        #expect(machine.handle(.adapterReady(isKnown: false), at: at(3)) == .find)
        guard case .fail(.link(.connectFailed)) = machine.handle(.timedOut, at: at(15)) else {
            Issue.record("the adapter is blamed")
            return
        }
    }

    @Test func anAdapterThatWasNeverThereIsNotAwaited() throws {
        var machine = try machine()
        #expect(machine.handle(.failed(.noAdapter("hci7")), at: at(1)) == .fail(.bluez(.noAdapter("hci7"))))
    }

    @Test func keysThatDoNotMatchAreForgottenOnce() throws {
        var machine = try machine()
        var now = 0.0
        var action = machine.handle(.adapterReady(isKnown: true), at: at(now))
        var forgotten = 0
        while now < 50 {
            now += 1
            switch action {
            case .connect: action = machine.handle(.encryptionFailed, at: at(now))
            case .forget:
                forgotten += 1
                action = machine.handle(.forgotten, at: at(now))
            case .find: action = machine.handle(.found, at: at(now))
            default: break
            }
            if case .fail = action { break }
        }
        #expect(forgotten == 1)
        guard case .fail(.link(.bondLost(Self.address, _))) = action else { Issue.record("\(action)"); return }
    }

    @Test func aPairingIsRefusedTwice() throws {
        var machine = try machine()
        _ = machine.handle(.adapterReady(isKnown: true), at: at(0))
        #expect(machine.handle(.failed(.pairingFailed), at: at(1)) == .connect(until: at(11)))
        guard case .fail(.link(.pairingRefused(Self.address, _))) = machine.handle(.failed(.pairingFailed), at: at(2)) else {
            Issue.record("no refusal")
            return
        }
    }

    @Test func aLinkLostBeforeItsServicesIsTriedAgain() throws {
        var machine = try machine()
        _ = machine.handle(.adapterReady(isKnown: true), at: at(0))
        _ = machine.handle(.connected, at: at(1))
        #expect(machine.handle(.linkLost, at: at(2)) == .connect(until: at(12)))
    }
}
