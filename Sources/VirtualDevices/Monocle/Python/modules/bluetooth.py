import _hw
import struct

_CHANNEL = 0x44


def send(data):
    _hw.call(_hw.SEND, bytes(data))


def receive_callback(*function):
    if not function:
        return _hw.callback(_CHANNEL)
    if function[0] is not None and not callable(function[0]):
        raise ValueError("callback must be None or a callable object")
    _hw.register(_CHANNEL, function[0])


def connected():
    return _hw.call(_hw.NOTIFICATIONS, b"d") == b"\x01"


def max_length():
    return struct.unpack("<H", _hw.call(_hw.NOTIFICATIONS, b"m"))[0]
