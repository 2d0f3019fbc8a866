import BlueZ
import Bluetooth
import Foundation
import MonocleFamily
import Provisioning
import ScriptBundle
import Support

/// `LabRounds ADDRESS COUNT WHOLE_EVERY ASSETS_FOLDER`: so many times connects to a unit, flashes and disconnects, in one
/// process, and writes a line of JSON a round with what is open then. For the lab's leak check.
///
/// Every WHOLE_EVERY-th round, the first and the last among them, writes everything: the jump to the bootloader, firmware,
/// FPGA image and scripts. The others write new scripts.
@main
enum Program {
    struct Round: Encodable {
        var round: Int
        /// How many parts were written.
        var parts: Int
        var seconds: Double
        /// Open files of this process.
        var descriptors: Int
        /// Subscriptions, sockets, calls, discoveries, links and agents that were not given back.
        var unreturned: [String: Int]
        var residentKilobytes: Int
    }

    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 5, let address = DeviceAddress(arguments[1]), let count = Int(arguments[2]), count > 0,
            let interval = Int(arguments[3]), interval > 0
        else { fail("usage: LabRounds ADDRESS COUNT WHOLE_EVERY ASSETS_FOLDER", code: 64) }
        let everything = try MonocleAssets.all(in: AssetCatalogue(root: arguments[4]))
        let central = BlueZCentral()
        for round in 1...count {
            let start = central.clock.now
            let isWhole = round % interval == 1 % interval || round == count
            let parts = try await flash(try isWhole ? everything : newScripts(round), address, central, round)
            let time = start.duration(to: central.clock.now)
            let line = try JSONEncoder().encode(measure(round, parts, time, try await settled(central)))
            FileHandle.standardOutput.write(line + Data("\n".utf8))
        }
        await central.close()
    }

    private static func fail(_ message: String, code: Int32) -> Never {
        FileHandle.standardError.write(Data("\(message)\n".utf8))
        exit(code)
    }

    /// Scripts that differ from those of the round before, so that there is something to write.
    private static func newScripts(_ round: Int) throws -> AssetSet {
        // A program that ends proves nothing.
        let main = "import time\nwhile True: time.sleep(1)\n"
        let files = ["states.py", "graphics.py", "audio.py", "photo.py", "main.py"].map { name in
            ScriptSet.File(name: name, bytes: Array("# round \(round)\n\(name == "main.py" ? main : "")".utf8))
        }
        return AssetSet(try ScriptSet(files: files, family: .monocle))
    }

    /// Writes all that is given, whatever the unit holds already.
    /// - Returns: how many parts that were.
    private static func flash(
        _ assets: AssetSet, _ address: DeviceAddress, _ central: BlueZCentral, _ round: Int
    ) async throws -> Int {
        var options = JobOptions()
        options.force = true
        let report = try await ProvisioningJob(family: .monocle, central: central, address: address, assets: assets, options: options).run {
            _ in
        }
        let written = report.steps.count { $0.action == .updated }
        guard report.passed, written == (assets[.firmware] == nil ? 1 : 3) else {
            fail("round \(round): \(report.error?.message ?? "\(written) parts were written")", code: 1)
        }
        return written
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
        let names: [BusTraffic.Item: String] = [
            .subscription: "subscriptions", .socket: "sockets", .call: "calls", .discovery: "discoveries", .link: "links", .agent: "agents",
        ]
        return Dictionary(uniqueKeysWithValues: central.traffic.all.compactMap { item, count in names[item].map { ($0, count) } })
    }

    /// - Parameter unreturned: what is open once the round has settled.
    private static func measure(_ round: Int, _ parts: Int, _ time: Duration, _ unreturned: [String: Int]) throws -> Round {
        let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        return Round(
            round: round, parts: parts, seconds: Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18,
            descriptors: try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count,
            unreturned: unreturned,
            residentKilobytes: (pages.count > 1 ? Int(pages[1]) ?? 0 : 0) * 4)
    }
}
