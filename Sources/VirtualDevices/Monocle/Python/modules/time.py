from utime import ticks_add, ticks_diff, gmtime, localtime, mktime
import _hw
import struct


def sleep_ms(duration):
    _hw.call(_hw.SLEEP, struct.pack("<I", max(0, int(duration))))


def sleep(duration):
    sleep_ms(int(duration * 1000))


def _ticks():
    return struct.unpack("<I", _hw.call(_hw.CLOCK))[0]


def ticks_ms():
    return _ticks() & 0x3FFFFFFF


def ticks_us():
    return _ticks() * 1000 & 0x3FFFFFFF


def time():
    return _ticks() // 1000
