import Foundation

/// `BootloaderTraces FILE`: plays recorded conversations with Nordic's bootloader to the virtual one.
@main
enum Program {
    static func main() throws {
        guard CommandLine.arguments.count == 2 else {
            FileHandle.standardError.write(Data("usage: BootloaderTraces FILE\n".utf8))
            exit(64)
        }
        let outcomes = try TraceReplay.replay(TraceFile(contentsOf: CommandLine.arguments[1]))
        for outcome in outcomes {
            guard let difference = outcome.difference else { continue }
            let reason = TraceReplay.departures[outcome.trace.id].map { " (on purpose: \($0))" } ?? ""
            print("\(outcome.trace.id): \(difference)\(reason)")
        }
        let topics = Dictionary(grouping: outcomes, by: \.trace.topic)
        for topic in topics.keys.sorted() {
            let group = topics[topic] ?? []
            print("\(topic.padding(toLength: 20, withPad: " ", startingAt: 0)) \(group.count { $0.difference == nil })/\(group.count)")
        }
        let passed = outcomes.count { $0.difference == nil }
        print("\(passed)/\(outcomes.count)")
        if outcomes.contains(where: { $0.difference != nil && !$0.isAccepted }) { exit(1) }
    }
}
