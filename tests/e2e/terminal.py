# SPDX-License-Identifier: Apache-2.0
"""terminal.py - run a program in a terminal of tmux

    with Terminal(domain, "ndrxtop", columns=80, lines=24) as t:
        t.wait("Services")
        t.keys("2")
        print(t.screen())

Each terminal has a tmux server of its own, without the user's configuration.
"""
import os
import shutil
import subprocess

from machine import BUILD, Skip, pids_of, wait_for

_INSTALL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..",
                        "..", "scripts", "install-packages")


def need_tmux():
    """Skip when tmux is missing and cannot be installed."""
    if shutil.which("tmux") is None:
        subprocess.run([_INSTALL], stdin=subprocess.DEVNULL,
                       capture_output=True, check=False)
    if shutil.which("tmux") is None:
        raise Skip("tmux is not installed, and this user cannot install it")


def _in_a_terminal(pid):
    try:
        with open(f"/proc/{pid}/comm", encoding="utf-8") as f:
            name = f.read().strip()
    except OSError:
        return False
    return name.startswith("tmux") or name in ("sh", "sleep", "ndrxtop")


class Terminal:
    def __init__(self, domain, *argv, columns=80, lines=24, env=None,
                 before=()):
        """`before`: a command that runs it."""
        self.prefix = domain.prefix
        self.socket = os.path.join(domain.home, f"tmux-{id(self):x}")
        self.env = {**domain.env, "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8",
                    "NO_COLOR": None, "TERM": "xterm-256color",
                    **(env or {})}
        self.env = {k: v for k, v in self.env.items() if v is not None}
        words = [*before, domain.program(argv[0]), *map(str, argv[1:])]
        if "TERM" in (env or {}):
            words = ["env", f"TERM={env['TERM']}", *words]
        # The exit status stays on the screen for the story to read.
        line = " ".join(f"'{w}'" for w in words)
        self._tmux("new-session", "-d", "-x", columns, "-y", lines,
                   f"{line}; echo \"status $?\"; exec sleep 1000")

    def _tmux(self, *words, check=True):
        r = subprocess.run(
            ["tmux", "-u", "-S", self.socket, "-f", "/dev/null",
             "start-server", ";", "set", "-g", "default-terminal",
             "tmux-256color", ";", "set", "-g", "status", "off", ";",
             *map(str, words)], env=self.env, capture_output=True,
            text=True, timeout=20, check=False)
        if check and r.returncode != 0:
            raise AssertionError(f"tmux {words}: {r.stderr}")
        return r.stdout

    def keys(self, *names):
        """Press keys, by tmux's names: "2", "Enter", "C-l"."""
        self._tmux("send-keys", *names)

    def type(self, text):
        self._tmux("send-keys", "-l", text)

    def click(self, line, column, times=1):
        """Press and release the left button, in the encoding of this
        terminal type."""
        where = chr(33 + column) + chr(33 + line)
        self.type(f"\x1b[M {where}\x1b[M#{where}" * times)

    def resize(self, columns, lines):
        self._tmux("resize-window", "-x", columns, "-y", lines)

    def screen(self):
        """The lines of the screen."""
        return self._tmux("capture-pane", "-p").split("\n")

    def coloured(self):
        """The same with escape sequences."""
        return self._tmux("capture-pane", "-p", "-e", "-N").split("\n")

    def text(self):
        return "\n".join(self.screen())

    def wait(self, text, seconds=10):
        """Wait until the text is on the screen; returns the screen."""
        seen = []

        def there():
            seen[:] = [self.text()]
            return text in seen[0]
        try:
            wait_for(there, f"{text!r} on the screen", seconds)
        except AssertionError as e:
            raise AssertionError(f"{e}\n{seen[0]}") from None
        return seen[0]

    def close(self):
        """End it and wait until its processes have ended: the story may check
        for leftovers right after."""
        self._tmux("kill-server", check=False)
        wait_for(lambda: not any(map(_in_a_terminal, pids_of(self.prefix))),
                 "the terminal's processes have ended")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


__all__ = ["BUILD", "Terminal", "need_tmux"]
