import _hw
import struct

_PIECE = 512


def micropython():
    if _hw.call(_hw.NOTIFICATIONS, b"r") != b"\x01":
        return
    print("Monocle goes into its bootloader in 3 seconds.")
    print("Without an update it comes back after 5 minutes.")
    import time
    time.sleep(3)
    _hw.call(_hw.BOOTLOADER)


class Fpga:
    @staticmethod
    def read(address, length):
        data = b""
        while len(data) < length:
            piece = min(_PIECE, length - len(data))
            part = _hw.call(_hw.READ, struct.pack("<IH", address + len(data), piece))
            data = data + part if data else part
        return data

    @staticmethod
    def write(data):
        for start in range(0, len(data), _PIECE):
            _hw.call(_hw.PROGRAM, data[start:start + _PIECE])

    @staticmethod
    def erase():
        _hw.call(_hw.ERASE)
