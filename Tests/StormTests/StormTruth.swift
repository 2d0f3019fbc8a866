import Foundation
import TestSupport

/// What `Tests/Storm/truth.py` says of a world.
struct StormTruth: Decodable, Sendable {
    struct Unit: Decodable, Sendable {
        var differences: [String]
        /// Of what its owner had.
        var lost: [String]
        /// What its motors or its keys did and must not.
        var harm: [String]
        var address: String
        /// `main.py` or `main.lua` is there.
        var hasProgram: Bool
        /// It is there with files of two sets.
        var isMixed: Bool
    }

    struct Ledger: Decodable, Sendable {
        var damage: [String]
        /// Verb, address and outcome of each, in order.
        var runs: [[String?]]
        /// Those of other stations.
        var others: [[String?]]
        /// States of records in the spool, and records that are nowhere else.
        var waiting: Int
        var unentered: Int
        /// Records that the server has not got, and units that it thinks this station works on.
        var unsent: Int
        var claimed: Int
    }

    struct Unreadable: Error { let text: String }

    /// For all worlds of this process.
    static let teller = Result {
        try LineProcess(
            TestTools.require(TestTools.python, "the Python of .venv"), [StormStation.files.appendingPathComponent("truth.py").path])
    }

    var units: [Unit]
    var ledger: Ledger
    /// Files that nobody needs.
    var left: [String]

    var isRight: Bool { units.allSatisfy(\.differences.isEmpty) }
}

extension StormWorld {
    private struct Expectation: Encodable {
        struct Unit: Encodable {
            var folder: String
            var firmware: String?
            var fpga: String?
            var files: [String: String]?
            var own: [String: String]
            var absent: [String] = []
            /// On the keyboard's host.
            var typed: String?
            /// Duties and milliseconds.
            var drive: [Int]?
            /// It held other files of these names, which belong together.
            var isOlder: Bool
        }

        var world: String
        var units: [Unit]
        /// A command that asks the server, if there is one.
        var server: [String]?
    }

    private var parts: [String: String] {
        Dictionary(uniqueKeysWithValues: (0..<4).map { ("lib/part\($0).txt", "\(path)/lib/part\($0).txt") })
    }

    /// Reads what the units hold, and what their records are.
    /// - Parameter verb: says what the units should hold.
    func truth(_ verb: StormPlan.Verb, _ station: StormStation) async throws -> StormTruth {
        let units = try plan.units.enumerated().map { number, unit in
            var wanted = Expectation.Unit(
                folder: "state/virtual/\(unit.family)/\(unit.name)", own: own(unit), isOlder: unit.prior == .older)
            let isWhole = [.flash, .fleet, .line, .verify, .update].contains(verb)
            if isWhole || verb == .firmware { wanted.firmware = station.firmware(of: unit.family, catalogue) }
            if unit.family == "monocle", isWhole || verb == .fpga { wanted.fpga = station.fpgaImage(catalogue) }
            if isWhole || verb == .scripts || unit.prior == .provisioned && verb.family == nil {
                wanted.files = try station.scripts(of: unit.family, catalogue)
            }
            if verb == .copy { wanted.files = (wanted.files ?? [:]).merging(parts) { _, part in part } }
            if verb == .remove { wanted.absent = ["lib"] }
            if verb == .type { wanted.typed = plan.text }
            if verb == .drive { wanted.drive = [150, 120, 2000] }
            if verb == .restore {
                wanted.files = try Dictionary(uniqueKeysWithValues: own(unit).map { ($0, try folder.write($1, to: "own/\(number)/\($0)")) })
            }
            return wanted
        }
        let (teller, question) = (try StormTruth.teller.get(), Expectation(world: path, units: units, server: server?.command))
        try teller.send(String(decoding: try JSONEncoder().encode(question), as: UTF8.self))
        let answer = try await teller.nextLine()
        guard let truth = try? JSONDecoder().decode(StormTruth.self, from: Data(answer.utf8)) else {
            throw StormTruth.Unreadable(text: answer)
        }
        return truth
    }
}
