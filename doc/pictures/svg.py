# SPDX-License-Identifier: Apache-2.0
"""svg.py - a coloured terminal screen as a picture

Reads what `tmux capture-pane -p -e` prints: characters and SGR sequences.
Each run of equal looks becomes one text element of fixed width, so that the
picture is the same whatever font the viewer has.
"""
import re
import unicodedata
from xml.sax.saxutils import escape

CELL, LINE, SIZE, MARGIN = 8.4, 18, 14, 10
FORE, BACK = "#d0d0d0", "#16181d"
BASIC = ["#16181d", "#cc4444", "#7fb86a", "#d7b35a", "#5f87d7", "#b07fc0",
         "#5fafaf", "#c8c8c8", "#6c6c6c", "#ff6b6b", "#a6d98f", "#ffd75f",
         "#87afff", "#d7a0e0", "#87d7d7", "#ffffff"]
SGR = re.compile(r"\x1b\[([0-9;]*)m")


def colour(n):
    """Number n of the 256."""
    if n < 16:
        return BASIC[n]
    if n >= 232:
        v = 8 + 10 * (n - 232)
        return f"#{v:02x}{v:02x}{v:02x}"
    n -= 16
    steps = [0, 95, 135, 175, 215, 255]
    return "#%02x%02x%02x" % (steps[n // 36], steps[n // 6 % 6], steps[n % 6])


class Look:
    def __init__(self):
        self.fore, self.back, self.bold = None, None, False
        self.reverse = self.underline = False

    def apply(self, codes):
        codes = [int(c or 0) for c in codes.split(";")]
        while codes:
            c = codes.pop(0)
            if c == 0:
                self.__init__()
            elif c in (1, 22):
                self.bold = c == 1
            elif c in (4, 24):
                self.underline = c == 4
            elif c in (7, 27):
                self.reverse = c == 7
            elif c in (38, 48) and codes[:1] == [5]:
                self._set(c == 38, colour(codes[1]))
                codes = codes[2:]
            elif c in (39, 49):
                self._set(c == 39, None)
            elif 30 <= c <= 37 or 90 <= c <= 97:
                self._set(True, BASIC[c - 30 if c < 90 else c - 82])
            elif 40 <= c <= 47 or 100 <= c <= 107:
                self._set(False, BASIC[c - 40 if c < 100 else c - 92])

    def _set(self, fore, value):
        if fore:
            self.fore = value
        else:
            self.back = value

    def key(self):
        fore, back = self.fore or FORE, self.back
        if self.reverse:
            fore, back = back or BACK, fore
        return fore, back, self.bold, self.underline


def runs(line, look):
    """(column, text, look) of each run of equal looks."""
    column = 0
    for i, part in enumerate(SGR.split(line)):
        if i % 2:
            look.apply(part)
        elif part:
            yield column, part, look.key()
            column += sum(2 if unicodedata.east_asian_width(c) in "WF" else 1
                          for c in part)


def _run(x, y, text, key):
    fore, back, bold, underline = key
    width = len(text) * CELL
    if back:
        yield (f'<rect x="{x:.1f}" y="{y}" width="{width + .3:.1f}" '
               f'height="{LINE}" fill="{back}"/>')
    if text.strip():
        lead = len(text) - len(text.lstrip())
        text = text.strip()
        yield (f'<text x="{x + lead * CELL:.1f}" y="{y + 13.5}" '
               f'textLength="{len(text) * CELL:.1f}" fill="{fore}"'
               + (' font-weight="bold"' if bold else "")
               + (' text-decoration="underline"' if underline else "")
               + f' xml:space="preserve">{escape(text)}</text>')


def picture(lines, columns, title):
    """The screen as the text of an SVG file."""
    width, height = columns * CELL + 2 * MARGIN, len(lines) * LINE + 2 * MARGIN
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" '
           f'height="{height}" viewBox="0 0 {width:.0f} {height}" '
           'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" '
           f'font-size="{SIZE}">', f"<title>{escape(title)}</title>",
           f'<rect width="100%" height="100%" rx="6" fill="{BACK}"/>']
    look = Look()
    for n, line in enumerate(lines):
        for column, text, key in runs(line, look):
            out += _run(MARGIN + column * CELL, MARGIN + n * LINE, text, key)
    return "\n".join([*out, "</svg>\n"])
