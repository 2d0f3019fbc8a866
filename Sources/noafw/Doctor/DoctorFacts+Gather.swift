import Foundation
import Provisioning
import ScriptBundle
import Support

extension DoctorFacts {
    static func gather(_ request: DoctorRequest) async -> DoctorFacts {
        DoctorFacts(
            bluetooth: await BluetoothSurvey.take(request),
            state: finding { try disk(request.stateFolder) },
            catalogue: finding { try catalogue(request.search) },
            interpreters: await interpreters(request), luac: await luac(request))
    }

    /// For the virtual units. An interpreter for another processor exists but does not run.
    private static func interpreters(_ request: DoctorRequest) async -> [Interpreter] {
        let python = try? InterpreterSearch(search: request.search).python()
        var found: [Interpreter] = []
        for family in SupportedFamily.all {
            guard let virtual = family.virtual else { continue }
            guard let words = virtual.versionCommand else {
                found.append(Interpreter(name: family.id.rawValue, isNeeded: false))
                continue
            }
            let command = python.map(words) ?? []
            found.append(Interpreter(
                name: family.id.rawValue, path: command.first, version: await answer(of: command, request)))
        }
        return found
    }

    private static func luac(_ request: DoctorRequest) async -> Interpreter {
        let tool = SyntaxTool.luac
        let named = request.search.environment[tool.variable].flatMap { $0.isEmpty ? nil : $0 } ?? tool.program
        let program = named.contains("/") ? request.search.path(named).location : named
        return Interpreter(name: tool.program, path: program, version: await answer(of: [program, "-v"], request))
    }

    /// A program's first line of output.
    private static func answer(of words: [String], _ request: DoctorRequest) async -> String? {
        guard !words.isEmpty else { return nil }
        let output = try? await ShortCommand.run(
            words, path: request.search.environment["PATH"], clock: request.clock, within: .seconds(15))
        return output?.split(whereSeparator: \.isNewline).first.map(String.init)
    }

    static func finding<Value>(_ body: () throws -> Value) -> Result<Value, Finding> {
        do { return .success(try body()) } catch { return .failure(Finding(diagnosis: diagnose(error))) }
    }

    /// Tries to write in the nearest existing folder of the state.
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
        let items = try catalogue.items(of: .supported).filter(\.isChosen)
        let families = FamilyList.supported.provisioned.map { family in
            let own = items.filter { $0.hardware == family.id.rawValue }
            let parts = family.components.map { component in
                "\(component.name) \(own.first { $0.component == component }?.version ?? "none")"
            }
            return "\(family.id) \(parts.joined(separator: ", "))"
        }
        return Catalogue(
            description: "\(catalogue.root): \(families.joined(separator: "; "))",
            isDevelopment: items.contains { $0.component.slot?.isImage == true && $0.isDevelopment })
    }
}
