import Bluetooth
import Provisioning
import Support
import Testing

@testable import noafw

/// The course of a shift at one place, in simulated time.
@Suite struct LineRunTests {
    private func unit(_ number: Int, _ serial: String = "-") -> String { "\(FleetSample.address(number)) \(serial)" }

    @Test func oneUnitAfterAnotherIsWorkedOn() async throws {
        let (place, report) = try await LinePlace.shift { place in
            for number in 1...3 {
                place.put([number])
                try await place.wait(60)
                place.put([])
                try await place.wait(20)
            }
        }
        #expect(place.worked == [unit(1), unit(2), unit(3)] && report.passed && report.entries.count == 3)
    }

    @Test func aShiftThatDrainsFinishesItsUnit() async throws {
        let (place, report) = try await LinePlace.shift { place in
            place.put([1])
            try await place.wait(10)
        }
        #expect(place.worked == [unit(1)] && report.passed)
    }

    /// An empty place in a quiet room, all night long.
    @Test func anEmptyPlaceIsToldOnceAndWaitedAt() async throws {
        let (place, report) = try await LinePlace.shift { place in
            try await place.wait(36_000)
            place.put([1])
            try await place.wait(60)
        }
        #expect(place.lines.count { $0.contains("nothing at all was heard for 3 minutes") } == 1, "\(place.lines)")
        #expect(place.worked == [unit(1)] && report.passed)
    }

    @Test func aStoppedRolloutEndsTheLine() async throws {
        let (place, report) = try await LinePlace.shift(error: FleetSample.failed) { place in
            for number in 1...3 {
                place.put([number])
                try await place.wait(60)
                place.put([])
                try await place.wait(20)
            }
        }
        #expect(place.worked == [unit(1), unit(2)] && report.entries.count == 2)
        #expect(report.stop?.code == "FLT-0010" && !report.passed)
    }

    @Test func theVerdictsOutliveTheAdapter() async throws {
        let (_, report) = try await LinePlace.shift { place in
            place.put([1])
            try await place.wait(60)
            place.breakOff()
            try await place.wait(60)
        }
        #expect(report.entries.map(\.verdict) == [.pass] && !report.passed && report.exitCode(isInterrupted: false) == 75)
        #expect(report.stop?.message.contains("the adapter is gone") == true)
    }

    @Test func anAdapterThatIsGoneFromTheStartIsItsError() async throws {
        await #expect(throws: LinkError.self) {
            _ = try await LinePlace.shift { place in
                try await place.wait(1)
                place.breakOff()
                try await place.wait(60)
            }
        }
    }

    @Test func aStrangersBootloaderIsLeftAlone() async throws {
        let (place, _) = try await LinePlace.shift { place in
            place.put([1], isBootloader: true)
            try await place.wait(60)
        }
        #expect(
            place.worked.isEmpty && place.lines.count { $0.contains("is a bootloader that this station has not worked on") } == 1,
            "\(place.lines)")
    }

    @Test func aHaloIsLeftAlone() async throws {
        let (place, report) = try await LinePlace.shift { place in
            place.put([7], name: "Halo 12")
            try await place.wait(60)
            place.put([1])
            try await place.wait(60)
        }
        #expect(place.worked == [unit(1)] && report.passed, "it is no failure")
        #expect(
            place.lines.count { $0 == "\(FleetSample.address(7)) is a Halo, not supported yet: it is left alone" } == 1, "\(place.lines)")
    }

    // MARK: - Serial numbers

    @Test func aNumberIsScannedBeforeTheUnitIsPutThereOrAfter() async throws {
        let (place, _) = try await LinePlace.shift(asksForSerials: true) { place in
            place.scan("SN1")
            place.put([1])
            try await place.wait(60)
            place.put([])
            try await place.wait(20)
            place.put([2])
            try await place.wait(20)
            #expect(place.worked.count == 1)
            place.scan("SN2")
            try await place.wait(60)
        }
        #expect(place.worked == [unit(1, "SN1"), unit(2, "SN2")])
    }

    /// The operator changed the unit before the scan: the number is of the one that lies here.
    @Test(arguments: [0, 0.5, 2, 4, 30]) func aNumberIsForTheUnitThatLiesHere(seconds: Double) async throws {
        let (place, _) = try await LinePlace.shift(asksForSerials: true) { place in
            place.put([1])
            try await place.wait(10)
            place.put([2])
            if seconds > 0 { try await place.wait(seconds) }
            place.scan("SN2")
            try await place.wait(60)
        }
        #expect(place.worked == [unit(2, "SN2")], "\(place.lines)")
    }

    /// The unit was taken away a moment ago, and only a phone is heard when the next one's number is scanned.
    @Test func aNumberIsNotForAUnitThatIsNotHeardAnyMore() async throws {
        let (place, _) = try await LinePlace.shift(asksForSerials: true) { place in
            place.put([1])
            try await place.wait(10)
            place.put([9], name: "phone")
            place.scan("SN2")
            try await place.wait(2)
            place.put([2])
            try await place.wait(60)
        }
        #expect(place.worked == [unit(2, "SN2")], "\(place.lines)")
    }

    @Test func aUnitThatWaitsForItsNumberMayGo() async throws {
        let (place, report) = try await LinePlace.shift(asksForSerials: true) { place in
            place.put([1])
            try await place.wait(10)
            place.put([])
            try await place.wait(10)
            place.scan("SN1")
            try await place.wait(10)
        }
        #expect(place.worked.isEmpty && report.entries.isEmpty)
    }

    /// It lies there, and nobody has scanned its number.
    @Test func aDrainedLineWorksOnNoUnitThatWaitsForItsNumber() async throws {
        let (place, report) = try await LinePlace.shift(asksForSerials: true) { place in
            place.put([1])
            try await place.wait(10)
            place.drain.end()
            place.scan("SN1")
            try await place.wait(60)
        }
        #expect(place.worked.isEmpty && report.entries.isEmpty)
    }

    @Test func whichOfTwoANumberIsForIsNotGuessed() async throws {
        let (place, _) = try await LinePlace.shift(asksForSerials: true) { place in
            place.put([1])
            try await place.wait(10)
            place.put([1, 2])
            try await place.wait(5)
            place.scan("SN1")
            try await place.wait(30)
            #expect(place.worked.isEmpty && place.lines.contains("several 2"))
            place.put([1])
            try await place.wait(60)
        }
        #expect(place.worked == [unit(1, "SN1")])
    }

    @Test func theNumberOfAnotherUnitIsRefusedBeforeTheUnitIsTouched() async throws {
        let (place, _) = try await LinePlace.shift(asksForSerials: true, bound: ["SN1": 1]) { place in
            place.put([2])
            try await place.wait(10)
            place.scan("SN1")
            try await place.wait(30)
            #expect(place.worked.isEmpty && place.lines.suffix(2) == ["NOA-0056", "asking"], "\(place.lines)")
            place.scan("SN2")
            try await place.wait(60)
        }
        #expect(place.worked == [unit(2, "SN2")])
    }

    @Test func theNumberOfAnotherUnitIsTakenWhenAsked() async throws {
        let (place, _) = try await LinePlace.shift(asksForSerials: true, bound: ["SN1": 1], rebinds: true) { place in
            place.put([2])
            try await place.wait(10)
            place.scan("SN1")
            try await place.wait(60)
        }
        #expect(place.worked == [unit(2, "SN1")])
    }

    /// The label of a unit that has passed is scanned when it is put there again: the next unit does not get its number.
    @Test func theNumberOfAUnitThatHasPassedIsNotKept() async throws {
        let (place, _) = try await LinePlace.shift(asksForSerials: true) { place in
            for (number, serial) in [(1, "SN1"), (2, "SN2"), (1, "SN3"), (3, "SN4")] {
                place.scan(serial)
                place.put([number])
                try await place.wait(60)
                place.put([])
                try await place.wait(20)
                if number == 1, serial == "SN3" { #expect(place.desk?.held == nil && place.lines.contains("met again")) }
            }
        }
        #expect(place.worked == [unit(1, "SN1"), unit(2, "SN2"), unit(3, "SN4")])
    }

    @Test func aScanWhileAUnitRunsIsNotForTheNextOne() async throws {
        let (place, _) = try await LinePlace.shift(asksForSerials: true) { place in
            place.scan("SN1")
            place.put([1])
            try await place.wait(20)
            place.scan("SN2")
            try await place.wait(60)
        }
        #expect(place.worked == [unit(1, "SN1")] && place.lines.contains("NOA-0057") && place.desk?.held == nil)
    }
}
