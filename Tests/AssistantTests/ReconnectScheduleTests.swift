import Testing

@testable import Assistant

@Suite struct ReconnectScheduleTests {
    private var schedule = ReconnectSchedule(delays: [.seconds(1), .seconds(5)])

    @Test mutating func theFirstLinkHasOneAttempt() {
        #expect(schedule.attempt == 1 && schedule.knownStatus == nil)
        let mayGoOn = schedule.failed()
        #expect(!mayGoOn)
    }

    @Test mutating func aLostLinkIsTriedAgainWithGrowingPauses() {
        let status = UnitStatus(batteryPercent: 80)
        schedule.succeeded(status)
        #expect(schedule.attempt == 1 && schedule.delay == .seconds(1) && schedule.knownStatus == status)
        for attempt in 2...4 {
            let mayGoOn = schedule.failed()
            #expect(mayGoOn)
            #expect(schedule.attempt == attempt && schedule.delay == .seconds(5) && schedule.knownStatus == status)
        }
        schedule.succeeded(status)
        #expect(schedule.attempt == 1 && schedule.delay == .seconds(1))
    }

    @Test func withoutDelaysItIsTriedEverySecond() { #expect(ReconnectSchedule(delays: []).delay == .seconds(1)) }
}
