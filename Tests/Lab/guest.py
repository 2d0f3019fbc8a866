"""The first process of the lab's guest: runs commands for the host. One of them joins a virtual HCI of the kernel to the host's radio.

Usage as a command: guest.py relay PORT; the adapter is there for as long as it runs.

Standard library only: the guest runs it with the host's /usr/bin/python3, seen through 9p.
"""

import base64
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

VENDOR_PACKET, ACL_PACKET, EVENT_PACKET = 0xFF, 0x02, 0x04


def open_port(name):
    """Opens the virtio-serial port of that name; the kernel numbers them as it likes."""
    for port in Path("/sys/class/virtio-ports").iterdir():
        if (port / "name").read_text().strip() == name:
            return os.open(f"/dev/{port.name}", os.O_RDWR)
    raise SystemExit(f"no virtio-serial port {name}")


def write_all(descriptor, data):
    while data:
        data = data[os.write(descriptor, data):]


def packets(buffer):
    """Takes the whole HCI packets off a buffer: /dev/vhci wants one packet a write."""
    while len(buffer) >= 5 or (len(buffer) >= 3 and buffer[0] == EVENT_PACKET):
        if buffer[0] == EVENT_PACKET:
            length = 3 + buffer[2]
        elif buffer[0] == ACL_PACKET:
            length = 5 + int.from_bytes(buffer[3:5], "little")
        else:
            raise SystemExit(f"HCI packet type {buffer[0]}")
        if len(buffer) < length:
            return
        yield bytes(buffer[:length])
        del buffer[:length]


def relay(name):
    """Carries HCI between the kernel and one of the host's controllers, until it is killed."""
    port = open_port(name)
    vhci = os.open("/dev/vhci", os.O_RDWR)
    os.write(vhci, bytes([VENDOR_PACKET, 0]))

    def upwards():
        while True:
            packet = os.read(vhci, 4096)
            if packet[0] != VENDOR_PACKET:
                write_all(port, packet)

    threading.Thread(target=upwards, daemon=True).start()
    buffer = bytearray()
    while data := os.read(port, 65536):
        buffer += data
        for packet in packets(buffer):
            os.write(vhci, packet)


class Commands:
    """Runs what the host asks for; each command is a process group of its own."""

    def __init__(self, port):
        self.port = port
        self.lock = threading.Lock()
        self.processes = {}

    def tell(self, **message):
        with self.lock:
            write_all(self.port, json.dumps(message).encode() + b"\n")

    def pump(self, number, name, stream):
        with stream:
            while data := os.read(stream.fileno(), 16384):
                self.tell(id=number, stream=name, data=base64.b64encode(data).decode())

    def run(self, number, argv, environment, folder):
        try:
            process = subprocess.Popen(
                argv, env={**os.environ, **environment}, cwd=folder, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        except OSError as error:
            self.tell(id=number, exit=127, reason=str(error))
            return
        self.processes[number] = process
        self.tell(id=number, process=process.pid)
        pumps = [
            threading.Thread(target=self.pump, args=(number, name, stream), daemon=True)
            for name, stream in (("out", process.stdout), ("err", process.stderr))
        ]
        for pump in pumps:
            pump.start()
        code = process.wait()
        for pump in pumps:
            # A background child may keep a stream open.
            pump.join(timeout=2)
        del self.processes[number]
        self.tell(id=number, exit=code)

    def serve(self):
        self.tell(ready=True)
        with os.fdopen(self.port, "rb", closefd=False) as lines:
            for line in lines:
                message = json.loads(line)
                number = message["id"]
                if "argv" in message:
                    arguments = (number, message["argv"], message["environment"], message["folder"])
                    threading.Thread(target=self.run, args=arguments, daemon=True).start()
                elif process := self.processes.get(number):
                    try:
                        os.killpg(process.pid, message["signal"])
                    except ProcessLookupError:
                        pass


def main():
    os.environ.update(
        PATH="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", HOME="/root", LANG="C.UTF-8")
    # The host's own D-Bus and Bluetooth state stay out of sight.
    for folder in ("/run", "/var/lib/bluetooth"):
        os.makedirs(folder, exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", folder], check=True)
    os.makedirs("/run/dbus")
    Commands(open_port("commands")).serve()
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    if sys.argv[1:2] == ["relay"]:
        relay(sys.argv[2])
    else:
        main()
