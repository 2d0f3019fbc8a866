import Foundation
import Glibc
import Ledger
import LedgerStore
import Synchronization
import TestSupport

/// A station (`Tests/LedgerStation`) as a process, and what it says.
final class StationProcess: Sendable {
    private struct State {
        var said: [String] = []
        var rest = ""
    }

    let name: String
    let folder: String
    private let process: TestProcess
    private let state = Mutex(State())

    /// Beside the tests' own bundle.
    private static let program = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appendingPathComponent(
        "LedgerStation"
    ).path

    /// - Parameter namespace: of the network; the process's own where it is `nil`.
    init(
        _ name: String, server: String, policy: String, timeToLive: Double, air: StationAir, environment: [String: String],
        namespace: String? = nil
    ) throws {
        (self.name, folder) = (name, air.folder.path("ledger-\(name)"))
        let output = Pipe()
        let command = [Self.program, folder, name, server, policy, "\(timeToLive)", air.folder.path("air"), "\(air.count)"]
        process = try TestProcess(
            URL(fileURLWithPath: "/usr/bin/env"), (namespace.map { ["ip", "netns", "exec", $0] } ?? []) + command,
            environment: environment.merging(["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]) { own, _ in own }, output: .pipe(output))
        let handle = output.fileHandleForReading
        Thread.detachNewThread { [weak self] in
            while case let data = handle.availableData, !data.isEmpty { self?.hear(data) }
        }
    }

    private func hear(_ data: Data) {
        state.withLock { state in
            state.rest += String(decoding: data, as: UTF8.self)
            let lines = state.rest.split(separator: "\n", omittingEmptySubsequences: false)
            state.said += lines.dropLast().map(String.init)
            state.rest = lines.last.map(String.init) ?? ""
        }
    }

    deinit { kill() }

    var said: [String] { state.withLock(\.said) }
    var isRunning: Bool { process.isRunning }

    func kill() { process.signal(SIGKILL) }

    /// - Returns: whether it said so in time.
    func says(_ what: String, times: Int = 1, within limit: Duration = .seconds(40)) async throws -> Bool {
        let deadline = ContinuousClock.now.advanced(by: limit)
        while ContinuousClock.now < deadline {
            if said.filter({ $0.hasPrefix(what) }).count >= times { return true }
            try await Task.sleep(for: .milliseconds(10))
        }
        return false
    }

    func runs() async throws -> [RunRecord] { try await SQLiteLedger(folder: folder).runs() }
}

/// The units that all stations of a test hear.
struct StationAir {
    let folder: TemporaryFolder
    let count: Int

    init(count: Int) throws {
        (folder, self.count) = (try TemporaryFolder(), count)
        try FileManager.default.createDirectory(atPath: folder.path("air"), withIntermediateDirectories: true)
    }

    /// What was done to each unit: who began, who ended.
    func stories() throws -> [[String]] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path("air")).map { name in
            String(decoding: try folder.read("air/\(name)"), as: UTF8.self).split(separator: "\n").map(String.init)
        }
    }
}
