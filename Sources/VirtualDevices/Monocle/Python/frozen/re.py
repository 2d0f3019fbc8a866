# Regular expressions, in place of the device's C module. A match needs heap here (the subject as bytes, the way back), not C
# stack: the device gives up on long subjects (RuntimeError) and may refuse long loops and alternatives (ValueError).
from micropython import const

# An instruction is a number: the operation, and its argument from bit 4 on. Jumps count from the instruction itself.
_BYTE = const(0)  # this byte
_SET = const(1)  # a byte of this set
_RUN = const(2)  # as many as possible of the next instruction, a _BYTE or _SET
_JUMP = const(3)
_FORK = const(4)  # goes on, or else jumps
_LEAP = const(5)  # jumps, or else goes on
_SAVE = const(6)  # the place into this slot
_MOVED = const(7)  # the place must differ from this slot
_START = const(8)
_END = const(9)

_CLASSES = {"d": b"09", "s": b"\t\r  ", "w": b"09AZ__az"}  # first and last byte of each range


def _bytes(text):
    if not isinstance(text, (str, bytes)):
        raise TypeError("can't convert '%s' object to str implicitly" % type(text).__name__)
    return text.encode() if isinstance(text, str) else text


def _add(bits, ranges, turned=0):
    own = bytearray(32)
    for k in range(0, len(ranges), 2):
        for c in range(ranges[k], ranges[k + 1] + 1):
            own[c >> 3] |= 1 << (c & 7)
    for k in range(32):
        bits[k] |= own[k] ^ turned


def _add_class(bits, letter):
    ranges = _CLASSES.get(chr(letter | 32)) if 65 <= letter < 127 else None
    if ranges:
        _add(bits, ranges, 0 if letter & 32 else 255)
    return ranges


def _add_set(bits, p, i):
    """The place after the ] of a set that starts at i."""
    turned = p[i] == 94
    i += turned
    while p[i] != 93:
        escaped = p[i] == 92
        i += escaped
        if not escaped or not _add_class(bits, p[i]):
            first = p[i]
            i += 2 if p[i + 1] == 45 and p[i + 2] != 93 else 0
            _add(bits, bytes((first, p[i])))
        i += 1
    for k in range(32 * turned):
        bits[k] ^= 255
    return i + 1


def _repeat(code, atom, how, lazy, slot):
    """Makes the code from atom on its own repetition."""
    single = len(code) == atom + 1 and code[atom] & 15 <= _SET
    fork = _LEAP if lazy else _FORK
    if how == 63:
        code.insert(atom, fork | len(code) - atom + 1 << 4)
    elif single and not lazy:
        if how == 43:
            code.append(code[atom])
        code.insert(len(code) - 1, _RUN)
    else:
        guard = [] if single else [_MOVED | slot << 4]
        if guard:
            code.insert(atom, _SAVE | slot << 4)
        if how == 43:
            code.append(fork | len(guard) + 2 << 4)
        else:
            code.insert(atom, fork | len(code) - atom + len(guard) + 2 << 4)
        code.extend(guard)
        code.append(_JUMP | atom - len(code) << 4)


def _compile(p):
    """Code, sets, the number of groups and that of slots for loops, which count down from -1."""
    code, sets, outer = [], [], []
    groups = loops = i = start = 0  # start of the alternative
    exits, atom = [], None  # the jumps at the alternatives' ends; what a repetition would repeat

    def close():
        for k in exits:
            code[k] = _JUMP | len(code) - k << 4

    while i < len(p):
        c = p[i]
        i += 1
        if c in b"*+?":
            if atom is None or atom == len(code):
                raise IndexError
            lazy = p[i : i + 1] == b"?"
            i += lazy
            loops += 1
            _repeat(code, atom, c, lazy, -loops)
            atom = None
        elif c == 124:
            code.insert(start, _FORK | len(code) - start + 2 << 4)
            exits.append(len(code))
            code.append(_JUMP)
            start, atom = len(code), None
        elif c == 40:
            named = p[i] != 63
            if not named and p[i + 1] != 58:
                raise IndexError
            i += 0 if named else 2
            groups += named
            outer.append((start, exits, len(code), groups if named else 0))
            if named:
                code.append(_SAVE | 2 * groups << 4)
            start, exits, atom = len(code), [], None
        elif c == 41:
            close()
            start, exits, atom, group = outer.pop()
            if group:
                code.append(_SAVE | 2 * group + 1 << 4)
        elif c in b"^$":
            code.append(_START if c == 94 else _END)
            atom = None
        else:
            atom, bits = len(code), bytearray(32)
            if c == 46:
                _add(bits, b"\0\xff")
            elif c == 91:
                i = _add_set(bits, p, i)
            else:
                i += c == 92
                if c != 92 or not _add_class(bits, p[i - 1]):
                    bits = None
            if bits:
                sets.append(bits)
            code.append(_SET | len(sets) - 1 << 4 if bits else _BYTE | p[i - 1] << 4)
    close()
    if outer:
        raise IndexError
    return code, sets, groups, loops


def _run(code, sets, s, at, end, slots):
    """The end of the match at this place, or None."""
    back = []  # by threes: instruction, place, lowest place to go down to; or slot, what it held, -1
    push, pop = back.append, back.pop
    pc = 0
    while pc < len(code):
        step = code[pc]
        op, step = step & 15, step >> 4
        pc += 1
        fits = True
        if op <= _SET:
            fits = at < end and (s[at] == step if op == _BYTE else sets[step][s[at] >> 3] >> (s[at] & 7) & 1)
            at += 1
        elif op == _RUN:
            low, bits = at, None if code[pc] & 15 == _BYTE else sets[code[pc] >> 4]
            c = code[pc] >> 4
            pc += 1
            while at < end and (bits[s[at] >> 3] >> (s[at] & 7) & 1 if bits else s[at] == c):
                at += 1
            if at > low:
                push(pc), push(at - 1), push(low)
        elif op == _JUMP:
            pc += step - 1
        elif op <= _LEAP:
            push(pc + step - 1 if op == _FORK else pc), push(at), push(at)
            pc += 0 if op == _FORK else step - 1
        elif op == _SAVE:
            push(step), push(slots[step]), push(-1)
            slots[step] = at
        elif op == _MOVED:
            if slots[step] == at:  # a round that took nothing: the device runs in it until its stack is full
                raise RuntimeError("maximum recursion depth exceeded")
        else:
            fits = at == (0 if op == _START else end)
        while not fits:
            if not back:
                return None
            low, at, pc = pop(), pop(), pop()
            if low < 0:
                slots[pc] = at
            else:
                fits = True
                if at > low:
                    push(pc), push(at - 1), push(low)
    return at


class _Match:
    def __init__(self, text, data, slots, count):
        self._text, self._data, self._slots, self._count = text, data, slots, count

    def __repr__(self):
        return "<match num=%d>" % self._count

    def _part(self, number):
        if not 0 <= number < self._count:
            raise IndexError(number)
        start = self._slots[2 * number]
        return None if start < 0 else self._data[start : self._slots[2 * number + 1]]

    def group(self, number):
        part = self._part(number)
        return part.decode() if part is not None and isinstance(self._text, str) else part

    def _fill(self, template):
        t = _bytes(template).split(b"\0", 1)[0]
        if b"\\" not in t:
            return t
        out, i = bytearray(), 0
        while i < len(t):
            c = t[i]
            i += 1
            if c != 92:
                out.append(c)
                continue
            named = t[i : i + 2] == b"g<"
            i += 2 * named
            k = i
            while t[k : k + 1].isdigit():
                k += 1
            if k > i:
                out.extend(self._part(int(t[i:k].decode())) or b"")
                i = k + (named and t[k : k + 1] == b">")
            elif t[i : i + 1] == b"\\":
                out.append(92)
                i += 1
        return out


class _Regex:
    def __init__(self, pattern):
        try:
            self._code, self._sets, self._groups, self._loops = _compile(_bytes(pattern).split(b"\0", 1)[0])
        except IndexError:
            raise ValueError("Error in regex")

    def __repr__(self):
        return "<re %x>" % id(self)

    def _find(self, text, data, at=0, anchored=False):
        slots = [-1] * (2 * self._groups + 2 + self._loops)
        while at <= len(data):
            stop = _run(self._code, self._sets, data, at, len(data), slots)
            if stop is not None:
                slots[0] = at
                slots[1] = stop
                return _Match(text, data, slots, self._groups + 1)
            if anchored:
                break
            at += 1

    def _pieces(self, text, data, count):
        """The matches, up to the first that is empty, each with the place where the search for it began."""
        at = 0
        while True:
            found = self._find(text, data, at)
            if not found or found._slots[0] == found._slots[1]:
                return
            yield found, at
            at = found._slots[1]
            count -= 1
            if count == 0:
                return

    # The firmware's takes two more arguments, and ignores them.
    def match(self, text, _pos=0, _endpos=None):
        return self._find(text, _bytes(text), anchored=True)

    def search(self, text, _pos=0, _endpos=None):
        return self._find(text, _bytes(text))

    def split(self, text, maxsplit=0):
        out, data, rest = [], _bytes(text), 0
        for found, at in self._pieces(text, data, maxsplit):
            if self._groups:
                raise NotImplementedError("splitting with sub-captures")
            out.append(data[at : found._slots[0]])
            rest = found._slots[1]
        out.append(data[rest:])
        return [piece.decode() for piece in out] if isinstance(text, str) else out

    def sub(self, replace, text, *more):
        out, data, rest = bytearray(), _bytes(text), 0
        for found, at in self._pieces(text, data, more[0] if more else 0):
            out.extend(data[at : found._slots[0]])
            out.extend(found._fill(replace(found) if callable(replace) else replace))
            rest = found._slots[1]
        if not rest:
            return text
        out.extend(data[rest:])
        out = bytes(out)
        return out.decode() if isinstance(text, str) else out


def compile(pattern, flags=0):
    return _Regex(pattern)


def match(pattern, text, *more):
    return pattern.match(text, *more) if isinstance(pattern, _Regex) else _Regex(pattern).match(text)


def search(pattern, text, *more):
    return pattern.search(text, *more) if isinstance(pattern, _Regex) else _Regex(pattern).search(text)


def sub(pattern, *more):
    return (pattern if isinstance(pattern, _Regex) else _Regex(pattern)).sub(*more)
