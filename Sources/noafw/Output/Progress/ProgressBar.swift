import Provisioning

/// One line for the whole job, cut to the terminal's width.
enum ProgressBar {
    /// Redrawn no more often than this: a terminal over a slow line must not hold up the unit.
    static let interval: Duration = .milliseconds(100)
    private static let stageWidth = 10
    private static let smallestBar = 10
    private static let largestBar = 40

    /// - Parameter columns: the terminal's width; the last column stays free, writing into it would wrap.
    static func line(_ model: ProgressModel, at now: Duration, columns: Int) -> String {
        let room = max(columns - 1, 0)
        let stage = (model.stage?.name ?? "start").padded(to: stageWidth)
        let percent = "\(Int(model.overall * 100)) %".padded(to: 5, rightAligned: true)
        let rate = (model.bytesPerSecond.map(Format.rate) ?? "").padded(to: 11, rightAligned: true)
        let left = (model.secondsLeft(at: now).map { "\(Format.clock(seconds: $0)) left" } ?? "").padded(to: 12, rightAligned: true)
        // Whatever does not fit goes, the least telling first.
        for tail in [[percent, rate, left], [percent, rate], [percent]] {
            let text = tail.joined(separator: " ")
            let barWidth = min(room - stage.count - text.count - 4, largestBar)
            if barWidth >= smallestBar { return "\(stage) [\(bar(model.overall, width: barWidth))] \(text)" }
        }
        return String("\(stage) \(percent)".prefix(room))
    }

    private static func bar(_ fraction: Double, width: Int) -> String {
        let full = min(Int(fraction * Double(width)), width)
        return String(repeating: "=", count: full) + String(repeating: " ", count: width - full)
    }
}

extension String {
    func padded(to width: Int, rightAligned: Bool = false) -> String {
        let padding = String(repeating: " ", count: max(0, width - count))
        return rightAligned ? padding + self : self + padding
    }
}
