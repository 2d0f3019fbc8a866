import REPL

/// The helper on the unit, the global `_nf`. It does every write itself, so it knows the firmware's write counter, which has no
/// getter. It survives a lost link but not a restart of Python.
struct FlashHelper: Sendable {
    static let answerTimeout = Duration.seconds(5)
    /// 109 pages at 45 ms each, 400 ms at worst.
    static let eraseTimeout = Duration.seconds(45)
    /// Reading 16 pages and computing their digests on the unit takes a second, and several where the heap is in small pieces.
    static let readTimeout = Duration.seconds(8)

    static let remote = RemoteHelper("_nf", pieces: [digests], more: [base, writing, reading, surveying, book, phrases] + input)
    private static let input = InputPiece.helper("_nf")

    /// `F` is the firmware's `update.Fpga`. `sha` returns a digest over several calls. The firmware reads, unchecked, into a buffer on a
    /// stack of 8 KiB, so at most 1024 bytes at a time; fewer where the heap is in small pieces, as after some losses.
    private static let digests = """
        class _nf(_nr):
         def feed(s,q,e,*a):
          m=1024
          while q<e:
           d=0
           try:
            d=s.F.read(q,min(m,e-q))
           except MemoryError:
            if m<99:
             raise
            m//=2
            continue
           for h in a:
            h.update(d)
           q+=len(d)
         def sha(s,q,e):
          if q==0:
           s.h=s.H()
          s.feed(q,e,s.h)
          s.say(s.x(s.h.digest())if e==444430 else'')
         def mark(s):
          s.say(s.x(s.F.read(444430,4)))
        _nf.F=\(RemoteHelper.update("Fpga"))
        """

    /// `n` is the counter, −1 if unknown. `b` is set during a write: an interrupt then leaves the firmware's counter behind, and makes
    /// this one unknown instead of wrong.
    private static let base = """
        class _nf(_nf):
         n=-1
         b=0
         def at(s):
          s.say(str(-1 if s.b else s.n))
         def erase(s):
          s.b=1
          s.F.erase()
          s.guess()
         def guess(s):
          s.n=0
          s.b=0
          s.at()
        """

    /// `w` takes a piece of the image with its offset and check, as literals and runs (``FPGAChunkEncoder``). `put` passes it
    /// to `Fpga.write` as `bytes`, up to a multiple of 256: the firmware splits at 256-byte flash pages itself, but copies its
    /// whole argument to the heap for each page and moves its counter only after the last one (monocle-micropython,
    /// `monocle_flash_write` and `modules/update.c`).
    private static let writing = #"""
        class _nf(_nf):
         def put(s,d):
          i=0
          while i<len(d):
           k=min(256-s.n%256,len(d)-i)
           s.b=1
           s.F.write(d[i:i+k])
           s.n+=k
           s.b=0
           i+=k
         def w(s,o,c,*a):
          if s.n==o and not s.b:
           d=b''.join([x if isinstance(x,bytes)else bytes(x)if x>0 else b'\xff'*-x for x in a])
           if s.c(d)==c:
            s.put(d)
          s.at()
        """#

    /// `skip` writes 0xFF, which changes nothing, up to `e`. `tail` returns how many bytes of `q`…`e` precede the trailing 0xFF
    /// bytes, and their digest.
    private static let reading = #"""
        class _nf(_nf):
         def skip(s,o,e):
          if s.n==o and not s.b:
           f=b'\xff'*256
           while s.n<e:
            s.put(f[:e-s.n])
          s.at()
         def done(s):
          if s.n==444430 and not s.b:
           s.put(b'done')
          s.at()
         def tail(s,q,e):
          z=p=q
          while p<e:
           m=min(256,e-p)
           k=len(s.F.read(p,m).rstrip(b'\xff'))
           if k:
            z=p+k
           p+=m
          s.say(str(z-q)+' '+s.part(q,z))
        """#

    /// `part` returns the beginning of a digest, `pages` one for each of `k` pages of 4 KiB and, after the last page, one of all pages
    /// since page 0.
    private static let surveying = """
        class _nf(_nf):
         def part(s,q,e,*a):
          h=s.H()
          s.feed(q,e,h,*a)
          return s.x(h.digest()[:8])
         def pages(s,p,k):
          if p==0:
           s.h=s.H()
          t=[s.part(i*4096,min(i*4096+4096,444430),s.h)for i in range(p,p+k)]
          if p+k==109:
           t.append(s.x(s.h.digest()))
          s.say(' '.join(t))
        """

    /// The phrases of a ``PhraseBook``, and their mark if it is theirs: a literal that lost its middle is still one. `free` makes room and
    /// returns how much there is; it fails where the firmware's Python cannot read its input as bytes. Collecting before each part lets the
    /// phrases fill the gaps of the heap: with gaps before them the memory manager takes twice as long for each piece of the image.
    private static let book = """
        class _nf(_nf):
         k=0
         def free(s):
          import gc,sys
          s.I=sys.stdin.readinto
          s.k=0
          s.T=[]
          gc.collect()
          s.say(str(gc.mem_free()))
         def t(s,b):
          import gc
          gc.collect()
          i=0
          while i<len(b):
           n=b[i]+1
           s.T.append(b[i+1:i+n])
           i+=n
         def kept(s,k):
          s.say(str(int(s.k==k)))
         def keep(s,k):
          h=s.H()
          for p in s.T:
           h.update(bytes((len(p),)))
           h.update(p)
          s.k=k*(int.from_bytes(h.digest()[:3],'big')==k)
        """

    /// What ``InputPiece/helper(_:)`` calls; `seed` puts `F` into the instance, where it is found sooner than at the end of its classes. An
    /// interrupted `Fpga.write` leaves the firmware's counter where it was: the same bytes go to the same place again.
    private static let phrases = """
        class _nf(_nf):
         def seed(s):
          s.F=s.F
          return str(s.n)
         def dec(s,B,X):
          T=s.T
          L=[T[v]for v in B]
          n=0
          for i in range(0,len(X),2):
           n+=X[i]-32
           L[n]=T[X[i+1]+224]
          return b''.join(L)
         def take(s,d):
          s.F.write(d)
          s.n+=len(d)
         def fin(s):
          s.at()
        """

    let session: HelperSession
    /// For digests alone.
    let reader: HelperSession

    /// A helper lost in a restart is not uploaded again in the middle of a step: the write counter is lost with it.
    init(repl: PythonREPL, answerTimeout: Duration) {
        func session(of helper: RemoteHelper) -> HelperSession {
            HelperSession(of: helper, on: repl, answerTimeout: answerTimeout, lastingExceptions: ["NameError", "ValueError", "OSError"])
        }
        (self.session, reader) = (session(of: Self.remote), session(of: Self.remote.beginning))
    }

    func counter() async throws -> Int? { try Self.counter(from: await session.ask("at()")) }

    static func counter(from text: String) throws -> Int? {
        guard let value = Int(text), (-1...FPGALimits.regionByteCount).contains(value) else { throw REPLError.unreadable(text) }
        return value < 0 ? nil : value
    }
}
