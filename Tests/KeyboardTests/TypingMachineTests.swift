import KeyboardFamily
import TestSupport
import Testing

@Suite struct TypingMachineTests {
    private func items(_ text: String, _ layout: KeyboardLayout = .unitedStates) -> [TypedItem] { TypingText(text, layout: layout).items }

    private func commands(_ machine: inout TypingMachine) -> [[UInt8]] {
        var commands: [[UInt8]] = []
        while let command = machine.next() {
            commands.append(command.bytes)
            machine.confirm()
        }
        return commands
    }

    private func change(_ old: String, _ new: String, _ layout: KeyboardLayout = .unitedStates) -> [[UInt8]] {
        var machine = TypingMachine(payload: 253)
        machine.aim(at: items(old, layout))
        _ = commands(&machine)
        machine.aim(at: items(new, layout))
        let commands = commands(&machine)
        #expect(machine.isDone)
        return commands
    }

    /// The phone app's own (`ios/README.md`).
    @Test func theSmallestEditIsTyped() {
        #expect(change("Hello word", "Hello world") == [[0x01, 0x01], [0x02, 0x6C, 0x64]])
        #expect(change("Hello wor", "Hello world") == [[0x02, 0x6C, 0x64]])
        #expect(change("same", "same").isEmpty)
        #expect(change("abc", "") == [[0x01, 0x03]])
        #expect(change("", "Hi") == [[0x02, 0x48, 0x69]])
    }

    /// A dead key and its space are one character: one Backspace takes it away.
    @Test func backspacesCountCharactersOfTheHost() {
        #expect(change("a^", "a", .swissGerman) == [[0x01, 0x01]])
        #expect(change("a", "a^b", .swissGerman) == [[0x02, 0x5E, 0x20, 0x62]])
        #expect(change("äö", "ä", .swissGerman) == [[0x01, 0x01]])
        #expect(change("e\u{301}x", "\u{E9}", .french) == [[0x01, 0x01]])
    }

    @Test func aWriteHasAtMost64Keys() {
        #expect(change(String(repeating: "x", count: 150), "") == [[0x01, 64], [0x01, 64], [0x01, 22]])
        let inserts = change("", String(repeating: "ab", count: 75))
        #expect(inserts.map(\.count) == [65, 65, 23])
        // Never between a dead key and its space.
        #expect(change("", "x" + String(repeating: "^", count: 40), .french).map(\.count) == [64, 19])
    }

    /// With less than a usual MTU, characters of several bytes stay whole.
    @Test func aWriteFitsTheLink() {
        var machine = TypingMachine(payload: 20)
        machine.aim(at: items(String(repeating: "€", count: 15), .german))
        let commands = commands(&machine)
        #expect(commands.map(\.count) == [19, 19, 10])
        #expect(commands.allSatisfy { String(validating: $0.dropFirst(), as: UTF8.self) != nil })
    }

    @Test func onlyWhatIsConfirmedStandsOnTheHost() {
        var machine = TypingMachine(payload: 253)
        machine.aim(at: items("Hello"))
        let (first, second) = (machine.next(), machine.next())
        #expect(first?.bytes == [0x02] + Array("Hello".utf8) && second == nil)
        #expect(machine.standing == .known([]) && machine.confirmedKeys == 0)
        // The aim changes while it is in flight: what was sent counts.
        machine.aim(at: items("Help"))
        machine.confirm()
        #expect(machine.standing == .known(items("Hello")) && machine.confirmedKeys == 5)
        #expect(commands(&machine) == [[0x01, 0x02], [0x02, 0x70]])
        #expect(machine.isDone)
    }

    @Test func afterALostLinkNothingIsTakenAway() {
        var machine = TypingMachine(payload: 253)
        machine.aim(at: items("Hello"))
        _ = machine.next()
        let unknown = machine.lose()
        #expect(unknown == 5 && machine.standing == .unknown && !machine.isDone)
        let isTaken = machine.aim(at: items("Help"))
        #expect(!isTaken && commands(&machine).isEmpty)
        // The field is empty: somebody says so.
        let isEmptied = machine.aim(at: [])
        #expect(isEmptied && commands(&machine).isEmpty && machine.isDone)
        machine.aim(at: items("Help"))
        #expect(commands(&machine) == [[0x02] + Array("Help".utf8)])
    }

    @Test func whatAKeyDidStays() {
        let word = MagicWord("Abrahadabra", .control(0x4A))
        func text(_ text: String) -> [TypedItem] { TypingText(text, layout: .unitedStates, magic: word.map { [$0] } ?? []).items }
        var machine = TypingMachine(payload: 253)
        machine.aim(at: text("one abraHadabra two"))
        #expect(machine.owesKeys)
        #expect(commands(&machine) == [[0x02] + Array("one ".utf8), [0x04, 0x4A], [0x02] + Array(" two".utf8)])
        #expect(!machine.owesKeys && machine.isDone)
        machine.aim(at: text("one abrahadabra too"))
        #expect(commands(&machine) == [[0x01, 0x02], [0x02] + Array("oo".utf8)])
        // A change before it is not made.
        machine.aim(at: text("On abrahadabra too"))
        #expect(machine.isTooLate && commands(&machine).isEmpty)
        // An empty text begins behind it.
        machine.aim(at: [])
        #expect(commands(&machine) == [[0x01, 0x04]])
        machine.aim(at: text("new"))
        #expect(commands(&machine) == [[0x02] + Array("new".utf8)])
        machine.finish(with: [.control(0x41), .enter])
        #expect(commands(&machine) == [[0x04, 0x41], [0x03]])
        #expect(machine.isDone)
    }
}

@Suite struct TypingTextTests {
    @Test func whatWordProcessorsWriteIsTypedPlain() {
        let text = TypingText("\u{201C}Don\u{2019}t\u{201D}\u{A0}\u{2014} wait\u{2026}\r\nok\r", layout: .unitedStates)
        #expect(text.items == TypingText("\"Don't\" - wait...\nok\n", layout: .unitedStates).items)
        #expect(text.replaced.count == 6 && text.missing.isEmpty && text.mistaken.isEmpty)
        #expect(text.characters == 21 && text.keys == 21)
    }

    @Test func whatTheLayoutLacksIsNamed() {
        let text = TypingText("a\u{1F600}\u{1F600}é\u{0}", layout: .unitedStates)
        #expect(text.missing == ["\u{1F600}": 2, "é": 1, "\u{0}": 1])
        #expect(text.characters == 1)
        #expect(TypingText("^", layout: .german).missing == ["^": 1])
        #expect(TypingText("\\`|~", layout: .italian).missing.count == 4)
    }

    @Test func whatTheUnitGetsWrongIsNamed() {
        #expect(TypingText("Hi!!", layout: .swissGerman).mistaken == ["!": 2])
        #expect(TypingText("a|b", layout: .british).mistaken == ["|": 1])
        #expect(TypingText("€", layout: .spanish).mistaken == ["€": 1] && TypingText("€", layout: .german).mistaken.isEmpty)
    }

    @Test func aMagicWordIsAWholeWordInAnyCase() throws {
        let words = [try #require(MagicWord("new", .enter)), try #require(MagicWord("Stop", .control(0x43)))]
        let items = TypingText("newspaper NEW sTOp, renew", layout: .unitedStates, magic: words).items
        #expect(items.filter { if case .character = $0 { false } else { true } } == [.enter, .control(0x43)])
        #expect(items.count == "newspaper  , renew".count + 2)
        #expect(MagicWord("", .enter) == nil && MagicWord("12", .enter) == nil)
    }

    /// With space, line end and tab (the firmware's own tables, counted).
    @Test func theLayoutsAreWhole() {
        #expect(KeyboardLayout.allCases.map(\.characters.count) == [97, 108, 106, 106, 105, 107, 104])
    }
}
