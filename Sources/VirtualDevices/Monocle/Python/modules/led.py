import _hw

RED = "red"
GREEN = "green"


def on(color):
    _hw.call(_hw.LED, b"1" + color.encode())


def off(color):
    _hw.call(_hw.LED, b"0" + color.encode())
