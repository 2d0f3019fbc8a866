import Bluetooth
import Foundation
import MonocleFamily
import Provisioning
import ScriptBundle
import Support
import Synchronization
import TestSupport
import Testing
import VirtualDevices

@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"))
struct FlashTests {
    @Test func factoryNewUnitIsUpdatedWholeThenFoundCurrent() async throws {
        let bench = Bench()
        defer { bench.remove() }
        let assets = try Bench.assets()
        let journal = Journal()
        let bar = Mutex<[Double]>([])
        let moving = Mutex<Set<String>>([])
        let first = try await bench.flash(assets) { event in
            journal.add(event)
            guard case .progress(let stage, let overall, let done, _) = event.content else { return }
            bar.withLock { $0.append(overall) }
            if done > 0 { moving.withLock { _ = $0.insert(stage.name) } }
        }
        let stages = journal.text.filter { $0.hasPrefix("stage ") }.map { String($0.dropFirst(6)) }
        #expect(stages == [
            "connect", "probe", "preflight", "bootloader", "firmware", "restart", "preflight", "erase", "fpga", "commit", "scripts",
            "proof",
        ])
        bar.withLock { #expect($0 == $0.sorted() && $0.last == 1) }
        #expect(moving.withLock { $0 } == ["firmware", "fpga", "commit", "scripts"], "the stages that take long tell how far they are")
        #expect(first.error == nil, "\(String(describing: first.error)) \(journal.text)")
        #expect(first.steps.map(\.action) == [.updated, .updated, .updated])
        #expect(first.steps.map(\.from) == ["v23.100.0927", "v23.094.1109", nil])
        #expect(first.identity.versions[.firmware] == Bench.firmwareVersion)
        #expect(first.identity.versions[.fpga] == Bench.fpgaVersion)
        #expect(first.identity.versions[.scripts] == assets.scripts?.version)
        let second = try await bench.flash(assets)
        #expect(second.steps.map(\.action) == [.current, .current, .current])
        let proof = try await bench.verify(assets)
        #expect(proof.passed)
    }

    /// A link costs seconds: it is kept until the unit itself leaves.
    @Test func linksAreFew() async throws {
        let bench = Bench()
        defer { bench.remove() }
        let assets = try Bench.assets()
        func links(_ options: JobOptions = JobOptions()) async throws -> Int {
            let connects = Counted()
            let report = try await bench.play { central, monocle in
                let central = CountingCentral(central: central, connects: connects)
                return try await ProvisioningJob(
                    family: .monocle, central: central, address: monocle.address, assets: assets, options: options
                ).run { _ in }
            }
            #expect(report.passed)
            return connects.value
        }
        var look = JobOptions()
        look.dryRun = true
        #expect(try await links(look) == 1)
        // The old application, the bootloader, the new application, and after the FPGA's reset.
        #expect(try await links() == 4)
        #expect(try await links() == 1)
    }
}

private final class Counted: Sendable {
    private let count = Mutex(0)
    var value: Int { count.withLock { $0 } }
    func add() { count.withLock { $0 += 1 } }
}

private struct CountingCentral: Central {
    let central: VirtualCentral
    let connects: Counted

    var clock: SessionClock { central.clock }
    func discover() async throws -> any Discovery { try await central.discover() }

    func connect(
        to address: DeviceAddress, security: LinkSecurity, deadline: SessionClock.Instant
    ) async throws -> any Connection {
        connects.add()
        return try await central.connect(to: address, security: security, deadline: deadline)
    }
}
