/// The layouts of IOS-Keyboard 2.10.0 (`keyboard_layout.c`), each as what differs from a keyboard of the United States.
package enum KeyboardLayoutName: String, Codable, Sendable, CaseIterable {
    case american = "us"
    case swissGerman = "ch-de"
    case german = "de"
    case french = "fr"
    case british = "uk"
    case spanish = "es"
    case italian = "it"

    /// - Returns: `nil` for what the layout lacks, and the firmware skips.
    func key(for codePoint: UInt32) -> KeyboardReport? { Self.tables[self]?[codePoint] }

    private static let tables: [KeyboardLayoutName: [UInt32: KeyboardReport]] = Dictionary(
        uniqueKeysWithValues: allCases.map { layout in
            var table = american(without: layout.missing)
            for word in layout.differences.split(separator: " ") { read(word.unicodeScalars, into: &table) }
            return (layout, table)
        })

    /// A character, `=`, S for Shift or A for AltGr, the usage in hexadecimal.
    private static func read(_ word: Substring.UnicodeScalarView, into table: inout [UInt32: KeyboardReport]) {
        guard let character = word.first, let usage = UInt8(String(word.suffix(2)), radix: 16) else { return }
        let modifiers: UInt8 = switch word.dropFirst(2).first {
        case "S": 0x02
        case "A": 0x40
        default: 0
        }
        table[character.value] = KeyboardReport(usage: usage, modifiers: word.count == 5 ? modifiers : 0)
    }

    private static func american(without missing: String) -> [UInt32: KeyboardReport] {
        // From the usage beside it on.
        let runs: [(UInt8, plain: String, shifted: String)] = [
            (0x04, "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"), (0x1E, "1234567890", "!@#$%^&*()"),
            (0x28, "\n", ""), (0x2B, "\t -=[]\\", ""), (0x2D, "", "_+{}|"), (0x33, ";'`,./", ":\"~<>?"),
        ]
        var table: [UInt32: KeyboardReport] = [:]
        for (first, plain, shifted) in runs {
            for (text, modifiers) in [(plain, UInt8(0)), (shifted, 0x02)] {
                for (offset, character) in text.unicodeScalars.enumerated() {
                    table[character.value] = KeyboardReport(usage: first + UInt8(offset), modifiers: modifiers)
                }
            }
        }
        for character in missing.unicodeScalars { table[character.value] = nil }
        return table
    }

    private var missing: String {
        switch self {
        case .german: "^"
        case .italian: "\\`|~"
        case .american, .swissGerman, .french, .british, .spanish: ""
        }
    }

    private var differences: String {
        switch self {
        case .american: ""
        case .swissGerman:
            "!=S35 \"=S1f #=A20 $=31 &=S23 '=2d (=S25 )=S26 *=S20 +=S1e -=38 /=S24 :=S37 ;=S36 <=64 ==S27 >=S64 ?=S2d @=A1f "
            + "Y=S1d Z=S1c [=A2f \\=A64 ]=A30 ^=2e _=S38 `=S2e y=1d z=1c {=A34 |=A24 }=A31 ~=A2e ¢=A25 £=S31 ¦=A24 ¬=A23 Ä=S34 "
            + "Ö=S33 Ü=S2f ä=34 è=30 ö=33 ü=2f"
        case .german:
            "\"=S1f #=31 &=S23 '=S31 (=S25 )=S26 *=S30 +=30 -=38 /=S24 :=S37 ;=S36 <=64 ==S27 >=S64 ?=S2d @=A14 Y=S1d Z=S1c "
            + "[=A25 \\=A2d ]=A26 _=S38 `=S2e y=1d z=1c {=A24 |=A64 }=A27 ~=A30 §=S20 ´=2e Ä=S34 Ö=S33 Ü=S2f ß=2d ä=34 ö=33 "
            + "ü=2f €=A08"
        case .french:
            "!=38 \"=20 #=A20 $=30 %=S34 &=1e '=21 (=22 )=2d *=31 ,=10 -=23 .=S36 /=S37 0=S27 1=S1e 2=S1f 3=S20 4=S21 5=S22 "
            + "6=S23 7=S24 8=S25 9=S26 :=37 ;=36 <=64 >=S64 ?=S10 @=A27 A=S14 M=S33 Q=S04 W=S1d Z=S1a [=A22 \\=A25 ]=A2d ^=2f "
            + "_=25 `=A24 a=14 m=33 q=04 w=1d z=1a {=A21 |=A23 }=A2e ~=A1f §=S38 °=S2d µ=S31 à=27 ç=26 è=24 é=1f ù=34 €=A08"
        case .british:
            "\"=S1f #=31 @=S34 \\=32 |=S32 ~=S31 £=S20 ¬=S35 á=A04 é=A08 í=A0c ó=A12 ú=A18 €=A21"
        case .spanish:
            "\"=S1f #=A20 &=S23 '=2d (=S25 )=S26 *=S30 +=30 -=38 /=S24 :=S37 ;=S36 <=64 ==S27 >=S64 ?=S2d @=A1f [=A2f \\=A35 "
            + "]=A30 ^=S2f _=S38 `=2f {=A34 |=A1e }=A31 ~=A21 ¡=2e ¨=S34 ´=34 ·=S20 ¿=S2e Ç=S31 Ñ=S33 ç=31 ñ=33 €=A22"
        case .italian:
            "\"=S1f #=A34 &=S23 '=2d (=S25 )=S26 *=S30 +=30 -=38 /=S24 :=S37 ;=S36 <=64 ==S27 >=S64 ?=S2d @=A33 [=A2f ]=A30 "
            + "^=S2e _=S38 {=A24 }=A27 £=S20 §=S31 °=S34 à=34 ç=S33 è=2f é=S2f ì=2e ò=33 ù=31 €=A08"
        }
    }
}
