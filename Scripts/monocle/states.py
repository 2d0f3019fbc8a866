# What the unit does, and what moves it on. Nothing in here touches hardware.
import time

AWAY = 0  # no app listens
READY = 1
LOOKING = 2  # a picture is on its way to the app
LISTENING = 3  # sound is on its way to the app
THINKING = 4  # the app works on an answer
ANSWERING = 5  # an answer or an error is on the display

BUSY = (LOOKING, LISTENING, THINKING)

_NEXT = {
    (AWAY, "link"): READY,
    (READY, "tap"): LISTENING,
    (READY, "hold"): LOOKING,
    (READY, "text"): ANSWERING,
    (LOOKING, "sent"): LISTENING,
    (LOOKING, "tap"): READY,
    (LISTENING, "sent"): THINKING,
    (LISTENING, "tap"): READY,
    (THINKING, "text"): ANSWERING,
    (THINKING, "tap"): READY,
    (ANSWERING, "tap"): LISTENING,
    (ANSWERING, "hold"): LOOKING,
}


class Machine:
    def __init__(self):
        self.now = AWAY

    def on(self, event):
        """Takes an event; True when it led to another state."""
        if event == "lost":
            following = AWAY
        elif event == "error" and self.now != AWAY:
            following = ANSWERING
        else:
            following = _NEXT.get((self.now, event), self.now)
        changed = following != self.now
        self.now = following
        return changed


class Finger:
    """Tells a tap from a finger that stays. The callback comes when the finger does; only polling tells when it leaves."""

    HOLD_MS = 600

    def __init__(self):
        self.came = False
        self.since = None

    def look(self, stays):
        """None, "tap" or "hold"."""
        now = time.ticks_ms()
        if self.came:
            self.came = False
            self.since = now
        if self.since is None:
            return None
        if stays and time.ticks_diff(now, self.since) < self.HOLD_MS:
            return None
        self.since = None
        return "hold" if stays else "tap"
