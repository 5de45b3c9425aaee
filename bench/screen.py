# SPDX-License-Identifier: Apache-2.0
"""screen.py - what ./demo prints: lines, progress, numbers for people"""
import sys

BAR = 28


class Screen:
    """Lines, and one line that changes where there is a terminal."""

    def __init__(self):
        self.tty = sys.stdout.isatty()
        self.open = False
        self.step = 0

    def line(self, label, text=""):
        """A finished line: what, and the result."""
        self.clear()
        print(("  %-18s %s" % (label, text)).rstrip() if label or text
              else "", flush=True)

    def title(self, text):
        """A line at the left edge, after an empty one."""
        self.clear()
        print("\n" + text, flush=True)

    def clear(self):
        if self.open:
            print("\r\033[K", end="")
            self.open = False

    def doing(self, text):
        """What happens now; the next line takes its place."""
        if self.tty:
            print("\r\033[K  %s" % text, end="", flush=True)
            self.open = True

    def progress(self, done, total, seconds):
        """How far the calls are."""
        part = done / total
        rate = done / seconds if seconds > 0 else 0
        if self.tty:
            full = int(part * BAR)
            self.doing("%-18s [%s%s] %3.0f %%  %s/s" % (
                "calling", "#" * full, "." * (BAR - full), part * 100,
                number(rate)))
        elif part * 10 >= self.step + 1:
            self.step = int(part * 10)
            self.line("calling", "%3.0f %%  %s/s" % (
                part * 100, number(rate)))


def number(n):
    """1234567.8 as 1,234,568."""
    return "{:,.0f}".format(n)


def short_time(us):
    """Microseconds, for people."""
    if us < 1000:
        return "%.0f us" % us
    if us < 1e6:
        return "%.3g ms" % (us / 1e3)
    return "%.3g s" % (us / 1e6)
