"""Runs MicroPython on the terminal it inherits, as a unit's processor does after reset.

Started by CPython: it makes the inherited terminal the controlling one, so that 0x03 can interrupt, and installs a
SIGUSR1 handler without SA_RESTART, so that a signal lets MicroPython look at its scheduler while it waits for input.
"""
import fcntl
import os
import signal
import sys
import termios

from micropython_unix import run_main

heap, boot = sys.argv[1:3]
# The parent's threads may block signals and hold descriptors; both are inherited.
signal.pthread_sigmask(signal.SIG_SETMASK, [])
os.closerange(3, 1024)
os.setsid()
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGUSR1, lambda number, frame: None)
signal.siginterrupt(signal.SIGUSR1, True)
sys.exit(run_main(["micropython", "-X", "heapsize=" + heap, "-i", boot]))
