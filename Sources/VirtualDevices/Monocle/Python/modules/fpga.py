import _hw
import struct

ON = True
OFF = False


def read(address, length):
    return _hw.call(_hw.FPGA_READ, struct.pack("<HH", address, length))


def write(address, data):
    _hw.call(_hw.FPGA_WRITE, struct.pack("<H", address) + data)


def run(on=None):
    return _hw.call(_hw.FPGA_RUN, b"" if on is None else bytes([1 if on else 0])) == b"\x01"


def version():
    return str(read(2, 12), "utf-8")
