# The way to the app, and sound on it: signed 8-bit samples, 8 kHz, mono.
import bluetooth
import microphone
import time

SECONDS = 6
RATE = 8000
_READ_LIMIT = 127  # samples the microphone hands out at a time
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
            if not bluetooth.connected() or time.ticks_diff(time.ticks_ms(), start) > _PATIENCE_MS:
                raise LinkLost
            time.sleep_ms(5)


def room():
    """Bytes of data in one message."""
    return bluetooth.max_length() - 4


class Recording:
    """Records and sends at the same time, a few messages in each step."""

    def __init__(self, keeps_image):
        # After "ien:" the app expects sound; "ast:" would make it forget the picture.
        if not keeps_image:
            send(b"ast:")
        self.left = SECONDS * RATE
        self.start = time.ticks_ms()
        microphone.record(seconds=SECONDS, bit_depth=8, sample_rate=RATE)

    def stop(self):
        """Ends it early, but not within the first second."""
        if self.left <= (SECONDS - 1) * RATE:
            self.left = 0

    def step(self):
        """True when all sound is with the app."""
        for _ in range(8):
            piece = self._piece() if self.left > 0 else b""
            if not piece:
                break
            self.left -= len(piece)
            send(b"dat:", piece)
        age = time.ticks_diff(time.ticks_ms(), self.start)
        if self.left > 0 and age < SECONDS * 1000 + _GRACE_MS:
            return False
        send(b"aen:")
        return True

    def _piece(self):
        wanted = min(room(), self.left)
        piece = b""
        while len(piece) < wanted:
            samples = microphone.read(min(_READ_LIMIT, wanted - len(piece)))
            if not samples:
                break
            piece += samples
        return piece
