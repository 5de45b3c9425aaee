# SPDX-License-Identifier: Apache-2.0
"""disk.py - what a power cut leaves of the files that a program has written

    disk = Disk(folder, record)     # before the program starts
    p = d.server(..., env={**disk.env})
    kill(p.pid)                     # or Disk(cut=N): it dies at sync number N
    for n in disk.cuts():           # of what was not synced, the first n
        disk.restore(n)             # operations have reached the disk
        ... start it again ...

The program runs with libcache.so (tests/e2e/programs/cache.c), which records
what it does. A sync of a file makes all that was written to it before durable; a
sync of a folder, the renames in it. A new file has its name after its first
sync."""
import os

from machine import BUILD

__all__ = ["Disk"]


class Disk:
    """The files of a folder, which is empty or does not exist."""

    def __init__(self, folder, record, lies=False, cut=0):
        self.folder = folder
        self.record = record
        self.env = {"LD_PRELOAD": f"{BUILD}/tests/e2e/libcache.so",
                    "OW_CACHE_FOLDER": folder, "OW_CACHE_RECORD": record,
                    **({"OW_CACHE_LIES": "1"} if lies else {}),
                    **({"OW_CACHE_CUT": str(cut)} if cut else {})}

    def _lines(self):
        """Those that are whole."""
        with open(self.record, encoding="utf-8") as f:
            return [line.split() for line in f if line.endswith("\n")]

    def _durable(self, lines):
        """Numbers of the lines that syncs have made so."""
        done = set()
        folder = str(os.stat(self.folder).st_ino)
        for line in lines:
            if line[0] == "d":
                done.update(range(int(line[1]), int(line[2])))
            if line[0] != "s":
                continue
            for i in range(int(line[2])):
                op, of = lines[i][0], lines[i][1]
                if (op in "owt" and of == line[1]) or \
                        (op == "r" and line[1] == folder):
                    done.add(i)
        return done

    def _open(self):
        """(lines, durable ones, others that change something)."""
        lines = self._lines()
        done = self._durable(lines)
        return lines, done, [i for i, line in enumerate(lines)
                             if line[0] in "owtr" and i not in done]

    def cuts(self, most=8):
        """Counts of operations beyond the last sync, 0 and all among them."""
        n = len(self._open()[2])
        return sorted({n * i // most for i in range(most + 1)})

    def restore(self, n):
        """Make the files as they are when the first `n` operations that were
        not synced have reached the disk."""
        lines, done, others = self._open()
        keep = done | set(others[:n])
        names, data = {}, {}
        for i, line in enumerate(lines):
            if i in keep:
                _apply(line, names, data)
        for name in os.listdir(self.folder):
            os.remove(os.path.join(self.folder, name))
        for path, inode in names.items():
            if os.path.dirname(path) == self.folder:
                with open(path, "wb") as f:
                    f.write(data.get(inode, b""))
                os.chmod(path, 0o600)


def _apply(line, names, data):
    op = line[0]
    if op == "o":
        names[line[2]] = line[1]
        data.setdefault(line[1], bytearray())
    elif op == "w":
        file = data.setdefault(line[1], bytearray())
        at, new = int(line[2]), bytes.fromhex(line[3])
        file.extend(bytes(max(0, at - len(file))))
        file[at:at + len(new)] = new
    elif op == "t":
        file = data.setdefault(line[1], bytearray())
        del file[int(line[2]):]
        file.extend(bytes(int(line[2]) - len(file)))
    elif op == "r" and line[1] in names:
        names[line[2]] = names.pop(line[1])
