# Text on the display: 26 columns and 8 rows.
import display

COLUMNS = display.WIDTH // display.FONT_WIDTH
ROWS = 8
_PITCH = display.HEIGHT // ROWS
_WAITING_LIMIT = 1000
_CALL_LIMIT = 255  # bytes of one display call: 5, and 5 for each text and its characters

# The font has ASCII only.
_PLAIN = {
    "\u2018": "'",
    "\u2019": "'",
    "\u201c": '"',
    "\u201d": '"',
    "\u2013": "-",
    "\u2014": "-",
    "\u2026": "...",
    "\u00a0": " ",
    "\t": " ",
    "\r": "",
}


def plain(data):
    """The text of UTF-8 bytes with what the font can show. Every byte of a broken character is a question mark."""
    shown = bytearray()
    start = 0
    while start < len(data):
        first = data[start]
        if 0x20 <= first <= 0x7E or first == 0x0A:
            shown.append(first)
            start += 1
            continue
        size = 1 if first < 0xC2 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4
        try:
            character = str(data[start : start + size], "utf-8")
        except UnicodeError:
            character = ""
        shown.extend(_PLAIN.get(character, "?").encode())
        start += size if len(character) == 1 else 1
    return str(shown, "utf-8")


class Page:
    """Text that appears word by word. It may come in pieces, cut anywhere; the last rows stay in sight."""

    def __init__(self, color):
        self.color = color
        self.rows = [""]
        self.waiting = []  # pieces as they came: the heap has no room for long strings

    def add(self, text):
        if text:
            self.waiting.append(text)
        while sum(len(piece) for piece in self.waiting) > _WAITING_LIMIT:
            self.step()

    def step(self):
        """Shows one more word, or the part of one that has come."""
        text = self.waiting.pop(0)
        start = 0
        while start < len(text) and text[start] in " \n":
            self._blank(text[start])
            start += 1
        end = start
        while end < len(text) and end < start + COLUMNS and text[end] not in " \n":
            end += 1
        if end > start:
            self._put(text[start:end])
        if end < len(text):
            self.waiting.insert(0, text[end:])
        if len(self.rows) > ROWS:
            self.rows = self.rows[-ROWS:]

    def _blank(self, character):
        row = self.rows[-1]
        if character == "\n":
            # One empty row at most, and none at the top.
            if row or (len(self.rows) > 1 and self.rows[-2]):
                self.rows.append("")
        elif row and row[-1] != " ":
            self.rows[-1] = row + " "

    def _put(self, word):
        row = self.rows[-1] + word
        if len(row) > COLUMNS:
            # A word that goes on from an earlier piece moves to the next row as a whole.
            cut = row.rfind(" ") + 1
            if cut:
                self.rows[-1] = row[: cut - 1]
                self.rows.append("")
                row = row[cut:]
            while len(row) > COLUMNS:
                self.rows[-1] = row[:COLUMNS]
                self.rows.append("")
                row = row[COLUMNS:]
        self.rows[-1] = row

    def show(self):
        _show([(row, 0, _PITCH * index, self.color) for index, row in enumerate(self.rows)])


def show_screen(title, hint, color):
    """One line in the middle and a hint below it."""
    _show([_centred(title, 150, color), _centred(hint, 220, display.WHITE)])


def _centred(text, y, color):
    return text, (display.WIDTH - display.FONT_WIDTH * len(text[:COLUMNS])) // 2, y, color


def _show(lines):
    """Eight full rows take 5 + 8 * (5 + 26) = 253 bytes. What a call has no room for is not shown: more would raise ValueError."""
    texts = []
    size = 5
    for string, x, y, color in lines:
        string = string.rstrip()[:COLUMNS]
        size += 5 + len(string.encode())
        if string and size <= _CALL_LIMIT:
            texts.append(display.Text(string, x, y, color))
    display.show(texts)
