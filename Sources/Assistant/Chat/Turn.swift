/// A question on its way to an answer.
///
/// waiting → transcribing → transcribed → confirming → answering. A typed question begins with answering. The ``Outbox`` delivers the
/// answer while it is being written.
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
    /// The link that brought the question; `nil` for a typed one.
    let link: Int?
    /// Kept when the turn fails: a retry does not transcribe again.
    var transcript: Transcript?
    var state = State.waiting

    /// Waits for the wearer's confirmation, requested or not.
    var isUnconfirmed: Bool {
        switch state {
        case .transcribed, .confirming: true
        case .waiting, .transcribing, .answering: false
        }
    }

    var photo: Photo? {
        if case .spoken(let utterance) = question { utterance.photo } else { nil }
    }

    /// - Parameter heard: the spoken words. The program's own text precedes them and is a question in either mode.
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
