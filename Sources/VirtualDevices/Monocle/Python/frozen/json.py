# JSON, in place of the device's C module. It is as lenient as that, but refuses a \u without four hex digits, takes any
# object with read or write for a stream, and counts levels where the device measures its C stack.
import io
from micropython import const

_DEPTH = const(100)


def _quote(text):
    if isinstance(text, bytes):
        text = str(text, "utf8")
    text = text.replace("\\", "\\\\").replace('"', '\\"')
    text = text.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
    for code in range(32):
        if chr(code) in text:
            text = text.replace(chr(code), "\\u%04x" % code)
    return '"' + text + '"'


def _plain(value):
    if value is None or value is True or value is False:
        return {None: "null", True: "true", False: "false"}[value]
    return _quote(value) if isinstance(value, (str, bytes)) else repr(value)


def _write(put, value, separators, depth=0):
    comma, colon = (", ", ": ") if separators is None else separators
    boxes = []  # what is open: an iterator and the bracket that ends it
    while True:
        if isinstance(value, BaseException):
            value = value.args
        first = True
        if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
            put("[")
            boxes.append((iter(value), "]"))
        elif isinstance(value, dict):
            put("{")
            boxes.append((iter(value.items()), "}"))
        else:
            put(_plain(value))
            first = False
        if depth + len(boxes) > _DEPTH:
            raise RuntimeError("maximum recursion depth exceeded")
        while boxes:
            items, end = boxes[-1]
            try:
                value = next(items)
            except StopIteration:
                put(end)
                boxes.pop()
                first = False
                continue
            if not first:
                put(comma)
            if end == "}":
                key, value = value
                if isinstance(key, (str, bytes)):
                    put(_quote(key))
                else:
                    put('"')
                    _write(put, key, separators, depth + len(boxes))
                    put('"')
                put(colon)
            break
        else:
            return


def dump(obj, stream, *, separators=None):
    if not hasattr(stream, "write"):
        raise OSError("stream operation not supported")
    _write(stream.write, obj, separators)


def dumps(obj, *, separators=None):
    out = io.StringIO()
    _write(out.write, obj, separators)
    return out.getvalue()


def _error():
    return ValueError("syntax error in JSON")


def _string(read):
    out = bytearray()
    while True:
        c = read()
        if c == b'"':
            return str(out, "utf8")
        if c == b"\\":
            c = read()
            if c == b"u":
                code = 0
                for _ in range(4):
                    digit = b"0123456789abcdef".find(read().lower())
                    if digit < 0:
                        raise _error()
                    code = code << 4 | digit
                c = chr(code).encode()
            elif c and c in b"bfnrt":
                k = b"bfnrt".find(c)
                c = b"\b\f\n\r\t"[k : k + 1]
        if not c:
            raise _error()
        out.extend(c)


def load(stream):
    if not hasattr(stream, "read"):
        raise OSError("stream operation not supported")

    def read():
        c = stream.read(1)
        if isinstance(c, str):
            c = c.encode()
        return b"" if c == b"\0" else c

    boxes = []  # the open lists and dicts
    keys = []  # a key that waits for its value
    c = read()
    while True:
        while c and c in b" ,:\t\n\r":
            c = read()
        if not c:
            raise _error()
        opens = c in b"[{"
        if c in b"]}":
            if not boxes:
                raise _error()
            value = boxes.pop()
            c = read()
            if boxes:
                continue
            break
        if opens:
            value = [] if c == b"[" else {}
            c = read()
        elif c == b'"':
            value = _string(read)
            c = read()
        elif c in b"-0123456789":
            text = ""
            while c and c in b"+-.0123456789Ee":
                text += c.decode()
                c = read()
            value = float(text) if "." in text or "e" in text.lower() else int(text)
        else:
            for word, value in ((b"null", None), (b"true", True), (b"false", False)):
                if word.startswith(c):
                    break
            for k in range(len(word)):
                if c != word[k : k + 1]:
                    raise _error()
                c = read()
        if boxes:
            box = boxes[-1]
            if isinstance(box, list):
                box.append(value)
            elif keys:
                box[keys.pop()] = value
            elif opens:
                raise _error()
            else:
                keys.append(value)
        if opens:
            boxes.append(value)
        elif not boxes:
            break
    while c and c in b" \t\n\r\x0b\x0c":
        c = read()
    if c:
        raise _error()
    return value


def loads(text):
    if not isinstance(text, (str, bytes, bytearray)):
        raise TypeError("object with buffer protocol required")
    return load(io.BytesIO(text))
