import CFuzzer
import Foundation
import FuzzTargets

/// `fuzz list` names the readers, `fuzz seeds TARGET FOLDER` and `fuzz corpus TARGET FOLDER` write the good inputs of one and what
/// campaigns have learnt, and `fuzz run TARGET [libFuzzer's options and corpus folders]` feeds it.
@main
enum Fuzz {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        let target = FuzzTarget.all.first { $0.name == arguments.dropFirst().first }
        switch (arguments.first, target) {
        case ("list", _): for target in FuzzTarget.all { print(target.name) }
        case ("seeds", let target?): try write(target.seeds(), as: "seed", arguments.last)
        case ("corpus", let target?): try write(target.corpus(), as: "kept", arguments.last)
        case ("run", _?): exit(run())
        default: exit(64)
        }
    }

    private static func write(_ inputs: [[UInt8]], as name: String, _ folder: String?) throws {
        for (index, input) in inputs.enumerated() { try Data(input).write(to: URL(fileURLWithPath: "\(folder ?? ".")/\(name)-\(index)")) }
    }

    /// How far from a counter that the known inputs reach, to either side: about the file that it is of.
    private static let reach = 512

    /// Hands libFuzzer the arguments after the target's name, in place of which it sees the command that it repeats where it merges.
    private static func run() -> Int32 {
        var count = CommandLine.argc - 2
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv + 2
        arguments?[0] = strdup(CommandLine.arguments.prefix(3).joined(separator: " "))
        for folder in CommandLine.arguments.dropFirst(3) {
            for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
                take([UInt8](FileManager.default.contents(atPath: "\(folder)/\(name)") ?? Data()))
            }
        }
        print("fuzz: \(watch_counters_near_those_reached(reach)) counters watched")
        atexit { print("fuzz: \(counters_missed()) others have counted") }
        return LLVMFuzzerRunDriver(&count, &arguments) { takeOneInput($0, $1) }
    }

    private static let target = FuzzTarget.all.first { $0.name == CommandLine.arguments.dropFirst(2).first }

    static func take(_ input: [UInt8]) {
        if let complaint = target?.complaint(about: input) {
            FileHandle.standardError.write(Data("complaint: \(complaint)\n".utf8))
            abort()
        }
    }
}

/// By this name libFuzzer's library wants it, too.
@_cdecl("LLVMFuzzerTestOneInput")
func takeOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    Fuzz.take([UInt8](UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}
