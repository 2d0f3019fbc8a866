import Testing

@testable import Support

@Suite struct ByteSearchTests {
    @Test(arguments: [
        ("", "", true), ("", "a", false), ("abc", "", true), ("abc", "abc", true), ("abc", "abcd", false), ("aabc", "abc", true),
    ])
    func bytesAreFound(text: String, wanted: String, isThere: Bool) {
        #expect(Array(text.utf8).contains(bytes: wanted.utf8) == isThere)
        #expect(text.utf8.map(\.self).reversed().contains(bytes: wanted.utf8.reversed()) == isThere)
    }

    @Test func onlyTheSliceCounts() {
        #expect(!Array("abcd".utf8)[1...].contains(bytes: "ab".utf8) && Array("abcd".utf8)[1...].contains(bytes: "cd".utf8))
    }
}
