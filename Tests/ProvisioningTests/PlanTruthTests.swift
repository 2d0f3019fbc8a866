import Bluetooth
import FPGA
import Foundation
import MonocleFamily
import Provisioning
import ScriptBundle
import Support
import Synchronization
import TestSupport
import Testing
import VirtualDevices

/// What a plan expects, beside what the run then takes.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"), .serialized)
struct PlanTruthTests {
    struct Link: Sendable, CustomTestStringConvertible {
        var milliseconds: Double
        var turns = Int.max

        var testDescription: String { "\(milliseconds) ms, \(turns == .max ? "all" : "\(turns)") packets an event" }
        var pace: LinkPace {
            let interval = Duration.microseconds(Int(milliseconds * 1000))
            return LinkPace(interval: interval, eventLength: interval, supervisionTimeout: .seconds(6), turns: turns)
        }
    }

    private static let image = Result { try FPGAImage(developmentImage(seed: 33), isChecked: false) }
    private static let version = "v26.300.1202"

    private static func family(_ link: Link) -> BenchFamily {
        BenchFamily(family: .monocle) { root, settings, air in
            var configuration = UnitConfiguration(python: settings.python)
            configuration.trustedKeys.append(settings.trustedKey)
            configuration.fpgaVersions = [HexText.encode(try image.get().sha256): version]
            configuration.linkPace = link.pace
            return try .monocle(folder: try UnitFolder.monocle(root: root, name: "bench"), configuration: configuration, air: air)
        }
    }

    private func assets() throws -> AssetSet {
        let known = try Bench.assets(firmwareSize: 214_708)
        return AssetSet(known[.firmware], BitstreamAsset(image: try Self.image.get(), version: Self.version), known.scripts)
    }

    /// A dry run of a new unit, and the run after it.
    private func told(_ link: Link, corrections: [Component: Double] = [:]) async throws -> [(told: ComponentPlan, step: StepReport)] {
        let bench = Bench(Self.family(link))
        defer { bench.remove() }
        let assets = try assets()
        var options = JobOptions()
        (options.corrections, options.dryRun) = (corrections, true)
        let plan = try #require(try await bench.flash(assets, options: options).plan)
        options.dryRun = false
        let report = try await bench.flash(assets, options: options)
        #expect(report.passed, "\(String(describing: report.error))")
        return try report.steps.filter { [.firmware, .fpga].contains($0.component) }.map { step in
            (try #require(plan.components.first { $0.component == step.component }), step)
        }
    }

    private func expectTruth(_ parts: [(told: ComponentPlan, step: StepReport)]) {
        for (told, step) in parts {
            print(step.component.name, told.estimates.map { ($0.stage.name, $0.seconds) }, "told", told.seconds, "taken", step.seconds)
            let isNear = abs(told.seconds - step.seconds) <= 0.15 * step.seconds
            #expect(isNear, "\(step.component.name): \(told.seconds) s told, \(step.seconds) s taken")
        }
    }

    @Test(arguments: TestRange.of([7.5, 15, 30, 50], quick: [15, 50]))
    func aPlanKnowsTheLinkInHand(milliseconds: Double) async throws {
        expectTruth(try await told(Link(milliseconds: milliseconds)))
    }

    /// How many packets an event takes is not seen before bytes go: the last runs know.
    @Test(arguments: TestRange.of([15, 30], quick: [30]))
    func theLastRunsCorrectThePlan(milliseconds: Double) async throws {
        let link = Link(milliseconds: milliseconds, turns: 1)
        let first = try await told(link)
        let ratios = first.map { ($0.told.component, $0.step.seconds / $0.told.seconds) }
        #expect(ratios.contains { $0.1 > 1.15 }, "\(ratios)")
        expectTruth(try await told(link, corrections: Dictionary(uniqueKeysWithValues: ratios)))
    }
}
