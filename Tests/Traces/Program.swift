import Foundation

/// `BootloaderTraces FILE`: plays recorded conversations with Nordic's bootloader, or with a Frame's own firmware, to the virtual ones.
@main
enum Program {
    static func main() async {
        guard CommandLine.arguments.count == 2 else { fail("usage: BootloaderTraces FILE", code: 64) }
        let path = CommandLine.arguments[1]
        do {
            let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n", maxSplits: 1)
            let isFrame = lines.first.map(FrameTraceFile.isOne) ?? false
            let isEqual = try await isFrame ? playFrame(path) : playBootloader(path)
            exit(isEqual ? 0 : 1)
        } catch let fault as TraceFault {
            fail("\(path): \(fault)", code: 65)
        } catch {
            fail("\(path): \(error.localizedDescription)", code: 66)
        }
    }

    private static func fail(_ text: String, code: Int32) -> Never {
        FileHandle.standardError.write(Data((text + "\n").utf8))
        exit(code)
    }

    /// - Returns: whether all is as recorded.
    private static func playBootloader(_ path: String) throws -> Bool {
        let outcomes = try TraceReplay.replay(TraceFile(contentsOf: path))
        for outcome in outcomes {
            guard let difference = outcome.difference else { continue }
            let reason = TraceReplay.departures[outcome.trace.id].map { " (on purpose: \($0))" } ?? ""
            print("\(outcome.trace.id): \(difference)\(reason)")
        }
        let topics = Dictionary(grouping: outcomes, by: \.trace.topic)
        for topic in topics.keys.sorted() { count(topics[topic] ?? [], as: topic) { $0.difference == nil } }
        count(outcomes, as: "all") { $0.difference == nil }
        return !outcomes.contains { $0.difference != nil && !$0.isAccepted }
    }

    private static func playFrame(_ path: String) async throws -> Bool {
        let file = try FrameTraceFile(contentsOf: path)
        let python = ProcessInfo.processInfo.environment["NOAFW_PYTHON"] ?? ".venv/bin/python3"
        let outcomes = try await FrameTraceReplay.replay(file, python: python)
        for outcome in outcomes {
            guard let difference = outcome.difference else { continue }
            let reason = FrameTraceReplay.leftOut[outcome.key].map { " (left out: \($0))" } ?? ""
            print("\(outcome.firmware) \(outcome.number.map { "\($0) " } ?? "")\(outcome.name): \(difference)\(reason)")
        }
        let firmware = Dictionary(grouping: outcomes, by: \.firmware)
        for version in firmware.keys.sorted() { count(firmware[version] ?? [], as: version) { $0.difference == nil } }
        count(outcomes, as: "left out", of: \.isLeftOut)
        count(outcomes, as: "all") { $0.difference == nil }
        return !outcomes.contains { $0.difference != nil && !$0.isLeftOut }
    }

    private static func count<Outcome>(_ outcomes: [Outcome], as name: String, of isCounted: (Outcome) -> Bool) {
        print("\(name.padding(toLength: 20, withPad: " ", startingAt: 0)) \(outcomes.count(where: isCounted))/\(outcomes.count)")
    }
}
