# What the unit does, and what moves it on. Nothing in here touches hardware.
import time

AWAY = 0  # no app listens
READY = 1
LOOKING = 2  # a picture is on its way to the app
LISTENING = 3  # sound is on its way to the app
THINKING = 4  # the app works on an answer
ANSWERING = 5  # an answer or an error is on the display

_NEXT = {
    (AWAY, "link"): READY,
    (READY, "tap"): LISTENING,
    (READY, "photo"): LOOKING,
    (READY, "text"): ANSWERING,
    (LOOKING, "sent"): LISTENING,
    (LISTENING, "sent"): THINKING,
    (THINKING, "text"): ANSWERING,
    (THINKING, "tap"): READY,
    (ANSWERING, "tap"): LISTENING,
    (ANSWERING, "photo"): LOOKING,
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


class Taps:
    """Tells a tap from a double tap and from a finger that stays. The last two both mean a photo."""

    DOUBLE_MS = 350
    HOLD_MS = 600

    def __init__(self):
        self.count = 0
        self.since = None

    def touched(self):
        self.count += 1

    def forget(self):
        self.count = 0
        self.since = None

    def look(self, held, impatient=False):
        """None, "tap" or "photo". An impatient caller does not wait for a second tap."""
        if not self.count:
            return None
        now = time.ticks_ms()
        if self.since is None:
            self.since = now
        age = time.ticks_diff(now, self.since)
        gesture = None
        if impatient:
            gesture = "tap"
        elif self.count > 1 or (held and age >= self.HOLD_MS):
            gesture = "photo"
        elif not held and age >= self.DOUBLE_MS:
            gesture = "tap"
        if gesture:
            self.forget()
        return gesture
