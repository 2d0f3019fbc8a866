import Foundation
import TestSupport
import Testing

/// What a script may find in the interpreter leads nowhere: the process itself is held.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "the interpreter is missing: run Tools/setup tests"))
struct ConfinementTests {
    @Test func theInterpreterOpensItsFolderAndStartsNothing() throws {
        let folder = try TemporaryFolder()
        let program = try TestTools.require(TestTools.monoclePython, "monocle-python")
        let (status, output) = try runProgram(program, ["--confinement", folder.path])
        #expect(status == 0, "\(output)")
        let lines = output.split(separator: "\n").map(String.init)
        let version = try #require(lines.first { $0.hasPrefix("landlock ") }?.split(separator: " ").last.flatMap { Int($0) })
        // Landlock is the kernel's to offer: the second version came with Linux 5.19.
        #expect(lines.contains(version >= 2 ? "files held" : "files free"), "\(output)")
        for what in ["sockets held", "processes held", "programs held", "own files free"] { #expect(lines.contains(what), "\(what): \(output)") }
    }
}
