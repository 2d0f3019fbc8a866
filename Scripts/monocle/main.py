# Tap and ask: the unit's side of the app protocol. See states.py for what happens when.
import bluetooth
import display
import gc
import sys
import time
import touch
import audio
import graphics
import photo
import states
from hashlib import sha256
from states import since

_PAUSE_MS = 40
_WORD_MS = 150
_ANSWER_MS = 60000
_APART_MS = 10000
_INBOX_LIMIT = 24

_SCREENS = {
    states.READY: ("Tap to speak", "hold for a photo", display.WHITE),
    states.LOOKING: ("Hold still", "tap to cancel", display.YELLOW),
    states.LISTENING: ("Listening", "tap to cancel", display.CYAN),
    states.THINKING: ("Thinking", "tap to cancel", display.CYAN),
}
_WELCOME = ("noa", "connect the app", display.WHITE)
_RECONNECT = ("Link lost", "waiting for the app", display.YELLOW)


class App:
    def __init__(self):
        self.machine = states.Machine()
        self.finger = states.Finger()
        self.inbox = []
        self.task = None
        self.away = _WELCOME
        self.page = graphics.Page(display.WHITE)
        self.hash = None  # of what was accepted since the last receipt, or the page's beginning
        self.fresh = True  # what comes next begins a page, unless an answer is under way
        self.marked = False  # the app says where its answers end
        self.begun = False  # such an answer is under way
        self.muted = False  # what comes next belongs to a cancelled request
        self.heard = self.entered = self.worded = time.ticks_ms()
        self.dirty = True
        # The collector does not see what the firmware holds, and "self.received" is a new object each time.
        self.callbacks = self.received, self.touched
        bluetooth.receive_callback(self.callbacks[0])
        touch.callback(touch.EITHER, self.callbacks[1])

    # The two callbacks run in the middle of anything else: they only take notes.

    def received(self, data):
        if len(self.inbox) < _INBOX_LIMIT:
            self.inbox.append(data)

    def touched(self, pad):
        self.finger.came = True

    def run(self):
        while True:
            try:
                self.step()
            except audio.LinkLost:
                self.on("lost")
            except photo.NoPicture:
                self.fail("The camera gives no picture.")
            except Exception as error:
                sys.print_exception(error)
                self.recover()
            time.sleep_ms(5 if self.task else _PAUSE_MS)

    def recover(self):
        # Whatever it was must not come back at once, and not end the loop.
        self.task = None
        gc.collect()
        time.sleep_ms(1000)
        self.fail("Something went wrong.")

    def step(self):
        if not bluetooth.connected():
            self.on("lost")
        elif self.on("link"):
            self.inbox.clear()
            self.marked = False
            # Keeps the newest rows only, so answers may be of any length; gives receipts.
            audio.send(b"rdy:", b"rolls got")
        while self.inbox:
            self.handle(self.inbox.pop(0))
        self.look_at_finger()
        if self.task and self.task.step():
            self.on("sent")
        self.look_at_time()
        if self.dirty:
            self.dirty = False
            self.draw()

    def handle(self, message):
        command, data = message[:4], message[4:]
        if command == b"ick:":
            # It answers "can:", too: what comes after it is new.
            self.muted = False
            if self.machine.now == states.LOOKING and self.task:
                self.task.received = True
        elif self.muted:
            # Without an answer to its ping an app that does not know "can:" drops the request.
            return
        elif command == b"pin:":
            audio.send(b"pon:", data)
            self.fresh = True
        elif command == b"res:":
            self.answer(data)
        elif command == b"err:":
            self.fail(graphics.plain(data), data)
        elif command == b"new:":
            self.marked = True
            self.begin()
        elif command == b"end:" and self.machine.now not in (states.LOOKING, states.LISTENING):
            self.accept(b"")
            receipt = b"%d %02x%02x%02x%02x" % ((self.count,) + tuple(self.hash.digest()[:4]))
            # A digest is taken once, and the app may not be there to get it.
            self.hash = None
            self.begun = False
            audio.send(b"got:", receipt)

    def begin(self):
        self.fresh = True
        self.begun = False

    def answer(self, data):
        """Every piece goes on where the last one ended, but for the first after a question, a ping, an error, "new:" or a long pause.

        A ping or a pause within an answer whose end the app will tell begins nothing."""
        if self.machine.now in (states.LOOKING, states.LISTENING):
            return
        if self.on("text") or not self.begun and (self.fresh or since(self.heard) > _APART_MS):
            self.page = graphics.Page(display.WHITE)
            self.hash = None
            self.fresh = False
        self.begun = self.marked
        self.heard = time.ticks_ms()
        self.page.add(graphics.plain(data))
        self.accept(data)

    def accept(self, data):
        """Counts for the next receipt."""
        if not self.hash:
            self.count = 0
            self.hash = sha256()
        self.count += len(data)
        self.hash.update(data)

    def fail(self, text, data=b""):
        if self.machine.now == states.AWAY:
            return
        self.on("error")
        self.task = None
        self.page = graphics.Page(display.YELLOW)
        self.page.add(text)
        self.hash = None
        self.accept(data)
        self.begin()

    def look_at_finger(self):
        before = self.machine.now
        # A touch that cancels need not wait for the finger to leave.
        stays = before not in states.BUSY and (touch.state(touch.EITHER) or touch.state(touch.BOTH))
        gesture = self.finger.look(stays)
        if gesture and self.on(gesture) and before in states.BUSY:
            self.muted = before == states.THINKING
            audio.send(b"can:")

    def look_at_time(self):
        now = self.machine.now
        if now == states.THINKING and since(self.entered) > _ANSWER_MS:
            self.fail("No answer came.")
        elif now == states.READY and self.muted and since(self.entered) > _ANSWER_MS:
            self.muted = False
        elif now == states.ANSWERING and self.page.waiting and since(self.worded) > _WORD_MS:
            self.worded = time.ticks_ms()
            self.page.step()
            self.dirty = True

    def on(self, event):
        before = self.machine.now
        if not self.machine.on(event):
            return False
        now = self.machine.now
        self.entered = time.ticks_ms()
        self.dirty = True
        self.task = None
        if now == states.AWAY:
            self.away = _RECONNECT
        if now in (states.AWAY, states.READY, states.LOOKING, states.LISTENING):
            self.muted = False
            self.begin()
        if now in (states.LOOKING, states.LISTENING):
            # The display first: what follows takes a while.
            self.dirty = False
            self.draw()
            gc.collect()
            self.task = photo.Picture() if now == states.LOOKING else audio.Recording(before == states.LOOKING)
        return True

    def draw(self):
        now = self.machine.now
        if now == states.ANSWERING:
            self.page.show()
        else:
            graphics.show_screen(*(self.away if now == states.AWAY else _SCREENS[now]))


gc.collect()
app = App()  # for the callbacks' sake it stays, even when the loop is interrupted
app.run()
