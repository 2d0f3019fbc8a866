import Bluetooth
import Foundation
import Support
import TestSupport
import Testing

@testable import Archive

private let limits = ArchiveLimits(entryCount: 100, contentByteCount: 1 << 20, allowsFolders: true)

@Suite struct ArchiveWriterTests {
    private let entries: [String: [UInt8]] = [
        "scripts/main.py": Array("print(1)\n".utf8), "a.bin": [UInt8](UInt8.min...UInt8.max), "empty": [],
        "scripts/lib/x.py": [0x03, 0x1C],
    ]

    @Test func whatIsWrittenIsRead() throws {
        let bytes = try ArchiveWriter.archive(entries)
        try ArchiveReader.open(bytes, limits: limits) { archive in
            #expect(archive.names == ["a.bin", "empty", "scripts/lib/x.py", "scripts/main.py"])
            for (name, content) in entries {
                let read = try archive.read(name, limit: 256)
                #expect(read == content)
            }
            #expect(throws: ArchiveError.entryMissing(name: "b")) { try archive.read("b", limit: 1) }
            #expect(throws: ArchiveError.entryTooLarge(name: "a.bin", byteCount: 256, limit: 255)) {
                try archive.read("a.bin", limit: 255)
            }
        }
    }

    /// Every byte by PKWARE's APPNOTE, whatever libzip is installed.
    @Test func theBytesAreTheSameEverywhere() throws { #expect(try ArchiveWriter.archive(entries) == Self.expected(entries)) }

    private static func expected(_ entries: [String: [UInt8]]) -> [UInt8] {
        var body: [UInt8] = []
        var directory: [UInt8] = []
        for (name, content) in entries.sorted(by: { $0.key < $1.key }) {
            let offset = UInt32(body.count)
            let size = little(UInt32(content.count))
            let common = [10, 0, 0, 0, 0, 0, 0, 0, 0x21, 0] + little(referenceCRC(content)) + size + size
                + little(UInt16(name.utf8.count)) + [0, 0]
            body += little(UInt32(0x0403_4B50)) + common + Array(name.utf8) + content
            directory += little(UInt32(0x0201_4B50)) + [63, 3] + common + [0, 0, 0, 0, 0, 0]
            directory += little(UInt32(0o100644) << 16) + little(offset) + Array(name.utf8)
        }
        let count = little(UInt16(entries.count))
        return body + directory + little(UInt32(0x0605_4B50)) + [0, 0, 0, 0] + count + count
            + little(UInt32(directory.count)) + little(UInt32(body.count)) + [0, 0]
    }

    @Test func anUnsafeNameIsRefused() {
        #expect(throws: ArchiveError.unsafeName("../x")) { try ArchiveWriter.archive(["../x": []]) }
    }

    @Test func thousandsOfEntriesTakeNoQuadraticWork() throws {
        let many = Dictionary(uniqueKeysWithValues: (0..<20_000).map { ("f\($0)", [UInt8($0 & 0xFF)]) })
        let bytes = try ArchiveWriter.archive(many)
        let wide = ArchiveLimits(entryCount: 20_000, contentByteCount: 20_000)
        let names = try ArchiveReader.open(bytes, limits: wide) { archive in
            for (name, content) in many where try archive.read(name, limit: 1) != content { Issue.record("\(name)") }
            return archive.names
        }
        #expect(names == many.keys.sorted())
    }
}

@Suite struct HostileArchiveTests {
    private func problem(_ change: (inout RawZip) -> Void) -> ArchiveError? {
        var zip = RawZip(entries: [.init("a/b.bin", [1, 2, 3])])
        change(&zip)
        do {
            try ArchiveReader.open(zip.bytes, limits: limits) { archive in
                for name in archive.names { _ = try archive.read(name, limit: 1 << 20) }
            }
            return nil
        } catch {
            return error as? ArchiveError
        }
    }

    @Test func theTestsOwnZipIsGood() { #expect(problem { _ in } == nil) }

    @Test(arguments: [
        "../a", "a/../b", "/a", "a//b", "a/", "./a", "..", "a..b", "C:a", "x\\a", "a\u{0}b", "a\u{1B}", "ä", "",
        String(repeating: "a", count: 129),
    ])
    func unsafeNamesAreRefused(name: String) {
        guard case .unsafeName? = problem({ $0.entries.append(.init(name, [1])) }) else {
            Issue.record("\(name) was accepted")
            return
        }
    }

    @Test func linksAreRefused() {
        guard case .entryDamaged(name: "a/b.bin", _)? = problem({ $0.entries[0].attributes = 0o120777 << 16 }) else {
            Issue.record("a link was accepted")
            return
        }
        #expect(problem { $0.entries[0].attributes = 0o644 << 16 } == nil)
    }

    /// Whoever believed the size would take the beginning of a file for all of it.
    @Test func anEntryThatIsLongerThanItSaysIsRefused() {
        let (stream, length) = RawZip.deflatedZeros(matches: 4)
        func problem(statedSize: Int) -> ArchiveError? {
            self.problem { zip in
                zip.entries[0].data = stream
                zip.entries[0].method = 8
                zip.entries[0].statedSize = UInt32(statedSize)
                zip.entries[0].crc = referenceCRC(repeatElement(0, count: statedSize))
            }
        }
        #expect(problem(statedSize: length) == nil)
        #expect(problem(statedSize: length - 1) == .entryDamaged(name: "a/b.bin", reason: "its size is not the stated one"))
    }

    /// libzip says of it that there is no such file.
    @Test func aSizeOfZip64WithoutItsExtensionIsTold() {
        #expect(problem { $0.entries[0].statedSize = .max } == .notAnArchive(reason: "a size in its directory is wrong"))
    }

    @Test func encryptedEntriesAreRefused() {
        #expect(problem { $0.entries[0].flags = 1 } == .entryDamaged(name: "a/b.bin", reason: "it is encrypted"))
    }

    @Test func nothingStandsBehindTheDirectory() {
        #expect(problem { $0.gap = [1, 2, 3] } == .notAnArchive(reason: "its directory does not end where it should"))
    }

    @Test func theWholeContentIsBounded() {
        let found = problem { zip in
            zip.entries = (0..<3).map { .init("f\($0)", [UInt8](repeating: 0, count: 400_000)) }
        }
        #expect(found == .contentTooLarge(byteCount: 1_200_000, limit: 1 << 20))
    }

    @Test func duplicatesAndCrowdsAreRefused() {
        #expect(problem { $0.entries.append($0.entries[0]) } == .duplicateEntry("a/b.bin"))
        #expect(problem { zip in for index in 0..<100 { zip.entries.append(.init("f\(index)", [])) } }
            == .tooManyEntries(count: 101, limit: 100))
    }

    /// Cut anywhere, or with any byte changed: an error, or the same content.
    @Test func truncatedAndDoctoredArchivesAreRefused() {
        let good = RawZip(entries: [.init("a/b.bin", Array("content".utf8)), .init("c", [9])]).bytes
        func content(_ bytes: [UInt8]) -> [String: [UInt8]]? {
            try? ArchiveReader.open(bytes, limits: limits) { archive in
                try Dictionary(uniqueKeysWithValues: archive.names.map { name in (name, try archive.read(name, limit: 1 << 20)) })
            }
        }
        #expect(content(good)?.count == 2)
        for count in 0..<good.count { #expect(content(Array(good.prefix(count))) == nil) }
        for index in good.indices {
            for bit in 0..<8 {
                var bytes = good
                bytes[index] ^= 1 << UInt8(bit)
                if let read = content(bytes) {
                    #expect(read.values.contains(Array("content".utf8)) && read.values.contains([9]), "byte \(index)")
                }
            }
        }
    }
}
