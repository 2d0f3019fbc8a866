# The wires between MicroPython and the virtual unit's hardware: one request, one reply, over a packet socket.
import _thread
import gc
import micropython
import os
import socket
import struct
import sys
import vfs

_FAMILY_UNIX = 1
_TYPE_SEQPACKET = 5
_SCHEDULER_DEPTH = 4
_PACKET = 520

HELLO = 1
CLOCK = 2
SLEEP = 3
DEVICE = 4
ERASE = 5
PROGRAM = 6
READ = 7
FPGA_READ = 8
FPGA_WRITE = 9
FPGA_RUN = 10
RESET = 11
BOOTLOADER = 12
NOTIFICATIONS = 13
SEND = 14
DISPLAY = 15
TOUCH = 16
RECORD = 17
MICROPHONE = 18
CAPTURE = 19
CAMERA = 20
LED = 21
NOTHING = 22

_replies = {}
_state = [0, 0]  # last request's number, depth of nested requests
_pending = [0]
_callbacks = {}


def _connect(role):
    wire = socket.socket(_FAMILY_UNIX, _TYPE_SEQPACKET)
    wire.connect(b"\x01\x00\x00" + os.getenv("NOAFW_UNIT_SOCKET").encode())
    wire.send(role)
    return wire


def call(operation, data=b""):
    """Asks the hardware and returns its answer; raises OSError or ValueError when it refuses."""
    number = _state[0] = _state[0] % 60000 + 1
    if _state[1] == 0:
        _replies.clear()
    _state[1] += 1
    try:
        _wire.send(struct.pack("<BH", operation, number) + data)
        reply = None
        while reply is None:
            reply = _replies.pop(number, None)
            if reply is None:
                packet = _wire.recv(_PACKET)
                if not packet:
                    sys.exit(0)
                packet_number, status = struct.unpack("<HB", packet)
                if packet_number == number:
                    reply = packet
                elif packet_number:
                    # A callback ran inside another request's wait: keep that request's answer for it.
                    _replies[packet_number] = packet
    finally:
        _state[1] -= 1
        if _replies and _state[1]:
            _wire.send(struct.pack("<BH", NOTHING, 0))
    status = reply[2]
    if status == 0:
        return reply[3:]
    message = str(reply[3:], "utf-8")
    raise ValueError(message) if status == 1 else OSError(message)


def register(channel, function):
    _callbacks[channel] = function


def callback(channel):
    return _callbacks.get(channel)


def _deliver(packet):
    _pending[0] -= 1
    try:
        function = _callbacks.get(packet[0])
        if function is not None:
            function(packet[1:])
    finally:
        _events.send(b"d")


def _listen():
    while True:
        packet = _events.recv(512)
        if not packet:
            return
        if _pending[0] >= _SCHEDULER_DEPTH or _callbacks.get(packet[0]) is None:
            _events.send(b"x")
            continue
        _pending[0] += 1
        try:
            micropython.schedule(_deliver, packet)
            _events.send(b"s")
        except RuntimeError:
            _pending[0] -= 1
            _events.send(b"x")


def start():
    """Loads the built-in modules, mounts the unit's file system as root, and tells whether main.py is to run."""
    import bluetooth, camera, device, display, fpga, led, microphone, time, touch, update

    root = os.getenv("NOAFW_UNIT_FILES")
    sys.path.clear()
    sys.path.append("")
    sys.path.append(".frozen")
    vfs.umount("/")
    vfs.mount(vfs.VfsPosix(root), "/")
    os.chdir("/")
    _thread.start_new_thread(_listen, ())
    gc.collect()
    answer = call(HELLO, struct.pack("<I", gc.mem_free()))
    return answer == b"\x01" and "main.py" in os.listdir("/")


_wire = _connect(b"requests")
_events = _connect(b"events")
