import Foundation
import Support
import Testing

@testable import noafw

/// `noafw explain`: what docs/errors.md says, by the code alone.
@Suite struct ExplainTests {
    private func run(_ arguments: [String], columns: Int? = nil) async -> (code: Int32, output: String, errors: String) {
        let harness = Harness()
        let code = await Noafw.execute(
            in: harness.context(["explain"] + arguments, isTerminal: columns != nil, columns: columns ?? 80))
        return (code, harness.output, harness.diagnostics)
    }

    @Test func everyCodeIsExplained() async throws {
        let codes = Set(ErrorEntry.all.map(\.code))
        #expect(codes.count > 350 && ErrorEntry.merged.count > 15)
        for code in codes.union(ErrorEntry.merged.keys) {
            let (exit, output, _) = await run([code], columns: 80)
            #expect(exit == 0 && output.contains("  cause: ") && output.contains("  do:    "), "\(code)")
            #expect(output.split(separator: "\n").allSatisfy { DisplayWidth.columns(painted: String($0)) < 80 }, "\(output)")
        }
    }

    @Test(arguments: ["NOA-0024", "noa-0024", "noa0024", "Noa 0024", "noa24"])
    func aCodeIsTakenAsItComes(code: String) async {
        let (exit, output, _) = await run([code])
        #expect(exit == 0 && output.hasPrefix("NOA-0024: PATH is also an input\n"), "\(output)")
        #expect(output.hasSuffix("  exit code 64\n"))
    }

    @Test func anOldCodeSaysItsNewName() async throws {
        let (_, output, _) = await run(["BLZ-0031"])
        #expect(output.hasPrefix("BLZ-0031 is BLZ-0030 in this version\nBLZ-0030: "), "\(output)")
        let document = try ToolBench.json(await run(["BLZ-0031", "--json"]).output)
        #expect(document["code"] as? String == "BLZ-0031" && document["current"] as? String == "BLZ-0030")
    }

    /// Whatever number the bootloader may say.
    @Test func aBootloadersUnknownNumberHasAMeaning() async {
        let (exit, output, _) = await run(["DFU-00C4"])
        #expect(exit == 0 && output.hasPrefix("DFU-00FF: "), "\(output)")
    }

    @Test(arguments: [("NOA-9024", "NOA-0024"), ("BLE-00111", "BLE-0011"), ("BLW-0011", "BL"), ("what", "")])
    func anUnknownCodeGetsTheNearest(code: String, nearest: String) async throws {
        let (exit, output, errors) = await run([code, "--json"])
        #expect(exit == 64 && errors.contains("error NOA-0122: no error has the code \(code); the nearest is \(nearest)"), "\(errors)")
        let error = try ToolBench.json(output)["error"] as? [String: Any]
        #expect(error?["code"] as? String == "NOA-0122")
    }
}
