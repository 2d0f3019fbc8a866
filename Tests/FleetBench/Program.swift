import FleetRig
import Foundation
import Glibc
import Provisioning
import Support
import VirtualDevices

/// Tells what a fleet of light virtual units costs: memory, processor and time, for 10, 100 and 1,000 of them.
///
/// `FleetBench` runs itself once for each size, as peak memory is a process's; `FleetBench 250` is one run.
@main
enum Program {
    private static let sizes = [10, 100, 1000]
    private static let limits = [1, 2, 3, 4, 5, 7, 12, 20]

    static func main() async throws {
        guard CommandLine.arguments.count > 1 else { return runAll() }
        guard let count = Int(CommandLine.arguments[1]), (1...100_000).contains(count) else {
            FileHandle.standardError.write(Data("usage: FleetBench [UNITS]\n".utf8))
            exit(64)
        }
        try await run(count)
    }

    private static func runAll() {
        print("units   right   peak MB   CPU s   CPU ms/unit   real s   virtual s")
        for size in sizes {
            fflush(nil)
            var status: Int32 = -1
            guard let child = ChildProcess.spawn("/proc/self/exe", ["\(size)"], environment: [], input: 0, output: 1, errors: 2),
                waitpid(child, &status, 0) == child, status == 0
            else { exit(1) }
        }
    }

    private static func run(_ count: Int) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("noafw-fleet-\(UUID().uuidString)", isDirectory: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let start = ContinuousClock.now
        let rig = try PagerRig(count: count, limits: limits, faults: 0.05, seed: 1, folder: folder)
        let fleet = rig.fleet(policy)
        let (result, seconds) = try await rig.play {
            let result = await fleet.run(rig.targets)
            return (result, rig.air.time.clock.now.offset / .seconds(1))
        }
        let right = zip(rig.units, result.entries).count { PagerRig.isRight($1.result, for: $0.fate) }
        tell(count, right, real: (ContinuousClock.now - start) / .seconds(1), virtual: seconds)
        guard right == count else { exit(1) }
    }

    private static var policy: FleetPolicy {
        var policy = FleetPolicy()
        policy.jobsPerAdapter = FleetPolicy.mostJobs
        policy.limits.inARow = 0
        policy.limits.share = nil
        return policy
    }

    private static func tell(_ count: Int, _ right: Int, real: Double, virtual: Double) {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let cpu = [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
        print(
            String(
                format: "%5d   %5d   %7.1f   %5.2f   %11.1f   %6.2f   %9.1f", count, right, Double(usage.ru_maxrss) / 1024, cpu,
                cpu * 1000 / Double(count),
                real, virtual))
    }
}
