import Testing

@testable import Assistant

@Suite struct SecretFilterTests {
    /// However the text is cut, the key is out of it and nothing else is.
    @Test(arguments: 1...12) func theKeyIsTakenOut(size: Int) throws {
        let key = try SecretText("sk-abcabd")
        let text = "sk-abc sk-abcabd! ssk-abcabcabdsk-abcabdsk-abcab"
        var filter = SecretFilter(key)
        var shown = ""
        var rest = text[...]
        while !rest.isEmpty {
            shown += filter.pass(String(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        shown += filter.finish()
        #expect(shown == "sk-abc [key]! ssk-abcabcabd[key]sk-abcab")
    }

    @Test func withoutAKeyNothingIsHeldBack() {
        var filter = SecretFilter(nil)
        #expect(filter.pass("sk-") == "sk-")
        #expect(filter.finish() == "")
    }
}
