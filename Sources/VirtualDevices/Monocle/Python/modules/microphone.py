import _hw
import struct


def record(seconds=5.0, bit_depth=16, sample_rate=16000):
    if bit_depth not in (8, 16) or sample_rate not in (8000, 16000):
        raise ValueError("bit depth is 8 or 16, sample rate 8000 or 16000")
    _hw.call(_hw.RECORD, struct.pack("<IBH", int(seconds * 1000), bit_depth, sample_rate))


def read(samples=127):
    if samples > 127:
        raise ValueError("only 127 samples may be read at a time")
    data = _hw.call(_hw.MICROPHONE, bytes([samples]))
    return data if data else None
