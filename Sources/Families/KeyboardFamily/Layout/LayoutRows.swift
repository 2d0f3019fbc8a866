/// A layout, key by key: alone, with Shift and with AltGr. From IOS-Keyboard 2.10.0 (`keyboard_layout.c`); us is plain.
struct LayoutRows {
    /// A key that types nothing.
    static let nothing: Unicode.Scalar = "□"
    /// HID usages: letters, digits, then - = [ ] \ and its twin, ; ' ` , . / and the key next to the left Shift.
    static let usages: [UInt8] = Array(0x04...0x27) + Array(0x2D...0x38) + [0x64]

    let plain, shift, altGr: String
    /// Characters that share a key with another.
    var also: [(Unicode.Scalar, KeyStroke)] = []

    var strokes: [Unicode.Scalar: KeyStroke] {
        var strokes: [Unicode.Scalar: KeyStroke] = ["\n": KeyStroke(0x28), "\t": KeyStroke(0x2B), " ": KeyStroke(0x2C)]
        for (row, modifier) in [(plain, KeyStroke.Modifier.none), (shift, .shift), (altGr, .altGr)] {
            for (usage, character) in zip(Self.usages, row.unicodeScalars) where character != Self.nothing {
                strokes[character] = KeyStroke(usage, modifier)
            }
        }
        for (character, stroke) in also { strokes[character] = stroke }
        return strokes
    }
}

extension KeyboardLayout {
    var rows: LayoutRows {
        switch self {
        case .unitedStates:
            LayoutRows(
                plain: "abcdefghijklmnopqrstuvwxyz1234567890-=[]\\□;'`,./",
                shift: "ABCDEFGHIJKLMNOPQRSTUVWXYZ!@#$%^&*()_+{}|□:\"~<>?",
                altGr: "")
        case .swissGerman:
            LayoutRows(
                plain: "abcdefghijklmnopqrstuvwxzy1234567890'^üè$□öä□,.-<",
                shift: "ABCDEFGHIJKLMNOPQRSTUVWXZY+\"*□%&/()=?`Ü□£□ÖÄ!;:_>",
                altGr: "□□□□□□□□□□□□□□□□□□□□□□□□□□□@#□□¬|¢□□□~[]}□□{□□□□\\", also: [("¦", KeyStroke(0x24, .altGr))])
        case .german:
            LayoutRows(
                plain: "abcdefghijklmnopqrstuvwxzy1234567890ß´ü+#□öä□,.-<",
                shift: "ABCDEFGHIJKLMNOPQRSTUVWXZY!\"§$%&/()=?`Ü*'□ÖÄ□;:_>",
                altGr: "□□□□€□□□□□□□□□□□@□□□□□□□□□□□□□□□{[]}\\□□~□□□□□□□□|")
        case .french:
            LayoutRows(
                plain: "qbcdefghijkl,noparstuvzxyw&é\"'(-è_çà)=^$*□mù□;:!<",
                shift: "QBCDEFGHIJKL?NOPARSTUVZXYW1234567890°+□□µ□M%□./§>",
                altGr: "□□□□€□□□□□□□□□□□□□□□□□□□□□□~#{[|`\\□@]}")
        case .british:
            LayoutRows(
                plain: "abcdefghijklmnopqrstuvwxyz1234567890-=[]#\\;'`,./",
                shift: "ABCDEFGHIJKLMNOPQRSTUVWXYZ!\"£$%^&*()_+{}~|:@¬<>?",
                altGr: "á□□□é□□□í□□□□□ó□□□□□ú□□□□□□□□€")
        case .spanish:
            LayoutRows(
                plain: "abcdefghijklmnopqrstuvwxyz1234567890'¡`+ç□ñ´□,.-<",
                shift: "ABCDEFGHIJKLMNOPQRSTUVWXYZ!\"·$%&/()=?¿^*Ç□Ñ¨□;:_>",
                altGr: "□□□□□□□□□□□□□□□□□□□□□□□□□□|@#~€□□□□□□□[]}□□{\\")
        case .italian:
            LayoutRows(
                plain: "abcdefghijklmnopqrstuvwxyz1234567890'ìè+ù□òà□,.-<",
                shift: "ABCDEFGHIJKLMNOPQRSTUVWXYZ!\"£$%&/()=?^é*§□ç°□;:_>",
                altGr: "□□□□€□□□□□□□□□□□□□□□□□□□□□□□□□□□{□□}□□[]□□@#")
        }
    }
}
