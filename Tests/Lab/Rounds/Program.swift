import BlueZ
import Bluetooth
import Foundation
import Provisioning
import ScriptBundle

/// `LabRounds ADDRESS COUNT`: so many times connects to a unit, flashes new scripts and disconnects, in one process, and
/// writes a line of JSON a round with what is open then. For the lab's leak check.
@main
enum Program {
    struct Round: Encodable {
        var round: Int
        var seconds: Double
        /// Open files of this process.
        var descriptors: Int
        /// Match rules, sockets, calls, discoveries, links and agents that were not given back.
        var unreturned: [String: Int]
        var residentKilobytes: Int
    }

    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let address = DeviceAddress(arguments[1]), let count = Int(arguments[2]), count > 0 else {
            FileHandle.standardError.write(Data("usage: LabRounds ADDRESS COUNT\n".utf8))
            exit(64)
        }
        let central = BlueZCentral()
        for round in 1...count {
            let start = central.clock.now
            try await flash(round, address, central)
            let time = start.duration(to: central.clock.now)
            let line = try JSONEncoder().encode(measure(round, time, try await settled(central)))
            FileHandle.standardOutput.write(line + Data("\n".utf8))
        }
        await central.close()
    }

    /// Scripts that differ from those of the round before, so that there is something to write.
    private static func flash(_ round: Int, _ address: DeviceAddress, _ central: BlueZCentral) async throws {
        let names = ["states.py", "graphics.py", "audio.py", "photo.py", "main.py"]
        let scripts = try ScriptSet(files: names.map { .init(name: $0, bytes: Array("# round \(round)\n".utf8)) })
        var options = FlashOptions()
        options.parts = [.scripts]
        let report = try await MonocleRun(
            central: central, address: address, assets: MonocleAssets(scripts: scripts), options: options
        ).flash { _ in }
        guard report.steps.contains(where: { $0.part == .scripts && $0.action == .updated }), report.passed else {
            FileHandle.standardError.write(Data("round \(round): \(report.error?.message ?? "nothing was flashed")\n".utf8))
            exit(1)
        }
    }

    /// What ends in the background, such as the last discovery, gets a moment for it.
    private static func settled(_ central: BlueZCentral) async throws -> [String: Int] {
        let deadline = central.clock.deadline(in: .seconds(10))
        while true {
            let open = unreturned(central)
            if open.isEmpty || central.clock.now >= deadline { return open }
            try await central.clock.sleep(until: central.clock.deadline(in: .milliseconds(50)))
        }
    }

    private static func unreturned(_ central: BlueZCentral) -> [String: Int] {
        let open = central.traffic.open
        let counts = [
            "matches": open.matches, "sockets": open.sockets, "calls": open.pendingCalls, "discoveries": open.discoveries,
            "links": open.links, "agents": open.agents,
        ]
        return counts.filter { $0.value != 0 }
    }

    /// - Parameter unreturned: what is open once the round has settled.
    private static func measure(_ round: Int, _ time: Duration, _ unreturned: [String: Int]) throws -> Round {
        let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        return Round(
            round: round, seconds: Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18,
            descriptors: try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count,
            unreturned: unreturned,
            residentKilobytes: (pages.count > 1 ? Int(pages[1]) ?? 0 : 0) * 4)
    }
}
