# What the unit does, and what moves it on. Nothing in here touches hardware.
import time

_TURN_MS = 16384000  # ticks_ms falls to 0 then: a 24-bit counter of 1/1024 s

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


def since(ticks):
    """Milliseconds, over a turn of the clock, too, which ticks_diff knows nothing of."""
    passed = time.ticks_ms() - ticks
    return passed if passed >= 0 else passed + _TURN_MS


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
        self.began = None

    def look(self, stays):
        """None, "tap" or "hold"."""
        if self.came:
            self.came = False
            self.began = time.ticks_ms()
        if self.began is None or stays and since(self.began) < self.HOLD_MS:
            return None
        self.began = None
        return "hold" if stays else "tap"
