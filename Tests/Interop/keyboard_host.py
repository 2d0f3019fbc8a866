"""A computer that a keyboard is plugged into: HID reports in, text out, by libxkbcommon with the host's layout.

Reads lines from standard input: "layout us", then reports of 9 bytes in hexadecimal, "end" to print the text as JSON. Backspace takes
away the last character, as in a text field. What Ctrl does is written as <C-x>.
"""
import ctypes
import ctypes.util
import json
import sys

xkb = ctypes.CDLL(ctypes.util.find_library("xkbcommon") or "libxkbcommon.so.0")
POINTER, UINT = ctypes.c_void_p, ctypes.c_uint32


def function(name, result, *arguments):
    found = getattr(xkb, name)
    found.restype, found.argtypes = result, list(arguments)
    return found


class Names(ctypes.Structure):
    _fields_ = [(field, ctypes.c_char_p) for field in ("rules", "model", "layout", "variant", "options")]


new_context = function("xkb_context_new", POINTER, ctypes.c_int)
new_keymap = function("xkb_keymap_new_from_names", POINTER, POINTER, ctypes.POINTER(Names), ctypes.c_int)
new_state = function("xkb_state_new", POINTER, POINTER)
update = function("xkb_state_update_key", ctypes.c_int, POINTER, UINT, ctypes.c_int)
symbol_of = function("xkb_state_key_get_one_sym", UINT, POINTER, UINT)
to_unicode = function("xkb_keysym_to_utf32", UINT, UINT)
new_table = function("xkb_compose_table_new_from_locale", POINTER, POINTER, ctypes.c_char_p, ctypes.c_int)
new_compose = function("xkb_compose_state_new", POINTER, POINTER, ctypes.c_int)
feed = function("xkb_compose_state_feed", ctypes.c_int, POINTER, UINT)
status_of = function("xkb_compose_state_get_status", ctypes.c_int, POINTER)
composed = function("xkb_compose_state_get_utf8", ctypes.c_int, POINTER, ctypes.c_char_p, ctypes.c_size_t)
reset = function("xkb_compose_state_reset", None, POINTER)

LAYOUTS = {
    "us": (b"us", b""), "ch-de": (b"ch", b""), "de": (b"de", b""), "fr": (b"fr", b""), "uk": (b"gb", b""), "es": (b"es", b""),
    "it": (b"it", b""),
}
# Linux, drivers/hid/hid-input.c (hid_keyboard), which xkb counts 8 higher.
KEYCODES = {0x28: 28, 0x2A: 14, 0x2B: 15, 0x2C: 57, 0x2D: 12, 0x2E: 13, 0x2F: 26, 0x30: 27, 0x31: 43, 0x32: 43, 0x33: 39, 0x34: 40,
            0x35: 41, 0x36: 51, 0x37: 52, 0x38: 53, 0x64: 86}
KEYCODES.update(zip(range(0x04, 0x1E), (30, 48, 46, 32, 18, 33, 34, 35, 23, 36, 37, 38, 50, 49, 24, 25, 16, 19, 31, 20, 22, 47, 17, 45,
                                       21, 44)))
KEYCODES.update(zip(range(0x1E, 0x28), range(2, 12)))
MODIFIERS = {0x01: 29, 0x02: 42, 0x04: 56, 0x10: 97, 0x20: 54, 0x40: 100}
context = new_context(0)
compose_table = new_table(context, b"en_US.UTF-8", 0)


class Host:
    def __init__(self, layout):
        code, variant = LAYOUTS[layout]
        keymap = new_keymap(context, ctypes.byref(Names(b"evdev", b"pc105", code, variant, b"")), 0)
        self.state, self.compose = new_state(keymap), new_compose(compose_table, 0)
        self.down, self.text, self.faults = set(), [], []

    def report(self, line):
        report = bytes.fromhex(line)
        if len(report) != 9 or report[0] != 1 or report[2] or any(report[4:]):
            self.faults.append(line)
            return
        keys = {code for bit, code in MODIFIERS.items() if report[1] & bit}
        if report[3]:
            keys.add(KEYCODES[report[3]])
        for key in sorted(self.down - keys):
            update(self.state, key + 8, 0)
        # Modifiers first, as the kernel does.
        for key in sorted(keys - self.down, key=lambda code: (code not in MODIFIERS.values(), code)):
            if key not in MODIFIERS.values():
                self.press(key, report[1])
            update(self.state, key + 8, 1)
        self.down = keys

    def press(self, key, modifiers):
        symbol = symbol_of(self.state, key + 8)
        if modifiers & 0x01:
            self.text.append("<C-%s>" % chr(to_unicode(symbol) or 63))
        elif key == 14:
            # A dead key that waits goes first.
            if status_of(self.compose) == 1:
                reset(self.compose)
            elif self.text:
                self.text.pop()
        else:
            self.type(symbol)

    def type(self, symbol):
        feed(self.compose, symbol)
        status = status_of(self.compose)
        if status == 1:
            return
        if status == 2:
            buffer = ctypes.create_string_buffer(32)
            composed(self.compose, buffer, 32)
            self.text.append(buffer.value.decode())
        elif status == 0:
            code = to_unicode(symbol)
            if code:
                self.text.append("\n" if code == 13 else chr(code))
        reset(self.compose)


host = None
for line in sys.stdin:
    word, _, rest = line.strip().partition(" ")
    if word == "layout":
        host = Host(rest)
    elif word == "end":
        print(json.dumps({"text": "".join(host.text), "down": sorted(host.down), "faults": host.faults}), flush=True)
    elif word:
        host.report(word)
