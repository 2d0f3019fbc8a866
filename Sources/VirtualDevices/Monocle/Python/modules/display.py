import _hw
import json

WIDTH = 640
HEIGHT = 400
FONT_WIDTH = 24
FONT_HEIGHT = 48

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

TOP_LEFT, TOP_CENTER, TOP_RIGHT = 1, 2, 3
MIDDLE_LEFT, MIDDLE_CENTER, MIDDLE_RIGHT = 4, 5, 6
BOTTOM_LEFT, BOTTOM_CENTER, BOTTOM_RIGHT = 7, 8, 9


class Text:
    def __init__(self, string, x, y, color, justify=TOP_LEFT):
        self.string = string
        self.x = x
        self.y = y
        self.kind_color = color
        self.justify = justify

    def width(self):
        return FONT_WIDTH * len(self.string)

    def height(self):
        return FONT_HEIGHT

    def color(self, color):
        self.kind_color = color

    def move(self, x, y):
        self.x += x
        self.y += y

    def _drawn(self):
        return {"kind": "text", "text": self.string, "x": int(self.x), "y": int(self.y), "color": self.kind_color,
                "justify": self.justify}


class _Shape:
    def __init__(self, kind, points, color, thickness):
        self.kind = kind
        self.points = points
        self.kind_color = color
        self.thickness = thickness

    def color(self, color):
        self.kind_color = color

    def _drawn(self):
        return {"kind": self.kind, "points": [int(point) for point in self.points], "color": self.kind_color,
                "thickness": self.thickness}


def Line(x1, y1, x2, y2, color, thickness=1):
    return _Shape("line", (x1, y1, x2, y2), color, thickness)


def Rectangle(x1, y1, x2, y2, color, thickness=1):
    return _Shape("rectangle", (x1, y1, x2, y2), color, thickness)


def Fill(color):
    return _Shape("fill", (), color, 0)


def _flatten(items):
    for item in items:
        if isinstance(item, (list, tuple)):
            yield from _flatten(item)
        else:
            yield item


def show(*items):
    _hw.call(_hw.DISPLAY, b"begin")
    for item in _flatten(items):
        _hw.call(_hw.DISPLAY, b"item " + json.dumps(item._drawn()).encode())
    _hw.call(_hw.DISPLAY, b"show")


def clear():
    show()


def brightness(level=None):
    return 3
