import Foundation
import Provisioning
import Support
import VirtualDevices

extension DoctorFacts {
    static func gather(_ request: DoctorRequest) async -> DoctorFacts {
        DoctorFacts(
            bluetooth: await BluetoothSurvey.take(request),
            state: finding { try disk(request.stateFolder) },
            catalogue: finding { try catalogue(request.search) },
            micropython: await micropython(request), lua: await lua(request))
    }

    /// An interpreter for another processor is there and does not run.
    private static func micropython(_ request: DoctorRequest) async -> Interpreter {
        guard let python = try? InterpreterSearch(search: request.search).python() else { return Interpreter() }
        return Interpreter(path: python, version: await answer(of: MonocleConfiguration.versionCommand(python: python), request))
    }

    private static func lua(_ request: DoctorRequest) async -> Interpreter {
        let named = request.search.environment["NOAFW_LUA"].flatMap { $0.isEmpty ? nil : $0 } ?? "lua5.4"
        let program = named.contains("/") ? request.search.path(named).location : named
        return Interpreter(path: program, version: await answer(of: [program, "-e", "print(_VERSION)"], request))
    }

    /// The first line that a program prints.
    private static func answer(of words: [String], _ request: DoctorRequest) async -> String? {
        let output = try? await ShortCommand.run(
            words, path: request.search.environment["PATH"], clock: request.clock, within: .seconds(15))
        return output?.split(whereSeparator: \.isNewline).first.map(String.init)
    }

    static func finding<Value>(_ body: () throws -> Value) -> Result<Value, Finding> {
        do { return .success(try body()) } catch { return .failure(Finding(diagnosis: diagnose(error))) }
    }

    /// Tries to write where the state will be, in the nearest folder that exists.
    private static func disk(_ folder: String?) throws -> Disk {
        guard let folder else { throw CommandError.noStateFolder }
        var existing = folder
        while !FileManager.default.fileExists(atPath: existing), existing != "/" {
            existing = (existing as NSString).deletingLastPathComponent
        }
        guard access(existing, W_OK) == 0 else {
            throw StateFileError.unwritable(path: existing, reason: String(cString: strerror(errno)))
        }
        let free = try FileManager.default.attributesOfFileSystem(forPath: existing)[.systemFreeSize] as? NSNumber
        return Disk(folder: folder, freeBytes: free?.intValue ?? 0)
    }

    private static func catalogue(_ search: AssetSearch) throws -> Catalogue {
        let catalogue = try search.locate()
        let firmware = try catalogue.firmware(for: "monocle")
        let fpga = try catalogue.fpga(for: "monocle")
        let scripts = try catalogue.scripts(for: "monocle")
        return Catalogue(
            description: "\(catalogue.root): firmware \(firmware.version), FPGA \(fpga.version), scripts \(scripts.version)",
            isDevelopment: firmware.isDevelopment || fpga.isDevelopment)
    }
}
