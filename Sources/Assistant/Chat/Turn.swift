/// A question on its way to an answer.
///
/// waiting → transcribing → transcribed → confirming → answering. A typed question begins with answering. The answer
/// is delivered while it is being written: that part of the way is the ``Outbox``'s.
struct Turn {
    enum Question {
        case typed(String)
        case spoken(Utterance)
    }

    struct Transcript {
        /// Empty for a picture without words.
        let text: String
        let mode: AssistantMode
    }

    enum State {
        case waiting
        case transcribing(work: Int, AssistantMode)
        /// To be confirmed as soon as the unit is ready.
        case transcribed
        case confirming(ConfirmationID)
        case answering(work: Int, text: String)
    }

    let id: TurnID
    let question: Question
    /// The link over which the question came; `nil` for a typed one.
    let link: Int?
    /// Kept when the turn fails: a second attempt does not transcribe again.
    var transcript: Transcript?
    var state = State.waiting

    /// Waits for its wearer's confirmation, asked for or not.
    var isUnconfirmed: Bool {
        switch state {
        case .transcribed, .confirming: true
        case .waiting, .transcribing, .answering: false
        }
    }

    var photo: Photo? {
        if case .spoken(let utterance) = question { utterance.photo } else { nil }
    }

    /// - Parameter heard: what was said; the program's own text goes before it, and is a question in either mode.
    func transcript(of heard: String, heardAs mode: AssistantMode) -> Transcript {
        let own = if case .spoken(let utterance) = question { utterance.text } else { "" }
        let texts = [own, heard].map { PlainText.withoutLeadingSpace(PlainText.clean($0)) }
        return Transcript(text: texts.filter { !$0.isEmpty }.joined(separator: " "), mode: texts[0].isEmpty ? mode : .assistant)
    }

    var announcement: ChatEvent.Question {
        switch question {
        case .typed(let text): .typed(text)
        case .spoken(let utterance):
            .spoken(seconds: utterance.sound.seconds, photo: utterance.photo != nil, cut: utterance.cut)
        }
    }
}
