import Foundation
import Support
import Synchronization

/// The duties that a virtual robot gave its motors, against its air's time. It also keeps the last of them in a file beside the unit.
package final class MotorRecorder: Sendable {
    package struct Entry: Sendable, Equatable {
        package let time: Duration
        package let left: Int
        package let right: Int
        package let isBraking: Bool

        package var isStill: Bool { left == 0 && right == 0 }
    }

    private static let limit = 10_000

    private let entries = Mutex<[Entry]>([])

    package init() {}

    package var all: [Entry] { entries.withLock(\.self) }

    /// When both duties became 0 for good after `time`; `time` itself when they were, `nil` when they are not.
    package func rest(after time: Duration) -> Duration? {
        let all = all
        guard all.last?.isStill ?? true else { return nil }
        guard let moving = all.lastIndex(where: { !$0.isStill }) else { return time }
        return max(time, all[moving + 1].time)
    }

    /// The largest duty of either motor from `time` on.
    package func mostDuty(from time: Duration) -> Int {
        let all = all
        let before = all.last { $0.time <= time }.map { [$0] } ?? []
        return (before + all.filter { $0.time > time }).map { max(abs($0.left), abs($0.right)) }.max() ?? 0
    }

    func note(_ motors: RobotFirmware.Motors, at time: Duration) {
        entries.withLock { entries in
            let entry = Entry(time: time, left: Int(motors.left), right: Int(motors.right), isBraking: motors.isBraking)
            if let last = entries.last {
                guard (last.left, last.right, last.isBraking) != (entry.left, entry.right, entry.isBraking) else { return }
            }
            if entries.count >= Self.limit { entries.removeFirst(Self.limit / 2) }
            entries.append(entry)
        }
    }

    /// `milliseconds,left,right,brake` a line.
    func save(to file: URL) {
        let lines = all.map { "\($0.time.wholeMicroseconds / 1000),\($0.left),\($0.right),\($0.isBraking ? 1 : 0)\n" }
        try? UnitFolder.replace(file, with: Array(("milliseconds,left,right,brake\n" + lines.joined()).utf8))
    }
}
