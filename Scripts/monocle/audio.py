# The way to the app, and sound on it: signed 8-bit samples, 8 kHz, mono.
import bluetooth
import microphone
import time
from states import since

SECONDS = 6
RATE = 8000
_READ_LIMIT = 127  # samples the microphone hands out at a time
_STEP_MS = 100
_GRACE_MS = 1500
_PATIENCE_MS = 3000


class LinkLost(Exception):
    pass


def send(command, data=b""):
    """Sends one message, waiting while the radio is busy."""
    message = command + data
    start = time.ticks_ms()
    while True:
        try:
            bluetooth.send(message)
            return
        except OSError:
            if not bluetooth.connected() or since(start) > _PATIENCE_MS:
                raise LinkLost
            time.sleep_ms(5)


def room():
    """Bytes of data in one message; max_length is 0 until an app has asked for more than 20."""
    return max(20, bluetooth.max_length()) - 4


class Recording:
    """Records and sends at the same time, a while in each step."""

    def __init__(self, keeps_image):
        # After "ien:" the app expects sound; "ast:" would make it forget the picture.
        if not keeps_image:
            send(b"ast:")
        self.left = SECONDS * RATE
        self.start = time.ticks_ms()
        self.piece = b""
        microphone.record(seconds=SECONDS, bit_depth=8, sample_rate=RATE)

    def step(self):
        """True when all sound is with the app."""
        start = time.ticks_ms()
        while self.left and since(start) < _STEP_MS:
            if self._read():
                self._send()
            else:
                if since(self.start) < SECONDS * 1000 + _GRACE_MS:
                    return False
                self.left = 0
        if self.left:
            return False
        if self.piece:
            self._send()
        send(b"aen:")
        return True

    def _read(self):
        """True when there is a whole message; a part of one is kept for the next time."""
        wanted = min(room(), self.left)
        while len(self.piece) < wanted:
            samples = microphone.read(min(_READ_LIMIT, wanted - len(self.piece)))
            if not samples:
                return False
            self.piece += samples
        return True

    def _send(self):
        send(b"dat:", self.piece)
        self.left = max(0, self.left - len(self.piece))
        self.piece = b""
