import Bluetooth
import Support
import TestSupport
import Testing

@testable import DFU

@Suite struct IntelHexTests {
    private static let end = ":00000001FF\n"

    private func image(_ text: String, limit: Int = DFUPackage.imageSizeLimit) throws -> [UInt8] {
        try FirmwareFile(name: "a.hex", format: .intelHex, bytes: Array(text.utf8), limit: limit).image
    }

    private func problem(_ text: String, limit: Int = DFUPackage.imageSizeLimit) -> FirmwareFileFault? {
        do {
            _ = try image(text, limit: limit)
            return nil
        } catch DFUError.firmwareFile(name: "a.hex", let fault) {
            let diagnosis = DFUError.firmwareFile(name: "a.hex", fault).diagnosis
            #expect(diagnosis.category == .badData && diagnosis.message.hasPrefix("a.hex: "))
            return fault
        } catch {
            Issue.record("unexpected error \(error)")
            return nil
        }
    }

    @Test func whatALinkerWritesIsReadBack() throws {
        let bytes = Fixtures.image(70_000)
        #expect(try image(IntelHexText.of([(0x26000, bytes)])) == bytes)
        #expect(try image(IntelHexText.of([(0x26000, bytes)]).lowercased().replacing("\n", with: "\r\n")) == bytes)
    }

    @Test func gapsAndTheLastWordAreErasedFlash() throws {
        let text = IntelHexText.of([(0x26008, [7]), (0x26000, [1, 2, 3])])
        #expect(try image(text) == [1, 2, 3, 255, 255, 255, 255, 255, 7, 255, 255, 255])
        let raw = try FirmwareFile(name: "a.bin", format: .init(fileName: "a.BIN"), bytes: [1, 2, 3, 4, 5])
        #expect(raw.image == [1, 2, 3, 4, 5, 255, 255, 255])
    }

    @Test func onlyTheUpdatableFlashIsTaken() throws {
        let text = IntelHexText.of([(0xFF0, Fixtures.image(32)), (0x1000_1014, [0, 0x50, 0x0F, 0])])
        let file = try FirmwareFile(name: "a.hex", format: .intelHex, bytes: Array(text.utf8))
        #expect(file.image == Array(Fixtures.image(32).suffix(16)))
        #expect(file.omittedByteCount == 20)
    }

    /// What would be lost, or land at another address, without a word.
    @Test(arguments: [0x2000_0000, 0x1200_0000, 0x1000_2000, 0x1000_1FFF, 0x0800_0000, 0x10_0000, 0xF_FFFF] as [UInt32])
    func dataElsewhereIsRefused(address: UInt32) throws {
        func problem(_ pieces: [(address: Int, bytes: [UInt8])]) throws -> FirmwareFileFault? {
            do {
                _ = try FirmwareFile(name: "a.hex", format: .intelHex, bytes: Array(IntelHexText.of(pieces).utf8))
                return nil
            } catch DFUError.firmwareFile(_, let fault) {
                return fault
            }
        }
        let isFar = address >= 0x1000_0000
        let fault = try problem((isFar ? [(0x26000, Fixtures.image(32))] : []) + [(Int(address), [1, 2])])
        guard case .elsewhere(_, let found)? = fault else {
            Issue.record("\(String(describing: fault))")
            return
        }
        #expect(found == address || found == address + 1)
        #expect(try problem([(Int(address), [1, 2]), (0x3000_0000, [3])]) == problem([(Int(address), [1, 2])]), "the first is named")
        #expect(try problem([(0x26000, Fixtures.image(32)), (0x1000_1FFE, [1, 2])]) == nil)
    }

    /// As the released Frame bootloaders are written: data behind a segment record, the UICR behind a linear one.
    @Test func segmentsAndStartAddressesAreUnderstood() throws {
        let text = IntelHexText.record([2, 0, 0, 2, 0xF0, 0]) + IntelHexText.record([4, 0x50, 0, 0, 1, 2, 3, 4])
            + IntelHexText.record([2, 0, 0, 2, 0, 0]) + IntelHexText.record([2, 0, 0, 4, 0x10, 0])
            + IntelHexText.record([4, 0x10, 0x14, 0, 0, 0x50, 0x0F, 0]) + IntelHexText.record([4, 0, 0, 3, 0xF0, 0, 0x55, 0x3D])
            + IntelHexText.record([4, 0, 0, 5, 0, 0x0F, 0x50, 1]) + "\n" + Self.end + "  \r\n"
        let hex = try IntelHex(parsing: Array(text.utf8))
        #expect(try hex.image(in: 0xF5000..<0xF6000, limit: 100) == [1, 2, 3, 4])
        #expect(hex.count(outside: FirmwareFile.updatable) == 4)
    }

    /// A record that ends with its segment and has a tab behind it, of which the range takes the second half.
    @Test func theEdgesOfARecordBelongToIt() throws {
        let text = IntelHexText.record([2, 0, 0, 2, 0, 0]) + IntelHexText.record([8, 0xFF, 0xF8, 0, 1, 2, 3, 4, 5, 6, 7, 8]) + Self.end
        let hex = try IntelHex(parsing: Array(text.replacing("\n", with: "\t\n").utf8))
        #expect(try hex.image(in: 0xFFFC..<0x1_0000, limit: 100) == [5, 6, 7, 8])
    }

    @Test(arguments: [
        ("00", FirmwareFileFault.notARecord(line: 2)),
        (":", .notARecord(line: 2)),
        (":0", .notARecord(line: 2)),
        (":000000", .notARecord(line: 2)),
        (":0000000g", .notARecord(line: 2)),
        (":04600000010203049", .notARecord(line: 2)),
        (":0460000001020304", .damaged(line: 2, reason: "holds 3 bytes of data and says 4")),
        (":036000000102030492", .damaged(line: 2, reason: "holds 4 bytes of data and says 3")),
        (":0460000001020304FF", .damaged(line: 2, reason: "has checksum 0xFF, its bytes give 0x92")),
        (":00000006FA", .damaged(line: 2, reason: "is a record of type 6; Intel HEX has 0 to 5")),
        (":01000004FFFC", .damaged(line: 2, reason: "is not a valid record of type 4")),
        (":020001040000F9", .damaged(line: 2, reason: "is not a valid record of type 4")),
        (":0300000500000FE9", .damaged(line: 2, reason: "is not a valid record of type 5")),
        (":0100000100FE", .damaged(line: 2, reason: "is not a valid record of type 1")),
    ])
    func damagedRecordsAreRefusedByLine(line: String, expected: FirmwareFileFault) {
        #expect(problem(":020000040002F8\n\(line)\n\(Self.end)") == expected)
    }

    @Test func cutAndJoinedFilesAreRefused() {
        let whole = IntelHexText.of([(0x26000, Fixtures.image(40))])
        #expect(problem(String(whole.dropLast(Self.end.count))) == .endMissing(line: 4))
        #expect(problem(String(whole.dropLast(Self.end.count + 5))) == .damaged(line: 4, reason: "holds 6 bytes of data and says 8"))
        #expect(problem(whole + "\n" + whole) == .contentAfterEnd(line: 7))
        #expect(problem("") == .empty)
        #expect(problem("\n\r\n") == .empty)
        #expect(problem(Self.end) == .empty)
        #expect(problem(IntelHexText.of([(0x0, [1, 2]), (0x1000_1014, [3])])) == .empty)
    }

    @Test func overlapsAreRefusedWithBothLines() {
        let text = IntelHexText.of([(0x26010, [1, 2, 3, 4]), (0x26000, Fixtures.image(17))])
        #expect(problem(text) == .overlap(line: 5, earlierLine: 2, address: 0x26010))
        #expect(problem(IntelHexText.of([(0x26000, [1]), (0x26000, [1])])) == .overlap(line: 4, earlierLine: 2, address: 0x26000))
    }

    @Test func hugeGapsAreRefusedBeforeTheyAreFilled() {
        let text = IntelHexText.of([(0x26000, [1]), (0x26000 + 100 * 1024 * 1024, [2])])
        #expect(
            problem(text)
                == .spanTooLarge(line: 4, otherLine: 2, byteCount: 104_857_601, limit: DFUPackage.imageSizeLimit))
        #expect(problem(IntelHexText.of([(0x26000, Fixtures.image(101))]), limit: 100) == .spanTooLarge(
            line: 8, otherLine: 2, byteCount: 101, limit: 100))
    }

    @Test func addressesDoNotWrap() {
        let linear = IntelHexText.record([2, 0, 0, 4, 0xFF, 0xFF]) + IntelHexText.record([2, 0xFF, 0xFF, 0, 1, 2])
        #expect(problem(linear + Self.end) == .damaged(line: 2, reason: "runs past the end of its address range"))
        let segment = IntelHexText.record([2, 0, 0, 2, 0x20, 0]) + IntelHexText.record([2, 0xFF, 0xFF, 0, 1, 2])
        #expect(problem(segment + Self.end) == .damaged(line: 2, reason: "runs past the end of its address range"))
        let across = IntelHexText.record([2, 0, 0, 4, 0, 2]) + IntelHexText.record([2, 0xFF, 0xFF, 0, 1, 2])
        #expect(problem(across + Self.end) == nil)
        // A segment before it does not matter any more.
        let before = IntelHexText.record([2, 0, 0, 2, 0x20, 0]) + IntelHexText.record([2, 0, 0, 0, 1, 2])
        #expect(problem(before + across + Self.end) == nil)
    }

    @Test func rawImagesAreBounded() {
        #expect(throws: DFUError.firmwareFile(name: "a.bin", .empty)) { try FirmwareFile(name: "a.bin", format: .binary, bytes: []) }
        #expect(throws: DFUError.firmwareFile(name: "a.bin", .tooLarge(byteCount: 8, limit: 7))) {
            try FirmwareFile(name: "a.bin", format: .binary, bytes: [1, 2, 3, 4, 5], limit: 7)
        }
        #expect(throws: FirmwareFileFault.tooLarge(byteCount: IntelHex.fileSizeLimit + 1, limit: IntelHex.fileSizeLimit)) {
            try IntelHex(parsing: [UInt8](repeating: 0x0A, count: IntelHex.fileSizeLimit + 1))
        }
    }

    /// Any image, cut into records in any order, comes back.
    @Test func recordsInAnyOrderGiveTheSameImage() throws {
        var numbers = SeededNumbers(seed: 11)
        for _ in 0..<200 {
            let bytes = numbers.bytes(count: Int.random(in: 1...300, using: &numbers))
            var address = 0x3FF80
            let pieces = numbers.fragments(of: bytes).map { piece in
                defer { address += piece.count }
                return (address: address, bytes: piece)
            }
            let image = try image(IntelHexText.of(pieces.shuffled(using: &numbers)))
            #expect(Array(image.prefix(bytes.count)) == bytes)
            #expect(image.dropFirst(bytes.count).allSatisfy { $0 == 0xFF } && image.count % 4 == 0)
        }
    }
}
