import Foundation
import Support
import Synchronization
import Testing

@testable import Ledger

@Suite struct RunIDTests {
    @Test func anIdentityIsAUUIDOfVersion7() throws {
        let id = RunIDGenerator(now: { UTCTime(microseconds: 1_645_557_742_000_999) }, random: { 0x18C4_DC0C_0C07_398F }).next()
        // RFC 9562, appendix A.6, has the same millisecond.
        #expect("\(id)".hasPrefix("017f22e2-79b0-7"))
        #expect(RunID("\(id)") == id)
        #expect(UUID(uuidString: "\(id)")?.uuidString.lowercased() == "\(id)")
        #expect(try JSONDecoder().decode([RunID].self, from: JSONEncoder().encode([id])) == [id])
        for text in [
            "", "017f22e2-79b0-7cc3-98c4-dc0c0c07398", "017f22e2-79b0-4cc3-98c4-dc0c0c07398f", "017f22e2-79b0-7cc3-18c4-dc0c0c07398f",
            "+17f22e2-79b0-7cc3-98c4-dc0c0c07398f", "017f22e279b07cc398c4dc0c0c07398f"]
        { #expect(RunID(text) == nil, "\(text)") }
    }

    @Test func noneIsBeforeAll() { #expect("\(RunID.none)" == "00000000-0000-7000-8000-000000000000") }

    @Test func identitiesGrowWhateverTheClockDoes() {
        let times: [Int64] = [5000, 5000, 5000, 9_000, 1000, 0, -7, 9_000, 9_999, 10_000]
        for random: UInt64 in [0, 1, .max, 0x5555_5555_5555_5555] {
            let rest = Mutex(times)
            let ids = RunIDGenerator(now: { UTCTime(microseconds: rest.withLock { $0.removeFirst() }) }, random: { random })
            let made = times.map { _ in ids.next() }
            #expect(made == made.sorted() && Set(made).count == made.count, "\(random): \(made)")
        }
    }

    @Test func identitiesOfManyTasksDiffer() async {
        let ids = RunIDGenerator(now: { UTCTime(microseconds: 1) })
        let made = await withTaskGroup(of: [RunID].self) { group in
            for _ in 0..<4 { group.addTask { (0..<1000).map { _ in ids.next() } } }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(Set(made).count == 4000)
    }

    @Test func aTimeIsTold() {
        #expect(UTCTime(microseconds: 0).iso8601 == "1970-01-01T00:00:00.000000Z")
        #expect(UTCTime(microseconds: 951_827_696_000_001).iso8601 == "2000-02-29T12:34:56.000001Z")
        #expect(UTCTime(microseconds: -1).iso8601 == "1969-12-31T23:59:59.999999Z")
        #expect(UTCTime(microseconds: .max).iso8601 == "9999-12-31T23:59:59.999999Z")
        #expect(UTCTime(microseconds: .min).iso8601 == "0001-01-01T00:00:00.000000Z")
        #expect(UTCTime(microseconds: 951_827_696_000_001).compact == "20000229T123456.000001Z")
        let formatter = ISO8601DateFormatter()
        for day in stride(from: Int64(-50_000), to: 100_000, by: 397) {
            let time = UTCTime(microseconds: (day * 86_400 + 3661) * 1_000_000)
            let expected = formatter.string(from: Date(timeIntervalSince1970: Double(day * 86_400 + 3661)))
            #expect(time.iso8601 == expected.dropLast() + ".000000Z")
        }
    }
}
