import Foundation
import Support
import Testing

/// Each code is declared once, means one thing, has one exit category, and stands in docs/errors.md.
@Suite struct ErrorCatalogueTests {
    @Test func aCodeMeansOneThing() {
        for (code, errors) in Dictionary(grouping: ErrorCatalogue.all, by: \.diagnosis.code) {
            let meanings = Set(errors.map { "\($0.type).\($0.caseName)" })
            // The words of a case may differ; the refusals' case is their code.
            #expect(meanings.count == 1, "\(code): \(meanings.sorted())")
            #expect(Set(errors.map(\.diagnosis.category)).count == 1, "\(code) has several exits")
            #expect(errors[0].type != "RefusedRequest" || errors.count == 1, "\(code)")
        }
    }

    @Test func aMeaningHasOneCode() {
        let named = ErrorCatalogue.all.filter { $0.type != "RefusedRequest" }
        for (meaning, errors) in Dictionary(grouping: named, by: { "\($0.type).\($0.caseName)" }) {
            #expect(Set(errors.map(\.diagnosis.code)).count == 1, "\(meaning)")
        }
    }

    /// Codes with the same cause and the same remedy are one code to an operator.
    @Test func noTwoCodesSayTheSame() {
        struct Advice: Hashable { var cause: String, remedy: String }
        let errors = ErrorCatalogue.all.map(\.diagnosis)
        for (advice, said) in Dictionary(grouping: errors, by: { Advice(cause: $0.cause, remedy: $0.remedy) }) {
            #expect(Set(said.map(\.code)).count == 1, "\(Set(said.map(\.code)).sorted()): \(advice)")
        }
    }

    @Test func everyCaseStandsInTheCatalogue() throws {
        let sources = try ErrorCatalogue.sources()
        for type in ErrorCatalogue.types where type.isEnum {
            let declared = sources.filter { $0.text.contains("enum \(type.type):") }.flatMap { Self.cases(of: type.type, in: $0.text) }
            #expect(declared.count > 2 && Set(declared).count == declared.count, "\(type.type): \(declared)")
            #expect(Set(declared).subtracting(type.wrappers) == Set(type.errors.map(\.caseName)), "\(type.type)")
        }
    }

    /// The refusals' codes are made of the bootloader's numbers.
    @Test func theSourcesDeclareEachCodeOnce() throws {
        let literals = try ErrorCatalogue.sources().flatMap { file in
            file.text.matches(of: /"([A-Z]{3,4}-[0-9A-F]{4})"/).map { String($0.1) }
        }
        let repeated = Dictionary(grouping: literals) { $0 }.filter { $0.value.count > 1 }.keys.sorted()
        #expect(repeated.isEmpty, "\(repeated)")
        let catalogued = Set(ErrorCatalogue.all.map(\.diagnosis.code))
        #expect(Set(literals).subtracting(catalogued).isEmpty, "not in the catalogue: \(Set(literals).subtracting(catalogued).sorted())")
        let undeclared = catalogued.subtracting(literals).filter { !$0.hasPrefix("DFU-00") && !$0.hasPrefix("DFU-0B") }
        #expect(undeclared.isEmpty, "not in the sources: \(undeclared.sorted())")
    }

    @Test func aMergedCodeIsNotUsedAgain() {
        let codes = Set(ErrorCatalogue.all.map(\.diagnosis.code))
        for (old, new) in mergedCodes { #expect(!codes.contains(old) && codes.contains(new), "\(old) became \(new)") }
    }

    /// A fleet, a shift and the record count a fault in the unit against it; here the unit itself has refused.
    @Test func whatMaySucceedLaterIsNotTheUnitsFault() {
        let blaming = ErrorCatalogue.all.map(\.diagnosis).filter { $0.category == .tryAgain && $0.fault == .unit }
        #expect(Set(blaming.map(\.code)) == ["BLZ-0030", "OTA-000A"])
    }

    @Test func everyErrorSaysWhatToDo() {
        for error in ErrorCatalogue.all.map(\.diagnosis) {
            for text in [error.message, error.cause, error.remedy] {
                #expect(!text.isEmpty && !text.hasSuffix("."), "\(error.code): \(text)")
                let words = text.lowercased().split { !$0.isLetter }
                let riddles = words.filter { ["nobody", "somebody", "anybody", "persists"].contains($0) }
                #expect(riddles.isEmpty, "\(error.code): \(text)")
            }
            let family = String(error.code.prefix { $0 != "-" })
            #expect(ErrorPage.families[family] != nil, "\(error.code)")
        }
    }

    /// `make errors` writes the page.
    @Test func thePageIsCurrent() throws {
        let page = ErrorCatalogue.root.appendingPathComponent("docs/errors.md")
        let text = ErrorPage.text(ErrorCatalogue.all)
        if ProcessInfo.processInfo.environment["NOAFW_WRITE_DOCS"] == "1" {
            try text.write(to: page, atomically: true, encoding: .utf8)
        }
        let written = try? String(contentsOf: page, encoding: .utf8)
        #expect(written == text, "docs/errors.md is not current: run make errors")
    }

    /// `make errors` writes what `noafw explain` says.
    @Test func theRowsAreCurrent() throws {
        let folder = ErrorCatalogue.root.appendingPathComponent("Sources/noafw/Explain/Rows")
        let files = ErrorRowsFile.all(ErrorCatalogue.all)
        if ProcessInfo.processInfo.environment["NOAFW_WRITE_DOCS"] == "1" {
            for (name, text) in files { try text.write(to: folder.appendingPathComponent(name), atomically: true, encoding: .utf8) }
        }
        for (name, text) in files {
            let written = try? String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
            #expect(written == text, "\(name) is not current: run make errors, and build again")
        }
        #expect(try Set(FileManager.default.contentsOfDirectory(atPath: folder.path)) == Set(files.keys))
    }

    /// The cases that an enum at the top of a file declares, each on a line of its own.
    private static func cases(of type: String, in text: String) -> [String] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard let start = lines.firstIndex(where: { $0.contains("enum \(type):") && !$0.hasPrefix(" ") }) else { return [] }
        return lines[start...].prefix { $0 != "}" }.filter { $0.hasPrefix("    case ") }
            .map { String($0.dropFirst(9).prefix { $0.isLetter || $0.isNumber }) }
    }
}
