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

_PAUSE_MS = 40
_PAGE_MS = 5000
_ANSWER_MS = 60000
_TEXT_LIMIT = 1500
_INBOX_LIMIT = 24

_SCREENS = {
    states.AWAY: ("noa", "connect the app", display.WHITE),
    states.READY: ("Tap to speak", "tap twice for a photo", display.WHITE),
    states.LOOKING: ("Hold still", "", display.YELLOW),
    states.LISTENING: ("Listening", "", display.CYAN),
    states.THINKING: ("Thinking", "tap to cancel", display.CYAN),
}


class App:
    def __init__(self):
        self.machine = states.Machine()
        self.taps = states.Taps()
        self.inbox = []
        self.task = None
        self.muted = False
        self.dirty = True
        self.say("", display.WHITE)
        bluetooth.receive_callback(self.received)
        touch.callback(touch.EITHER, self.touched)

    # The two callbacks run in the middle of anything else: they only take notes.

    def received(self, data):
        if len(self.inbox) < _INBOX_LIMIT:
            self.inbox.append(bytes(data))

    def touched(self, pad):
        self.taps.touched()

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
            time.sleep_ms(_PAUSE_MS)

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
            audio.send(b"rdy:")
        while self.inbox:
            self.handle(self.inbox.pop(0))
        self.look_at_taps()
        if self.task and self.task.step():
            self.on("sent")
        self.look_at_time()
        if self.dirty:
            self.dirty = False
            self.draw()

    def handle(self, message):
        command, data = message[:4], message[4:]
        if command == b"pin:":
            # Without an answer to its ping the app drops the request: that is what cancelling means.
            if not self.muted:
                audio.send(b"pon:", data)
        elif command == b"res:":
            if not self.muted:
                self.answer(graphics.plain(data))
        elif command == b"err:":
            if not self.muted:
                self.fail(graphics.plain(data))
        elif command == b"ick:" and self.machine.now == states.LOOKING and self.task:
            self.task.received = True

    def answer(self, text):
        if self.machine.now in (states.LOOKING, states.LISTENING):
            return
        if self.on("text") or self.color != display.WHITE:
            self.say(text, display.WHITE)
        else:
            self.text = (self.text + text)[:_TEXT_LIMIT]
        self.lines = graphics.wrap(self.text)
        self.dirty = True

    def fail(self, text):
        if self.machine.now == states.AWAY:
            return
        self.on("error")
        self.task = None
        self.say(text, display.YELLOW)
        self.dirty = True

    def say(self, text, color):
        self.text = text[:_TEXT_LIMIT]
        self.color = color
        self.lines = graphics.wrap(self.text)
        self.page = 0
        self.entered = time.ticks_ms()

    def look_at_taps(self):
        now = self.machine.now
        busy = now in (states.LISTENING, states.THINKING)
        gesture = self.taps.look(not busy and self.taps.count and touch.state(touch.EITHER), busy)
        if gesture is None or now in (states.AWAY, states.LOOKING):
            return
        if now == states.LISTENING:
            self.task.stop()
        elif self.on(gesture) and now == states.THINKING:
            self.muted = True

    def look_at_time(self):
        now = self.machine.now
        if now == states.THINKING:
            if self.age() > _ANSWER_MS:
                self.fail("No answer came.")
        elif now == states.ANSWERING and self.page + 1 < graphics.page_count(self.lines) and self.age() > _PAGE_MS:
            self.page += 1
            self.entered = time.ticks_ms()
            self.dirty = True

    def age(self):
        return time.ticks_diff(time.ticks_ms(), self.entered)

    def on(self, event):
        before = self.machine.now
        if not self.machine.on(event):
            return False
        now = self.machine.now
        self.entered = time.ticks_ms()
        self.dirty = True
        self.task = None
        if now in (states.AWAY, states.READY, states.LOOKING, states.LISTENING):
            self.muted = False
        if now in (states.LOOKING, states.LISTENING):
            # The display first: what follows takes a while.
            self.dirty = False
            self.draw()
            gc.collect()
            self.task = photo.Picture() if now == states.LOOKING else audio.Recording(before == states.LOOKING)
        return True

    def draw(self):
        if self.machine.now == states.ANSWERING:
            graphics.show_page(self.lines, self.page, self.color)
        else:
            graphics.show_screen(*_SCREENS[self.machine.now])


gc.collect()
App().run()
