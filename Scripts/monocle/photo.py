# A picture on its way to the app.
import camera
import time
from audio import room, send
from states import since

_READ_LIMIT = 254
_FIRST_MS = 3000  # until the camera has something
_RECEIPT_MS = 3000  # until the app says "ick:", then without


class NoPicture(Exception):
    pass


class Picture:
    """Takes a picture and sends it, a few messages in each step."""

    def __init__(self):
        camera.capture()
        self.start = time.ticks_ms()
        self.begun = False
        self.ended = False
        self.received = False

    def step(self):
        """True when the picture is with the app."""
        if self.ended:
            return self.received or since(self.start) > _RECEIPT_MS
        for _ in range(8):
            piece = camera.read(min(_READ_LIMIT, room()))
            if not piece:
                self._pause()
                break
            if not self.begun:
                self.begun = True
                send(b"ist:")
            send(b"idt:", piece)
        return False

    def _pause(self):
        if self.begun:
            send(b"ien:")
            self.ended = True
            self.start = time.ticks_ms()
        elif since(self.start) > _FIRST_MS:
            raise NoPicture
