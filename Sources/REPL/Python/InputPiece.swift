import Cryptography

/// A piece of data as a helper reads it from its REPL's input: how many bytes and exceptions, a salt and a check, then the bytes and the
/// exceptions.
///
/// No byte of it is one on which the prompt or the radio acts, or one that stdin changes. The check covers the content, the check before
/// it and the header, so no piece can be lost, doubled or changed unnoticed. The salt keeps such bytes out of the check.
package enum InputPiece {
    /// Numbers begin here, so that none is a control character.
    package static let digitBase: UInt8 = 0x20
    package static let digitCount = 0x100 - Int(digitBase)
    /// 0x01, 0x02, 0x04 and 0x05 are the REPL's, 0x03 and 0x1C the radio's; stdin makes 0x0A of 0x0D.
    package static let forbidden: Set<UInt8> = [0x01, 0x02, 0x03, 0x04, 0x05, 0x0D, 0x1C]
    package static let checkByteCount = 4
    package static let headerByteCount = 4 + checkByteCount
    /// Ends the helper's loop.
    package static let end = [UInt8](repeating: digitBase, count: headerByteCount)

    /// Why a unit is not sent pieces, in an operator's words.
    package static let isLacking = "the unit's Python does not read its input as bytes"
    package static let isShort = "the unit is short of memory"
    package static func isShort(of freeByteCount: Int) -> String { "the unit has only \(freeByteCount) bytes of memory left" }

    /// - Parameters:
    ///   - body: at most 50,000 bytes, none of them ``forbidden``.
    ///   - exceptions: at most 223 pairs.
    ///   - content: what the helper makes of both.
    ///   - check: of the piece before; then of this one.
    package static func bytes(
        _ body: [UInt8], exceptions: [UInt8], content: some Collection<UInt8>, after check: inout [UInt8]
    ) -> [UInt8] {
        let numbers = [body.count / digitCount, body.count % digitCount, exceptions.count / 2].map { digitBase + UInt8($0) }
        let covered = Array(content) + check
        // Nine checks of ten need no other salt.
        var header: [UInt8] = []
        for salt in digitBase...UInt8.max {
            header = numbers + [salt]
            check = Array(SHA256.of(covered + header).prefix(checkByteCount))
            if forbidden.isDisjoint(with: check) { break }
        }
        return header + check + body + exceptions
    }

    /// The helper's part: `go` reads pieces until one has no bytes. The helper's own methods are `seed`, which begins and returns what the
    /// first check covers, `dec`, which makes content of bytes and exceptions, `take`, which stores it, and `fin`, which answers. Its
    /// `I` is `sys.stdin.readinto`.
    ///
    /// It prints a character for each piece as soon as the piece is out of the ring (``PieceStream``). Whatever ends `run`, what is still
    /// under way is swallowed until ^C, so that no piece reaches the prompt.
    package static func helper(_ name: String) -> [String] {
        [
            """
            class \(name)(\(name)):
             def run(s,I,H,D,P,h,q):
              k=0
              while I(h)and h[0]+h[1]>64:
               B=bytearray(h[0]*224+h[1]-7200)
               X=bytearray(2*h[2]-64)
               I(B)
               I(X)
               print(chr(34+k),end='')
               k=(k+1)%90
               B=D(B,X)
               X=0
               c=H(B)
               c.update(q)
               c.update(h[:4])
               q=c.digest()[:4]
               if q!=h[4:]:
                raise ValueError
               c=0
               P(B)
               B=0
            """,
            """
            class \(name)(\(name)):
             def go(s,*a):
              try:
               s.run(s.I,s.H,s.dec,s.take,bytearray(8),s.seed(*a))
              except:
               print('!',end='')
               b=bytearray(1)
               try:
                while 1:
                 s.I(b)
               except KeyboardInterrupt:
                pass
              print()
              s.fin()
            """,
        ]
    }
}
