import ArgumentParser
import Bluetooth
import Provisioning
import Support

/// `noafw pair`
struct PairCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "pair",
        abstract: "Pair this machine with a unit that needs a bond (Frame).",
        discussion: """
            A Frame accepts writes only over an encrypted link and keeps one bond. Every verb makes the bond when it needs it; noafw \
            pair makes nothing else. It says whether the bond is new, and proves it by a write that changes nothing. A Frame that is \
            bonded to another host refuses: press its cradle's button while it charges. That erases its scripts, too.

            Examples:
              noafw pair
              noafw pair --device C6:05:04:03:02:01
              noafw pair --virtual frame --json

            Exit codes: 0 there is a bond, 1 the unit refuses it, 64 the unit makes no bonds, 69 no unit is in reach, others as in \
            noafw flash.
            """)

    @OptionGroup(title: "Unit") var unit: UnitOptions

    @Flag(help: "Print one JSON document on standard output (schema noafw.pair/1).")
    var json = false

    @OptionGroup var limit: TimeLimit

    func run(in context: CommandContext) async -> Int32 {
        let run = BondRun(verb: "pair", context: context, isJSON: json, timeout: limit.timeout)
        return await run.run {
            try await context.services.pair(
                PairRequest(
                    unit: unit.value, search: context.assetSearch(nil), stateFolder: try context.stateFolder(), notice: { run.note($0) }))
        }
    }
}
