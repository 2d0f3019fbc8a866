import Foundation
import KeyboardFamily
import TestSupport
import Testing
import VirtualDevices

/// What the unit sends, as a computer with libxkbcommon and the same layout reads it.
@Suite(.enabled(if: HostComputer.isThere, "libxkbcommon is missing: run Tools/setup tests")) struct HostTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func reports(of texts: [String], _ layout: KeyboardLayout) async throws -> [[String]] {
        let settings = KeyboardSettings()
        let bench = try KeyboardBench(settings: settings)
        return try await bench.run { bench in
            settings.board.layout = try #require(KeyboardLayoutName(rawValue: layout.rawValue))
            var reports: [[String]] = []
            for text in texts {
                _ = try await bench.session().type(TypingText(text, layout: layout).items)
                reports.append(try bench.takeReports())
            }
            return reports
        }
    }

    private static let corpus: [KeyboardLayout: [String]] = [
        .unitedStates: [
            "The quick brown fox jumps over the lazy dog; 0123456789.",
            "if (a[0] != b) { c |= ~d ^ \"e\" & 'f' % $g #h @i `j` \\k }\n\t<l>",
        ],
        .swissGerman: ["Zwölf Boxkämpfer jagen Viktor quer über den grossen Sylter Deich", "a@b.ch #1 [x] {y} | \\ ~ ^ `z` £ ¢ ¬ $5"],
        .german: ["Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich!", "Übung § 5: {a} [b] | \\ ~ @ € `c` ÄÖÜ"],
        .french: ["Portez ce vieux whisky au juge blond qui fume, à 5 heures", "ça va 5 € ! #{[|`\\^@]} ° § µ %"],
        .british: ["Pack my box with five dozen liquor jugs. £5, €6", "a[0] = #b @c \"d\" 'e' ¬ `"],
        .spanish: ["El veloz zorro salta sobre el perro", "¿Año? ¡Ñu! ç·Ç ^ ` [a] {b} | @ # ~ \\ "],
        .italian: ["Pranzo d'acqua fa volti sghembi", "Perché no? è à ò ù ì ç ° § £ € @ # [a] {b} ^"],
    ]

    @Test(arguments: KeyboardLayout.allCases) func aTextArrives(layout: KeyboardLayout) async throws {
        let texts = try #require(Self.corpus[layout])
        for text in texts {
            let plan = TypingText(text, layout: layout)
            #expect(plan.missing.isEmpty && plan.replaced.isEmpty && plan.mistaken.isEmpty, "\(layout.rawValue): \(text)")
        }
        let screens = try HostComputer.screens(layout, try await reports(of: texts, layout), in: folder)
        #expect(screens.map(\.text) == [texts[0], texts[0] + texts[1]])
        #expect(screens.allSatisfy { $0.down.isEmpty && $0.faults.isEmpty })
    }

    /// Every character of every layout: itself, or what is warned of.
    @Test(arguments: KeyboardLayout.allCases) func everyCharacterIsWhatIsSaid(layout: KeyboardLayout) async throws {
        let characters = layout.characters
        let screens = try HostComputer.screens(layout, try await reports(of: characters.map { String($0) }, layout), in: folder)
        try #require(screens.count == characters.count)
        var text = ""
        for (character, screen) in zip(characters, screens) {
            text.unicodeScalars.append(layout.mistake(for: character) ?? character)
            try #require(screen.text == text, "\(layout.rawValue) \(character)")
        }
    }

    /// Without its space a dead key shows nothing.
    @Test func deadKeysAreDead() async throws {
        for layout in KeyboardLayout.allCases {
            let settings = KeyboardSettings()
            let bench = try KeyboardBench(settings: settings)
            let characters = layout.characters
            let reports = try await bench.run { bench in
                settings.board.layout = try #require(KeyboardLayoutName(rawValue: layout.rawValue))
                let link = try await bench.link()
                return try await Self.each(characters) { character in
                    try await link.send(.insert([character]))
                    return try bench.takeReports()
                }
            }
            let screens = try HostComputer.screens(layout, reports, isFresh: true, in: folder)
            try #require(screens.count == characters.count)
            for (character, screen) in zip(characters, screens) {
                #expect(screen.text.isEmpty == layout.isDead(character), "\(layout.rawValue) \(character)")
            }
        }
    }

    private static func each<Value>(
        _ characters: [Unicode.Scalar], _ body: (Unicode.Scalar) async throws -> Value
    ) async rethrows -> [Value] {
        var values: [Value] = []
        for character in characters { values.append(try await body(character)) }
        return values
    }

    @Test func controlIsHeldWithItsLetter() async throws {
        let bench = try KeyboardBench()
        let reports = try await bench.run { bench in
            _ = try await bench.session().type(TypingText("a", layout: .swissGerman).items + [.control(0x4A), .enter])
            return try bench.takeReports()
        }
        #expect(try HostComputer.screens(.swissGerman, [reports], in: folder).map(\.text) == ["a<C-j>\n"])
    }
}
