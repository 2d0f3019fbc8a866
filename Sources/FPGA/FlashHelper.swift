import REPL

/// The helper that runs on the unit, as the global `_nf`, and how it is spoken to.
///
/// It does every write itself, so it knows the firmware's write counter, which has no getter. It stays when the link is lost,
/// and goes with a restart of Python. Each answer carries a CRC-32 of its own, since notifications can be lost or damaged.
struct FlashHelper: Sendable {
    /// `n` is the counter, −1 when it is not known; `b` is set while a write is under way, so that an interrupt in between leaves the
    /// counter unknown instead of wrong. `Fpga.write` takes `bytes` only.
    private static let source = #"""
        import update,binascii,hashlib
        class NoaFlash:
         def __init__(s):
          s.n=-1
          s.b=0
          s.h=None
         def say(s,x):
          print(x,binascii.crc32(x.encode()))
         def at(s):
          s.say(str(-1 if s.b else s.n))
         def erase(s):
          s.b=1
          update.Fpga.erase()
          s.n=0
          s.b=0
          s.at()
         def guess(s):
          s.n=0
          s.b=0
          s.at()
         def put(s,d):
          i=0
          while i<len(d):
           k=min(128-s.n%128,len(d)-i)
           s.b=1
           update.Fpga.write(d[i:i+k])
           s.n+=k
           s.b=0
           i+=k
         def w(s,o,c,*a):
          if s.n==o and not s.b:
           d=b''.join([x if isinstance(x,bytes) else bytes(x) if x>0 else b'\xff'*-x for x in a])
           if binascii.crc32(d)==c:
            s.put(d)
          s.at()
         def skip(s,o,e):
          if s.n==o and not s.b:
           f=b'\xff'*128
           while s.n<e:
            s.put(f[:e-s.n])
          s.at()
         def crc(s,q,e):
          c=0
          while q<e:
           m=min(1024,e-q)
           c=binascii.crc32(update.Fpga.read(q,m),c)
           q+=m
          return c
         def crcs(s,p,k):
          s.say(' '.join(['%x'%s.crc(i*4096,min(i*4096+4096,444430)) for i in range(p,p+k)]))
         def mark(s):
          s.say(binascii.hexlify(update.Fpga.read(444430,4)).decode())
         def sha(s,q,e):
          if q==0:
           s.h=hashlib.sha256()
          while q<e:
           m=min(1024,e-q)
           s.h.update(update.Fpga.read(q,m))
           q+=m
          if q<444430:
           s.say('')
          else:
           s.say(binascii.hexlify(s.h.digest()).decode())
           s.h=None
         def done(s):
          if s.n==444430 and not s.b:
           s.put(b'done')
          s.at()
        _nf=NoaFlash()
        _nf.v=1
        """#

    let repl: PythonREPL
    let timing: FPGATiming

    /// Uploads the helper unless it is there already.
    func ensure() async throws {
        let probe = "try:\n v=_nf.v\nexcept (NameError,AttributeError):\n v=0\nprint('helper',v)"
        if try await repl.runText(probe, within: timing.command) == "helper 1" { return }
        _ = try await repl.run(PythonCode(Self.source), within: timing.upload)
    }

    /// Calls a method of the helper and returns its answer, checked.
    func ask(_ call: String, within: Duration) async throws -> String {
        try CheckedAnswer.decode(await repl.run(PythonCode("_nf.\(call)"), within: within))
    }

    /// As ``ask(_:within:)``, but asks again when the answer was damaged: only for calls that change nothing.
    func askSafely(_ call: String, within: Duration) async throws -> String {
        try await CheckedAnswer.insisting { try await ask(call, within: within) }
    }

    /// Where the next write would land; `nil` when that is not known.
    func counter() async throws -> Int? {
        try Self.counter(from: await askSafely("at()", within: timing.command))
    }

    static func counter(from text: String) throws -> Int? {
        guard let value = Int(text), value <= FPGALimits.regionByteCount else { throw FPGAError.answerUnreadable(text) }
        return value < 0 ? nil : value
    }
}

/// How long each kind of wait may take.
public struct FPGATiming: Sendable {
    /// One short command.
    public var command = Duration.seconds(5)
    /// Bringing the helper over.
    public var upload = Duration.seconds(15)
    /// 109 pages: the flash needs 45 ms for one, 400 ms at worst.
    public var erase = Duration.seconds(45)
    /// Reading 16 pages and computing their checksums on the unit.
    public var read = Duration.seconds(15)
    /// Getting back to the prompt after something was lost.
    public var recovery = Duration.seconds(20)

    public init() {}
}
