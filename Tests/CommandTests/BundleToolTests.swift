import Foundation
import TestSupport
import Testing

/// The built `noafw` in processes of its own.
@Suite(.enabled(if: TestTools.mayCheckSyntax && TestTools.mayRunMicroPython, "run Tools/setup tests"), .serialized)
struct BundleToolTests {
    private static let scripts = [
        "states.py": "a = 1\n", "graphics.py": "b = '''\r\n'''\r\n", "extra.py": "# \u{1C}\u{3}\n", "main.py": "print(ARGPT_VERSION)",
    ]

    private func write(_ folder: TemporaryFolder, _ names: [String], date: Date) throws {
        for name in names {
            let path = try folder.write(Self.scripts[name] ?? "", to: "src/\(name)")
            try FileManager.default.setAttributes([.modificationDate: date, .posixPermissions: 0o600], ofItemAtPath: path)
        }
    }

    private func digest(
        _ folder: TemporaryFolder, umask: String, environment: [String: String], options: [String] = []
    ) throws -> String {
        let tool = ToolBench.tool.path
        var variables = environment
        variables["PATH"] = "/usr/bin:/bin"
        let arguments = ["-c", "umask \(umask); exec \"$@\"", "sh", tool, "bundle", "src", "-o", "out.zip"] + options
        let run = try runProgram("/bin/sh", arguments, environment: variables, folder: folder.path)
        #expect(run.status == 0, "\(run.output)")
        return String(try runProgram("/usr/bin/sha256sum", [folder.path("out.zip")]).output.prefix(64))
    }

    /// Other times, permissions, umask, zone, language and order of the directory.
    @Test func theSameFolderGivesTheSameBytesEverywhere() throws {
        let names = Self.scripts.keys.sorted()
        let (one, two) = (try TemporaryFolder(), try TemporaryFolder())
        try write(one, names, date: Date(timeIntervalSince1970: 1_000_000_000))
        for index in 0..<200 { try two.write("", to: "src/.filler\(index)") }
        try write(two, names.reversed(), date: Date(timeIntervalSince1970: 1_700_000_001))
        for index in 0..<200 { try FileManager.default.removeItem(atPath: two.path("src/.filler\(index)")) }
        let key = try one.write("", to: "key.pem")
        try FileManager.default.removeItem(atPath: key)
        #expect(try runProgram(ToolBench.tool.path, ["bundle", "key", "new", "-o", key]).status == 0)
        for options in [[], ["--sign", key]] {
            let first = try digest(one, umask: "022", environment: ["TZ": "UTC", "LANG": "C"], options: options)
            let second = try digest(
                two, umask: "077", environment: ["TZ": "Pacific/Kiritimati", "LANG": "tr_TR.UTF-8", "LC_ALL": "de_DE.UTF-8", "HOME": "/"],
                options: options)
            #expect(first == second)
        }
    }

    /// A bundle flashes and proves a unit, and drift is found with the same file.
    @Test func aBundleIsFlashedAndVerified() throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        let folder = try TemporaryFolder()
        let (key, bundle) = (folder.path("key.pem"), folder.path("out.zip"))
        #expect(try bench.run(["bundle", "key", "new", "-o", key]).status == 0)
        let publicKey = try folder.write(try bench.run(["bundle", "key", "show", key]).output, to: "key.pub.pem")
        let made = try bench.run(["bundle", "Scripts/monocle", "-o", bundle, "--sign", key])
        #expect(made.status == 0, "\(made.errors)")
        let unit = ["--virtual", "monocle", "--virtual-speed", "max", "--bundle", bundle, "--trust", publicKey]
        let flashed = try bench.run(["flash", "--json"] + unit)
        #expect(flashed.status == 0, "\(flashed.errors)")
        #expect(flashed.errors.contains("trusted as"))
        let verified = try bench.run(["verify", "--deep"] + unit)
        #expect(verified.status == 0, "\(verified.errors)")
        try Data("x".utf8).write(to: bench.unit.appendingPathComponent("files/states.py"))
        #expect(try bench.run(["verify", "--deep"] + unit).status == 1)
        let other = try bench.run(["flash", "--virtual", "monocle", "--virtual-speed", "max", "--bundle", publicKey])
        #expect(other.status == 65 && other.errors.contains("ZIP-0001"))
    }
}
