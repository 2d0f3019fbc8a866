/// A question on its way to an answer.
struct Exchange {
    enum Question {
        case typed(String)
        case spoken(Utterance)
    }

    let id: ExchangeID
    let question: Question
    /// The link over which it came; `nil` for a typed one.
    let link: Int?
    /// What was heard, once it was; a second attempt does not listen again.
    var heard: String?
    /// What it was heard as.
    var mode: AssistantMode?

    var isSpoken: Bool { link != nil }

    var photo: [UInt8]? {
        if case .spoken(let utterance) = question { utterance.photo } else { nil }
    }

    var announcement: ChatEvent.Question {
        switch question {
        case .typed(let text): .typed(text)
        case .spoken(let utterance):
            .spoken(seconds: utterance.sound.seconds, photo: utterance.photo != nil, cut: utterance.cut)
        }
    }
}

/// Text that a display and a terminal can take.
enum PlainText {
    /// Without control characters but line feeds; tabs become spaces.
    static func clean(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control && $0 != "\n" }) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if scalar == "\t" { result.append(" ") }
            if scalar == "\n" || scalar.properties.generalCategory != .control { result.append(scalar) }
        }
        return String(result)
    }

    /// Without the white space that models put in front.
    static func withoutLeadingSpace(_ text: String) -> String { String(text.drop(while: \.isWhitespace)) }
}
