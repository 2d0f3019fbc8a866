import Foundation
import TestSupport
import Testing

/// What a script may find in the interpreter leads nowhere: the process itself is held.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "the interpreter is missing: run Tools/setup tests"))
struct ConfinementTests {
    /// What the interpreter is built for on this machine: the device's words have 32 bits where a compiler can make such code.
    #if arch(arm64)
    private static let architecture = "aarch64"
    #else
    private static let architecture = "i386"
    #endif

    @Test func theInterpreterOpensItsFolderAndStartsNothing() throws {
        let folder = try TemporaryFolder()
        let program = try TestTools.require(TestTools.monoclePython, "monocle-python")
        let (status, output) = try runProgram(program, ["--confinement", folder.path])
        #expect(status == 0, "\(output)")
        let lines = output.split(separator: "\n").map(String.init)
        // The filter's numbers are this architecture's.
        #expect(lines.first == "architecture \(Self.architecture)", "\(output)")
        let version = try #require(lines.first { $0.hasPrefix("landlock ") }?.split(separator: " ").last.flatMap { Int($0) })
        // Landlock is the kernel's to offer: the second version came with Linux 5.19.
        #expect(lines.contains(version >= 2 ? "files held" : "files free"), "\(output)")
        for what in ["sockets held", "processes held", "programs held", "own files free"] {
            #expect(lines.contains(what), "\(what): \(output)")
        }
    }
}
