import TestSupport
import Testing

@testable import REPL

struct PieceStreamTests {
    private static func credit(_ number: Int) -> UInt8 { PieceStream.firstCredit + UInt8(number % PieceStream.creditCount) }

    private func pieces(_ count: Int, of byteCount: Int) -> [[UInt8]] {
        (0..<count).map { [UInt8](repeating: UInt8(truncatingIfNeeded: $0), count: byteCount) }
    }

    @Test func fillsTheRingAndWaits() {
        var stream = PieceStream(pieces(20, of: 200))
        var sent = 0
        while true {
            let packet = stream.nextPacket(atMost: 244)
            if packet.isEmpty { break }
            #expect(packet.count == 244)
            sent += packet.count
        }
        #expect(sent == 976)
        let first = (isNew: stream.receive([Self.credit(0)]), packet: stream.nextPacket(atMost: 244))
        #expect(first.isNew && first.packet.isEmpty)
        let second = (isNew: stream.receive([Self.credit(1)]), packet: stream.nextPacket(atMost: 244))
        #expect(second.isNew && second.packet.count == 244)
        #expect(stream.readCount == 2)
    }

    /// As long as it costs no more than a fortieth of a packet.
    @Test(arguments: [(244, 244), (206, 206), (205, 200), (204, 200), (101, 100), (20, 20), (1, 1), (0, 0)])
    func packetsThatFillTheRingMayBeALittleShorter(payload: Int, packet: Int) {
        #expect(PieceStream.packetByteCount(for: payload) == packet)
    }

    /// What the unit prints is what the host counts.
    @Test func theHelperPrintsTheSignsThatCount() {
        let code = InputPiece.helper("_nx").joined(separator: "\n")
        #expect(code.contains("print(chr(\(PieceStream.firstCredit)+k),end='')"))
        #expect(code.contains("k=(k+1)%\(PieceStream.creditCount)\n"))
        #expect(code.contains("print('\(Character(UnicodeScalar(PieceStream.surrender)))',end='')"))
    }

    @Test func aLaterSignMakesUpForALostOne() {
        var stream = PieceStream(pieces(20, of: 200))
        while !stream.nextPacket(atMost: 244).isEmpty {}
        let isNew = stream.receive([Self.credit(2)])
        #expect(isNew)
        #expect(stream.readCount == 3)
    }

    @Test func aDamagedSignCountsNothing() {
        var stream = PieceStream(pieces(20, of: 200))
        while !stream.nextPacket(atMost: 244).isEmpty {}
        // Not sent yet, sent before, and none at all.
        let isNew = stream.receive([Self.credit(7), Self.credit(89), 0x20, 0xFF])
        #expect(!isNew && stream.readCount == 0)
        let isOver = stream.receive([PieceStream.surrender])
        #expect(isOver)
        #expect(stream.hasSurrendered)
    }

    @Test func theLastPacketIsShort() {
        var stream = PieceStream([[1, 2, 3]])
        let packets = (stream.nextPacket(atMost: 20), stream.nextPacket(atMost: 20))
        #expect(packets.0 == [1, 2, 3] && packets.1.isEmpty)
        #expect(stream.isAtEnd)
    }

    /// A helper at any speed behind a ring of 1023 bytes: all arrives, in order, and nothing is dropped, whatever signs are lost.
    @Test(arguments: (0..<40).map { UInt64($0) })
    func neverOverrunsTheRing(seed: UInt64) {
        var generator = SeededNumbers(seed: seed)
        let pieces = (0..<400).map { _ in generator.bytes(count: Int.random(in: 1...400, using: &generator)) }
        let payload = Int.random(in: 20...253, using: &generator)
        var stream = PieceStream(pieces)
        var (ring, arrived, signs): ([UInt8], [UInt8], [UInt8]) = ([], [], [])
        var (reading, partial, deepest, turns) = (0, [UInt8](), 0, 0)
        while arrived.count < pieces.joined().count, turns < 100_000 {
            turns += 1
            for _ in 0..<Int.random(in: 0...6, using: &generator) {
                let packet = stream.nextPacket(atMost: payload)
                ring += packet
            }
            deepest = max(deepest, ring.count)
            for _ in 0..<Int.random(in: 0...2, using: &generator) where reading < pieces.count {
                let wanted = pieces[reading].count - partial.count
                partial += ring.prefix(wanted)
                ring.removeFirst(min(wanted, ring.count))
                guard partial.count == pieces[reading].count else { break }
                arrived += partial
                partial = []
                signs.append(Self.credit(reading))
                reading += 1
            }
            // A sign is lost now and then, but not the last.
            if reading < pieces.count, Int.random(in: 0..<9, using: &generator) == 0 { signs = signs.suffix(1) }
            if Bool.random(using: &generator) {
                _ = stream.receive(signs)
                signs = []
            }
        }
        #expect(arrived == Array(pieces.joined()))
        #expect(deepest <= 1023)
        #expect(stream.isAtEnd)
    }
}
