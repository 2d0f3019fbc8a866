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

    /// Hands libFuzzer the arguments after the target's name, in place of which it sees the command that it repeats where it merges.
    private static func run() -> Int32 {
        var count = CommandLine.argc - 2
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv + 2
        arguments?[0] = strdup(CommandLine.arguments.prefix(3).joined(separator: " "))
        return LLVMFuzzerRunDriver(&count, &arguments) { takeOneInput($0, $1) }
    }

    static let target = FuzzTarget.all.first { $0.name == CommandLine.arguments.dropFirst(2).first }
}

/// By this name libFuzzer's library wants it, too.
@_cdecl("LLVMFuzzerTestOneInput")
func takeOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let input = [UInt8](UnsafeBufferPointer(start: bytes, count: count))
    if let complaint = Fuzz.target?.complaint(about: input) {
        FileHandle.standardError.write(Data("complaint: \(complaint)\n".utf8))
        abort()
    }
    return 0
}
