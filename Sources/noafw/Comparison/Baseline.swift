import Bluetooth
import Foundation
import Provisioning
import Support

/// How units were at an earlier `verify --json`.
struct Baseline: Sendable {
    struct Component: Sendable, Hashable {
        var actual: String?
        /// With `--deep`.
        var differences: [String]

        /// What is now, with what was before in the place of what the files say.
        func held(against now: VerifyReport.Finding, isDeep: Bool) -> VerifyReport.Finding {
            var finding = now
            finding.expected = actual ?? "none"
            finding.differences = isDeep ? now.differences.filter { !differences.contains($0) } : []
            finding.matches = now.actual == actual && finding.differences.isEmpty
            return finding
        }
    }

    private static let sizeLimit = 64 << 20

    /// The file's name.
    let name: String
    /// Whether digests were compared for it.
    private let isDeep: Bool
    private let units: [DeviceAddress: [Provisioning.Component: Component]]

    var addresses: Set<DeviceAddress> { Set(units.keys) }

    /// With what of it is compared, and what is not.
    func description(isDeep: Bool) -> String {
        let depth = switch (self.isDeep, isDeep) {
        case (true, true): "versions and digests"
        case (true, false): "versions alone: without --deep a script or page that was changed under the same version is not noticed"
        case (false, true): "versions; it was made without --deep, so digests are those of the files"
        case (false, false): "versions alone"
        }
        return "baseline \(name), \(units.count) \(units.count == 1 ? "unit" : "units"), by \(depth)"
    }

    subscript(address: DeviceAddress, component: Provisioning.Component) -> Component? { units[address]?[component] }

    /// - Throws: ``ComparisonError``, and what is wrong with reading the file.
    static func read(_ path: NamedPath) throws -> Baseline { try Baseline(InputFile.read(path, limit: sizeLimit), name: path.name) }

    init(_ bytes: [UInt8], name: String) throws(ComparisonError) {
        let document: RunDocument
        do {
            document = try JSONDecoder().decode(RunDocument.self, from: Data(bytes))
        } catch {
            throw .noBaseline(path: name, reason: "it is not a document of noafw verify --json")
        }
        guard document.schema == RunDocument.verify else {
            throw .noBaseline(path: name, reason: "its schema is \(PrintableText.ascii(document.schema, limit: 40))")
        }
        var units: [DeviceAddress: [Provisioning.Component: Component]] = [:]
        for unit in document.units {
            // A unit that was not reached says nothing.
            guard let address = unit.names.address.flatMap({ DeviceAddress($0) }) else { continue }
            let known = unit.findings.components.compactMap { component, finding in
                finding.map { (component, Component(actual: $0.actual, differences: $0.differences ?? [])) }
            }
            guard !known.isEmpty else { continue }
            units[address] = Dictionary(uniqueKeysWithValues: known)
        }
        guard !units.isEmpty else { throw .noBaseline(path: name, reason: "no unit was verified in it") }
        (self.name, self.units) = (name, units)
        isDeep = document.units.contains { unit in unit.findings.components.contains { $0.finding?.proof == .digest } }
    }
}
