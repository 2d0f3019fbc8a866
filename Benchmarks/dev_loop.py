#!/usr/bin/env python3
"""Measures the loop of noafw dev: from the save of a file to the first line that the new program prints.

  dev_loop.py NOAFW [COUNT] [FAMILY…]   COUNT saves (50) with each family's virtual unit, whose link goes as fast as the real one's;
                                        one JSON line a family, in milliseconds

The unit holds a program of three modules; each save replaces one of them, of about 2 KB, by renaming, as editors do. Nothing is asserted.
"""
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time

FILLER = 30
PROGRAMS = {
    "monocle": (
        "py",
        {
            "main.py": "import time\nimport tool\nimport words\nprint('round', words.NUMBER)\nwhile True:\n    time.sleep_ms(50)\n",
            "tool.py": "".join(f"def tool_{n}(value):\n    return value * {n} + 1\n\n\n" for n in range(FILLER)),
        },
        lambda n: f"NUMBER = {n}\n" + "".join(f"WORD_{i} = 'a word that is saved, number {i} of {n}'\n" for i in range(FILLER)),
    ),
    "frame": (
        "lua",
        {
            "main.lua": "require('tool')\nrequire('words')\nprint('round ' .. NUMBER)\nwhile true do frame.sleep(0.05) end\n",
            "tool.lua": "".join(f"function tool_{n}(value)\n    return value * {n} + 1\nend\n\n" for n in range(FILLER)),
        },
        lambda n: f"NUMBER = {n}\n" + "".join(f"WORD_{i} = 'a word that is saved, number {i} of {n}'\n" for i in range(FILLER)),
    ),
}
LIMIT = 60


def save(path, text):
    with open(path + "~", "w") as file:
        file.write(text)
    os.rename(path + "~", path)


class Lines:
    """The lines of a process, with the time at which each was there."""

    def __init__(self, stream):
        os.set_blocking(stream.fileno(), False)
        self.stream, self.rest = stream, b""

    def wait(self, pattern):
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            piece = self.stream.read()
            if piece == b"":
                raise SystemExit("noafw dev ended")
            if piece is None:
                time.sleep(0.001)
                continue
            self.rest += piece
            found = re.search(pattern, self.rest)
            if found:
                self.rest = self.rest[found.end():]
                return time.monotonic()
        raise SystemExit(f"no line {pattern!r} in {LIMIT} s; there was {self.rest[-400:]!r}")


def measure(noafw, family, count):
    suffix, files, words = PROGRAMS[family]
    with tempfile.TemporaryDirectory() as place:
        folder = os.path.join(place, "program")
        os.mkdir(folder)
        for name, text in files.items():
            save(os.path.join(folder, name), text)
        path = os.path.join(folder, f"words.{suffix}")
        save(path, words(0))
        environment = dict(os.environ, NOAFW_STATE_DIR=os.path.join(place, "state"))
        process = subprocess.Popen(
            [noafw, "dev", folder, "--virtual", family], env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            lines, times = Lines(process.stdout), []
            lines.wait(rb"round 0\r?\n")
            for number in range(1, count + 1):
                # Somewhere between two looks at the folder.
                time.sleep(0.5 + number * 0.037 % 0.1)
                begun = time.monotonic()
                save(path, words(number))
                times.append((lines.wait(rb"round %d\r?\n" % number) - begun) * 1000)
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(20)
    times.sort()
    return {
        "bench": "dev", "family": family, "saves": count, "bytes": len(words(1)),
        "median_ms": round(statistics.median(times)), "fastest_ms": round(times[0]), "slowest_ms": round(times[-1]),
    }


if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 50
    for family in sys.argv[3:] or list(PROGRAMS):
        print(json.dumps(measure(sys.argv[1], family, count)), flush=True)
