import Bluetooth
import Foundation
import KeyboardFamily
import Support
import TestSupport
import VirtualDevices
import VirtualFaults

/// A virtual keyboard on an air of simulated time, and the computer that it is plugged into.
struct KeyboardBench: Sendable {
    let air: VirtualAir
    let unit: VirtualUnit
    let folder: UnitFolder
    let central: VirtualCentral
    private let root: TemporaryFolder

    var address: DeviceAddress { unit.address }

    init(settings: KeyboardSettings = KeyboardSettings(), faults: FaultPlan = FaultPlan(), layout: KeyboardLayout = .ofStart) throws {
        root = try TemporaryFolder()
        air = VirtualAir(time: .simulated())
        folder = try UnitFolder.keyboard(root: root.url.appendingPathComponent("unit"), name: "bench")
        var configuration = UnitConfiguration()
        configuration.faults = faults
        unit = try .keyboard(folder: folder, configuration: configuration, settings: settings, air: air)
        central = VirtualCentral(air: air)
    }

    /// Runs `body` while the unit is on the air.
    func run<Value: Sendable>(_ body: @escaping @Sendable (KeyboardBench) async throws -> Value) async throws -> Value {
        try await air.time.run {
            try await withVirtualUnit(unit) {
                try await central.clock.sleep(until: central.clock.deadline(in: .seconds(5)))
                return try await body(self)
            }
        }
    }

    func session(_ report: @escaping @Sendable (TypingEvent) -> Void = { _ in }) -> TypingSession {
        TypingSession(address: address, central: central, report: report)
    }

    func link() async throws -> KeyboardLink { try await KeyboardLink.open(address, over: central, within: .seconds(60)) }

    /// Since the last time: lines of the unit's file, faults with a `#` among them.
    func takeLines() throws -> [String] {
        guard FileManager.default.fileExists(atPath: folder.reports.path) else { return [] }
        defer { try? FileManager.default.removeItem(at: folder.reports) }
        return try String(contentsOf: folder.reports, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    func takeReports() throws -> [String] {
        try takeLines().filter { !$0.hasPrefix("#") }.compactMap { $0.split(separator: " ").last.map(String.init) }
    }

    func wait(_ duration: Duration) async throws { try await central.clock.sleep(until: central.clock.deadline(in: duration)) }
}

/// libxkbcommon, as the computer has it.
enum HostComputer {
    struct Screen: Decodable, Equatable {
        var text: String
        var down: [Int]
        var faults: [String]
    }

    static let isThere = FileManager.default.isExecutableFile(atPath: python) && hasLibrary || TestTools.mustAllBeThere
    private static let python = "/usr/bin/python3"
    private static let script = TestTools.root.appendingPathComponent("Tests/Interop/keyboard_host.py").path
    private static let hasLibrary = (try? runProgram(python, ["-c", "import ctypes; ctypes.CDLL('libxkbcommon.so.0')"]))?.status == 0

    /// What stands on the screen after each list of reports; the first begins with an empty one.
    /// - Parameter isFresh: each of them does.
    static func screens(
        _ layout: KeyboardLayout, _ reports: [[String]], isFresh: Bool = false, in folder: TemporaryFolder
    ) throws -> [Screen] {
        let begin = ["layout \(layout.rawValue)"]
        let lines = begin + reports.flatMap { $0 + ["end"] + (isFresh ? begin : []) }
        let input = try folder.write(lines.joined(separator: "\n") + "\n", to: "reports")
        let result = try runProgram("/bin/sh", ["-c", "exec \(python) '\(script)' < '\(input)'"])
        return try result.output.split(separator: "\n").map { try JSONDecoder().decode(Screen.self, from: Data($0.utf8)) }
    }
}
