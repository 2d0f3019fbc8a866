# Text on the display: 26 columns and 8 rows.
import display

COLUMNS = display.WIDTH // display.FONT_WIDTH
ROWS = 8
_PITCH = display.HEIGHT // ROWS

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
}


def plain(data):
    """The text of UTF-8 bytes with what the font can show."""
    try:
        text = str(data, "utf-8")
    except UnicodeError:
        text = "".join([chr(byte) if byte < 128 else "?" for byte in data])
    shown = []
    for character in text:
        if " " <= character <= "~" or character == "\n":
            shown.append(character)
        elif character != "\r":
            shown.append(_PLAIN.get(character, "?"))
    return "".join(shown)


def wrap(text):
    """Lines of at most COLUMNS characters, broken between words where that can be."""
    lines = []
    for paragraph in text.split("\n"):
        line = ""
        for word in paragraph.split():
            if line and len(line) + 1 + len(word) <= COLUMNS:
                line += " " + word
                continue
            if line:
                lines.append(line)
            while len(word) > COLUMNS:
                lines.append(word[:COLUMNS])
                word = word[COLUMNS:]
            line = word
        lines.append(line)
    while lines and not lines[-1]:
        lines.pop()
    return lines


def page_count(lines):
    return max(1, (len(lines) + ROWS - 1) // ROWS)


def show_page(lines, page, color):
    rows = lines[page * ROWS : (page + 1) * ROWS]
    display.show([display.Text(row, 0, _PITCH * index, color) for index, row in enumerate(rows) if row])


def show_screen(title, hint, color):
    """One line in the middle and a hint below it."""
    items = [_centred(title, 150, color)]
    if hint:
        items.append(_centred(hint, 220, display.WHITE))
    display.show(items)


def _centred(text, y, color):
    return display.Text(text, (display.WIDTH - display.FONT_WIDTH * len(text)) // 2, y, color)
