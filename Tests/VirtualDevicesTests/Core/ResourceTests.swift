import Bluetooth
import Foundation
import Support
import TestSupport
import Testing
@testable import VirtualDevices

/// What comes with the program is found where the program is, and where it is installed.
@Suite struct ResourceTests {
    private let folder: TemporaryFolder
    private var resources: Resources { Resources(executable: folder.path("bin/noafw")) }

    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: ["bin", "share/noafw"]) func isFoundBesideTheBinaryAndUnderItsPrefix(place: String) throws {
        try folder.write("", to: "\(place)/\(Resources.folder)/Python/launch.py")
        #expect(try resources.locate("Python").path == folder.path("\(place)/\(Resources.folder)/Python"))
    }

    @Test func whatIsMissingIsToldWithWhereItWasLookedFor() throws {
        let error = #expect(throws: UnitFolderError.self) { try resources.locate("Lua") }
        let diagnosis = try #require(error?.diagnosis)
        #expect(diagnosis.code == "VIR-0005" && diagnosis.category == .missingInput)
        for place in ["bin", "share/noafw"] { #expect(diagnosis.remedy.contains(folder.path("\(place)/\(Resources.folder)"))) }
    }

    @Test func theOwnOnesAreThere() throws {
        #expect(FileManager.default.fileExists(atPath: try MonocleInterpreter.scripts().appendingPathComponent("launch.py").path))
    }
}
