import Foundation
import FuzzTargets

/// What libFuzzer calls. `NOAFW_FUZZ_TARGET` names the reader; `list` names them all.
private let target: FuzzTarget = {
    let name = ProcessInfo.processInfo.environment["NOAFW_FUZZ_TARGET"] ?? "list"
    if let target = FuzzTarget.all.first(where: { $0.name == name }) { return target }
    for target in FuzzTarget.all { print(target.name) }
    exit(name == "list" ? 0 : 64)
}()

/// Before libFuzzer reads its corpus: the seeds are put into `NOAFW_FUZZ_SEEDS`.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(_ count: UnsafeMutablePointer<Int32>, _ arguments: UnsafeMutableRawPointer) -> Int32 {
    do {
        for (index, seed) in try target.seeds().enumerated() {
            guard let folder = ProcessInfo.processInfo.environment["NOAFW_FUZZ_SEEDS"] else { break }
            try Data(seed).write(to: URL(fileURLWithPath: folder).appendingPathComponent("seed-\(index)"))
        }
        return 0
    } catch {
        print("the seeds of \(target.name) cannot be made: \(error)")
        exit(74)
    }
}

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let input = [UInt8](UnsafeBufferPointer(start: bytes, count: count))
    if let complaint = target.complaint(about: input) {
        print("\(target.name): \(complaint)")
        abort()
    }
    return 0
}
