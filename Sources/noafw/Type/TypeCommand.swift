import ArgumentParser
import KeyboardFamily
import Provisioning

/// `noafw type`
struct TypeCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "type",
        abstract: "Type a text on the host of an IOS-Keyboard.",
        discussion: """
            Types TEXT, or else standard input, on the computer that the keyboard is plugged into. noafw removes TEXT from the list of \
            processes once it has started; the shell keeps it in its history, and other users may have read it before: give a password \
            on standard input. noafw does not type one line end at the end of the input; add --enter for it. It keeps the text out of \
            its messages and files; the unit shows it on its web page, without a password.

            The unit and its host must use the same layout. The unit starts with ch-de, and only its web page sets another. noafw \
            types quotation marks, dashes and spaces that no layout has as their plain forms, refuses other characters that the layout \
            lacks, and warns about those that the layout makes dead (a space follows each) or the unit gets wrong.

            With --follow each line of standard input is the whole text that the host should show now. noafw types the smallest \
            change. An empty line deletes everything. After a lost link the host's text is unknown: noafw types nothing more until \
            you empty the field by hand and then give an empty line.

            A unit answers as soon as it has typed, even when no computer is plugged in. --prove compares the unit's record (its last \
            20 commands and keys) with what was sent. The name ios-keyboard.local needs multicast DNS on this \
            machine (Debian: libnss-mdns), except for a virtual unit.

            Examples:
              noafw type "Hello world" --enter
              noafw type --layout us < text.txt
              noafw type --dry-run --layout de < text.txt
              dictation | noafw type --follow --magic abrahadabra=ctrl+j
              noafw type Hello --prove http://ios-keyboard.local
              noafw type Hello --virtual keyboard --prove http://ios-keyboard.local

            Exit codes: 0 the unit confirmed every key, 1 --prove shows otherwise, 65 the layout lacks a character, 75 the link was \
            lost, others as in noafw flash.
            """)

    static let hasPrivateArguments = true

    @Argument(help: ArgumentHelp("The text. Put -- before one that begins with -.", valueName: "text"))
    var text: String?

    @OptionGroup(title: "Unit") var unit: UnitOptions

    @Option(
        help: ArgumentHelp(
            "The layout of the unit and its host: \(KeyboardLayout.allCases.map(\.rawValue).joined(separator: ", ")).",
            valueName: "layout"),
        completion: .list(KeyboardLayout.allCases.map(\.rawValue)))
    var layout = KeyboardLayout.ofStart.rawValue

    @Flag(help: "Type the changes of standard input: each line is the whole text.")
    var follow = false

    @Flag(help: "Press Enter at the end.")
    var enter = false

    @Option(help: ArgumentHelp("Press Ctrl and this letter at the end, before --enter. Repeat for more.", valueName: "letter"))
    var ctrl: [String] = []

    @Option(
        help: ArgumentHelp(
            "Press a key instead of this word, in any case: WORD=ctrl+LETTER or WORD=enter. Repeat for more.", valueName: "word=key"))
    var magic: [String] = []

    @Flag(help: "Print what would be sent: characters, keys, bytes, seconds. Use no unit.")
    var dryRun = false

    @Option(help: ArgumentHelp("Compare with the unit's record on its web page at this address.", valueName: "url"))
    var prove: String?

    @Flag(help: "Print one JSON document on standard output (schema noafw.type/1). It holds none of the text.")
    var json = false

    @OptionGroup var limit: TimeLimit

    /// Messages repeat no value: it may be the text after an option that lacks its own.
    func validate() throws {
        if follow, text != nil || dryRun { throw ValidationError("--follow types what standard input says: leave out TEXT and --dry-run.") }
        if dryRun, prove != nil { throw ValidationError("--dry-run sends nothing that --prove could find.") }
        if KeyboardLayout(rawValue: layout) == nil {
            throw ValidationError("--layout is one of: \(KeyboardLayout.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
        if ctrl.contains(where: { Self.letter($0) == nil }) { throw ValidationError("--ctrl is one letter, A to Z.") }
        if magic.contains(where: { Self.magicWord($0) == nil }) {
            throw ValidationError("--magic is a word and its key, such as abrahadabra=ctrl+j or over=enter.")
        }
        if let prove, KeyboardPage(prove) == nil { throw ValidationError("--prove is an address such as http://ios-keyboard.local.") }
        if let family = unit.value.target.family, family != .keyboard {
            throw ValidationError("noafw type is for units of the family keyboard.")
        }
    }

    private static func letter(_ text: String) -> TypedItem? {
        guard text.utf8.count == 1, let letter = text.uppercased().utf8.first, (0x41...0x5A).contains(letter) else { return nil }
        return .control(letter)
    }

    private static func magicWord(_ text: String) -> MagicWord? {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return nil }
        let key = parts[1].lowercased()
        let item = key == "enter" ? .enter : key.hasPrefix("ctrl+") ? letter(String(key.dropFirst(5))) : nil
        return item.flatMap { MagicWord(parts[0], $0) }
    }

    func run(in context: CommandContext) async -> Int32 {
        let wish = TypeWish(
            text: text, layout: KeyboardLayout(rawValue: layout) ?? .ofStart, follows: follow, magic: magic.compactMap(Self.magicWord),
            lastKeys: ctrl.compactMap(Self.letter) + (enter ? [.enter] : []), isDryRun: dryRun, page: prove.flatMap { KeyboardPage($0) },
            unit: unit.value)
        return await TypeRun(context: context, wish: wish, isJSON: json, timeout: limit.timeout).run()
    }
}

/// What to type, and where.
struct TypeWish: Sendable {
    /// `nil`: standard input.
    var text: String?
    var layout: KeyboardLayout
    var follows: Bool
    var magic: [MagicWord]
    /// After the text.
    var lastKeys: [TypedItem]
    var isDryRun: Bool
    /// `nil` when no proof is wanted.
    var page: KeyboardPage?
    var unit: UnitSelection
}
