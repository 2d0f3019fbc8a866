# Drawing. Text reaches the FPGA as the device sends it: its colours to one address, all rows in one write of at most 255
# bytes to another. Shapes, which the device draws through its vector library, go to the model directly.
import fpga
import struct
import time
from _display import *
import _display
import gc

WIDTH = 640
HEIGHT = 400
SPACE_WIDTH = 1
FONT_HEIGHT = 48
FONT_WIDTH = 24

TOP_LEFT = 1
MIDDLE_LEFT = 2
BOTTOM_LEFT = 3
TOP_CENTER = 4
BOTTOM_CENTER = 5
TOP_RIGHT = 6
MIDDLE_CENTER = 7
MIDDLE_RIGHT = 8
BOTTOM_RIGHT = 9

CLEAR = BLACK = 0x000000
RED = 0xAD2323
GREEN = 0x1D6914
BLUE = 0x2A4BD7
CYAN = 0x29D0D0
MAGENTA = 0x8126C0
YELLOW = 0xFFEE33
WHITE = 0xFFFFFF
GRAY1 = 0x1C1C1C
GRAY2 = 0x383838
GRAY3 = 0x555555
GRAY4 = 0x717171
GRAY5 = 0x8D8D8D
GRAY6 = 0xAAAAAA
GRAY7 = 0xC6C6C6
GRAY8 = 0xE2E2E2

_TEXT_COLORS = 0x4502
_TEXT_ROWS = 0x4503
_SHAPE_COLORS = 0x4402
_MAX_THICKNESS = 18


class _Colored:
    def color(self, color_rgb):
        self.color_rgb = color_rgb


class _Shape(_Colored):
    def __init__(self, kind, points, color, thickness=1):
        if thickness > _MAX_THICKNESS:
            raise ValueError("max thickness is 18")
        self.kind = kind
        self.points = [(int(x), int(y)) for x, y in points]
        self.width = thickness
        self.color(color)

    def __repr__(self):
        return f"{self.kind}({self.points}, 0x{self.color_rgb:06x}, thickness={self.width})"

    def move(self, x, y):
        self.points = [(point[0] + int(x), point[1] + int(y)) for point in self.points]
        return self

    def vgr2d(self):
        _display._draw(f"{self.kind.lower()} {self.color_rgb} {self.width} " + " ".join([f"{x},{y}" for x, y in self.points]))


class Line(_Shape):
    def __init__(self, x1, y1, x2, y2, color, thickness=1):
        super().__init__("Line", ((x1, y1), (x2, y2)), color, thickness)


class HLine(Line):
    def __init__(self, x, y, width, color, thickness=1):
        super().__init__(x, y, x + width, y, color, thickness=thickness)


class VLine(Line):
    def __init__(self, x, y, height, color, thickness=1):
        super().__init__(x, y, x, y + height, color, thickness=thickness)


class Rectangle(_Shape):
    def __init__(self, x1, y1, x2, y2, color):
        super().__init__("Rectangle", ((min(x1, x2), min(y1, y2)), (max(x1, x2), max(y1, y2))), color)


class Fill(Rectangle):
    def __init__(self, color):
        super().__init__(0, 0, WIDTH - 1, HEIGHT - 1, color)


def _pairs(flat):
    if len(flat) % 2 != 0:
        raise ValueError("l must have odd number of coordinates")
    return [(flat[i], flat[i + 1]) for i in range(0, len(flat), 2)]


class Polyline(_Shape):
    def __init__(self, l, color, thickness=1):
        super().__init__("Polyline", _pairs(l), color, min(thickness, _MAX_THICKNESS))


class Polygon(_Shape):
    def __init__(self, l, color, thickness=1):
        super().__init__("Polygon", _pairs(l), color, min(thickness, _MAX_THICKNESS))


class TextOverlapError(Exception):
    pass


class Text(_Colored):
    def __init__(self, string, x, y, color, justify=TOP_LEFT):
        self.x = int(x)
        self.y = int(y)
        self.string = string
        self.justify(justify)
        self.color(color)

    def __repr__(self):
        return f"Text('{self.string}', {self.x}, {self.y}, 0x{self.color_rgb:06x})"

    def justify(self, justify):
        if not TOP_LEFT <= justify <= BOTTOM_RIGHT:
            raise ValueError("unknown justify value")
        if justify in (TOP_CENTER, MIDDLE_CENTER, BOTTOM_CENTER):
            self.x -= self.width(self.string) // 2
        elif justify in (TOP_RIGHT, MIDDLE_RIGHT, BOTTOM_RIGHT):
            self.x -= self.width(self.string)
        if justify in (MIDDLE_LEFT, MIDDLE_CENTER, MIDDLE_RIGHT):
            self.y -= FONT_HEIGHT // 2
        elif justify in (BOTTOM_LEFT, BOTTOM_CENTER, BOTTOM_RIGHT):
            self.y -= FONT_HEIGHT

    def width(self, string):
        return FONT_WIDTH * len(string)

    def clip_x(self):
        string, x = self.string, self.x
        if x < 0:
            count = -x // FONT_WIDTH + 1
            string = string[count:]
            x += count * FONT_WIDTH
        beyond = x + self.width(string) - WIDTH
        if beyond > 0:
            string = string[: -(beyond // FONT_WIDTH + 1)]
        return x, string

    # One row: x and y in 12 bits each, the colour's number, the length, a glyph a byte.
    def fbtext(self, buffer):
        x, string = self.clip_x()
        if not string:
            return
        buffer.extend(bytes(((x >> 4) & 0xFF, (x << 4) & 0xF0 | (self.y >> 8) & 0x0F, self.y & 0xFF, self.color_index)))
        glyphs = string.encode("ASCII")
        buffer.append(len(glyphs))
        for glyph in glyphs:
            buffer.append(glyph - 32)

    def move(self, x, y):
        self.x += x
        self.y += y
        return self


def flatten(o):
    if isinstance(o, (tuple, list)):
        return [inner for item in o for inner in flatten(item)]
    return [o]


def move(*args):
    for arg in flatten(args[:-2]):
        arg.move(args[-2], args[-1])


def color(*args):
    for arg in flatten(args[:-1]):
        arg.color(args[-1])


def _send_colors(address, items):
    colors = []
    for item in items:
        if item.color_rgb not in colors:
            if len(colors) > 128:
                raise ValueError("more than 128 different color unsupported")
            colors.append(item.color_rgb)
        item.color_index = colors.index(item.color_rgb)
    buffer = bytearray(2)
    for rgb in colors:
        buffer.extend(bytes((rgb >> 16 & 255, rgb >> 8 & 255, rgb & 255)))
    fpga.write(address, buffer)


def _box(text):
    return text.x, text.x + FONT_WIDTH * len(text.string), text.y, text.y + FONT_HEIGHT


def _show_text(texts):
    _send_colors(_TEXT_COLORS, texts)
    texts = sorted(texts, key=lambda text: text.x)
    for a in texts:
        ax1, ax2, ay1, ay2 = _box(a)
        for b in texts:
            bx1, bx2, by1, by2 = _box(b)
            # Boxes that only touch overlap, too.
            if a is not b and ax1 <= bx2 and ax2 >= bx1 and ay1 <= by2 and ay2 >= by1:
                raise TextOverlapError(f"{a} overlaps with {b}")
    buffer = bytearray(2)
    for text in texts:
        text.fbtext(buffer)
    fpga.write(_TEXT_ROWS, buffer + b"\xFF\xFF\xFF")
    time.sleep_ms(20)


def show(*args):
    items = flatten(args)
    shapes = [item for item in items if hasattr(item, "vgr2d")]
    _send_colors(_SHAPE_COLORS, shapes)
    for shape in shapes:
        shape.vgr2d()
    gc.collect()
    _show_text([item for item in items if hasattr(item, "fbtext")])


def clear():
    show(Text(" ", 0, 0, 0x000000))
