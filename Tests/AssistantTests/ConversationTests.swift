import Testing

@testable import Assistant

@Suite struct ConversationTests {
    @Test func isClearedWhenItPassesItsLimit() {
        var conversation = Conversation(tokenLimit: 100)
        conversation.ask("One")
        #expect(conversation.answered("1", totalTokens: 100) == false)
        conversation.ask("Two", photo: Photo(jpeg: [1]))
        conversation.ask("Three", photo: Photo(jpeg: [2]))
        #expect(conversation.messages.map(\.photo) == [nil, nil, nil, Photo(jpeg: [2])])
        #expect(conversation.answered("3", totalTokens: 101) == true)
        #expect(conversation.messages.isEmpty)
        conversation.ask(String(repeating: "word ", count: 100))
        #expect(conversation.answered("long", totalTokens: nil) == true)
    }

    @Test func isClearedByAnotherMode() {
        var conversation = Conversation()
        conversation.ask("One")
        #expect(conversation.switchMode(to: .assistant) == false)
        #expect(conversation.messages.count == 1)
        #expect(conversation.switchMode(to: .translator) == true)
        #expect(conversation.messages.isEmpty)
    }

    /// A server that counts no tokens, or counts them wrong.
    @Test func isClearedWhenItHasTooManyMessages() {
        var conversation = Conversation()
        for number in 1..<Conversation.messageLimit / 2 {
            conversation.ask("q")
            #expect(conversation.answered("a", totalTokens: 0) == false)
            #expect(conversation.messages.count == 2 * number)
        }
        conversation.ask("q")
        #expect(conversation.answered("a", totalTokens: 0) == true)
        #expect(conversation.messages.isEmpty)
    }

    @Test func tokensAreEstimatedWhereTheServerDoesNotCount() {
        for mode in AssistantMode.allCases {
            let base = Conversation(mode: mode).estimatedTokens
            #expect(base == mode.systemPrompt.utf8.count / 4 && base > 50)
            // 5 bytes make 2 tokens, 1 byte makes 1, and each message costs 4.
            for (limit, isCleared) in [(base + 11, false), (base + 10, true)] {
                var conversation = Conversation(mode: mode, tokenLimit: limit)
                conversation.ask("hello")
                #expect(conversation.estimatedTokens == base + 6)
                #expect(conversation.answered("a", totalTokens: nil) == isCleared)
            }
        }
    }

    @Test func aLimitIsAtLeastOneToken() {
        for limit in [0, -7, 1] { #expect(Conversation(tokenLimit: limit).tokenLimit == 1) }
    }

    @Test func onlyAQuestionIsTakenBack() {
        var conversation = Conversation()
        conversation.withdrawQuestion()
        conversation.ask("One")
        _ = conversation.answered("1", totalTokens: 1)
        conversation.withdrawQuestion()
        #expect(conversation.messages.map(\.text) == ["One", "1"])
        conversation.ask("Two")
        conversation.withdrawQuestion()
        #expect(conversation.messages.map(\.text) == ["One", "1"])
    }
}
