# SPDX-License-Identifier: Apache-2.0
"""report.py - print results of benchmarks as JSON lines or tables

A table is a tuple of columns: key of the row, heading, width, format. On a
terminal it is aligned; for doc/lab it is Markdown.
"""
import json
import sys

CALLS = (  # 80 columns in all
    ("bench", "bench", 6, "%s"),
    ("wake", "wake", 9, "%s"),
    ("servers", "srv", 4, "%d"),
    ("threads", "thr", 3, "%d"),
    ("payload", "bytes", 6, "%d"),
    ("calls_per_s", "calls/s", 8, "%.0f"),
    ("baseline_calls_per_s", "bare/s", 8, "%.0f"),
    ("ratio", "ratio", 5, "%.2f"),
    ("p50_us", "p50 us", 6, "%.0f"),
    ("p99_us", "p99 us", 6, "%.0f"),
    ("ctx_switches_per_call", "switch", 6, "%.2f"),
    ("wakeups_per_call", "wakes", 5, "%.2f"),
)


def median(values):
    """The middle one; None when there is none."""
    values = sorted(v for v in values if v is not None)
    if not values:
        return None
    half = len(values) // 2
    if len(values) % 2:
        return values[half]
    return (values[half - 1] + values[half]) / 2


def calls_row(bench, payload, runs, baselines, way):
    """One result of several alternating runs: medians of each figure, and
    the median of the ratios of neighbours."""
    row = {"bench": bench, "transport": way.transport, "wake": way.wake,
           "servers": runs[0]["servers"], "threads": runs[0]["threads"],
           "payload": payload, "calls": sum(r["calls"] for r in runs)}
    bare = [b["calls_per_s"] for b in baselines]
    row["calls_per_s"] = median(r["calls_per_s"] for r in runs)
    row["baseline_calls_per_s"] = median(bare)
    ratio = median(r["calls_per_s"] / b for r, b in zip(runs, bare))
    row["ratio"] = round(ratio, 3) if ratio is not None else None
    for key in ("p50_us", "p99_us", "ctx_switches_per_call",
                "wakeups_per_call"):
        row[key] = median(r[key] for r in runs)
    failed = sum(r["failed"] + r["wrong"] for r in runs)
    if failed:
        row["failed"] = failed
    return row


class Report:
    """Takes results one by one and shows each as soon as it is there."""

    def __init__(self, as_json, as_markdown=False):
        self.as_json = as_json
        self.as_markdown = as_markdown
        self.table = None  # whose heading stands above
        self.failed = False
        self.rows = []  # all results, for who draws them

    def note(self, text):
        """Tell a person what happens now; not part of the result."""
        if not self.as_json and sys.stderr.isatty():
            print("\r\033[K" + text, end="", file=sys.stderr, flush=True)

    def clear(self):
        """Remove the last note."""
        self.note("")

    def fail(self, text):
        """Say what went wrong; the exit status remembers it."""
        self.clear()
        print(text, file=sys.stderr)
        self.failed = True

    def calls(self, row):
        """A row of calls_row()."""
        if row.get("failed"):
            self.fail("%s: %d calls failed" % (row["bench"], row["failed"]))
        self.row(CALLS, row)

    def row(self, table, row):
        """One row of a table; its heading when another one went before."""
        self.clear()
        self.rows.append(row)
        if self.as_json:
            print(json.dumps(row), flush=True)
            return
        if self.table is not table:
            if self.table is not None:
                print()
            self.heading(table)
            self.table = table
        cells = []
        for key, _, width, form in table:
            value = row.get(key)
            text = "-" if value is None else form % value
            cells.append(text.rjust(width))
        self.line(cells)

    def heading(self, table):
        """The names of the columns."""
        self.line([h.rjust(w) for _, h, w, _ in table])
        if self.as_markdown:
            print("|---" * len(table) + "|")

    def line(self, cells):
        """One line of the table."""
        if self.as_markdown:
            print("| %s |" % " | ".join(c.strip() for c in cells),
                  flush=True)
        else:
            print(" ".join(cells), flush=True)

    def facts(self, row):
        """Any other result: key and value, one a line."""
        self.clear()
        self.rows.append(row)
        if self.as_json:
            print(json.dumps(row), flush=True)
            return
        self.table = None
        for key, value in row.items():
            if isinstance(value, float):
                value = "%.3f" % value
            print("%-24s %s" % (key, value), flush=True)
        print()
