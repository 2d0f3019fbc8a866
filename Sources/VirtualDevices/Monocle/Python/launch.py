"""Runs the virtual Monocle's interpreter, which stands beside this Python in its environment."""
import os
import sys

program = os.path.join(os.path.dirname(sys.executable), "monocle-python")
os.execv(program, [program] + sys.argv[1:])
