"""The computer that a keyboard is plugged into, run in the guest: gives its USB reports to the kernel, prints the keys that programs get.

Usage: usb_host.py REPORTS (in hexadecimal, one behind another). Prints a JSON list of [key code, value], value 1 for down and 0 for up.
"""

import json
import os
import select
import struct
import sys
import time
from pathlib import Path

NAME = "noafw lab keyboard"
REPORT_SIZE = 9
BUS_USB = 0x03
# linux/uhid.h
DESTROY, CREATE, INPUT = 1, 11, 12
# linux/input.h: struct input_event, EV_KEY.
EVENT, KEY = struct.Struct("llHHi"), 1
# A keyboard with the report ID 1 (Device Class Definition for HID 1.11, 6.2.2; usage page 7 of the HID Usage Tables).
DESCRIPTOR = bytes.fromhex(
    "0501 0906 a101 8501"              # a collection: a keyboard; report ID 1
    "0507 19e0 29e7 1500 2501 7501 9508 8102"  # eight modifiers, a bit each
    "7508 9501 8101"                   # a constant byte
    "0507 1900 29ff 1500 26ff00 7508 9506 8100"  # six keys, a byte each
    "c0")


def wait_for(what, condition, seconds=20):
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        if time.monotonic() > deadline:
            raise SystemExit(f"{what} does not come")
        time.sleep(0.02)
    return found


def input_device():
    for device in Path("/sys/class/input").glob("event*"):
        if (device / "device/name").read_text().strip() == NAME and Path(f"/dev/input/{device.name}").exists():
            return f"/dev/input/{device.name}"
    return None


def keys(events, expected_silence):
    """The keys so far; ends when nothing has come for that long."""
    pressed = []
    while select.select([events], [], [], expected_silence)[0]:
        data = os.read(events, EVENT.size * 64)
        for _, _, kind, code, value in EVENT.iter_unpack(data):
            if kind == KEY:
                pressed.append([code, value])
    return pressed


def main(text):
    data = bytes.fromhex(text)
    reports = [data[start:start + REPORT_SIZE] for start in range(0, len(data), REPORT_SIZE)]
    uhid = os.open("/dev/uhid", os.O_RDWR)
    os.write(uhid, struct.pack(
        "<I128s64s64sHHIIII4096s", CREATE, NAME.encode(), b"", b"", len(DESCRIPTOR), BUS_USB, 0x303A, 0x4004, 0, 0, DESCRIPTOR))
    events = os.open(wait_for("the keyboard's input device", input_device), os.O_RDONLY)
    found = []
    for report in reports:
        os.write(uhid, struct.pack("<IH4096s", INPUT, len(report), report))
        found += keys(events, 0)
    found += keys(events, 0.5)
    os.write(uhid, struct.pack("<I", DESTROY))
    print(json.dumps(found))


main(*sys.argv[1:])
