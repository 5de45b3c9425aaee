# SPDX-License-Identifier: GPL-2.0-only
"""results.py - what the guests said, by variant and step."""
import json
import re


class Results:
    """Answers questions about finished guests; None where nothing is."""

    def __init__(self, style=None):
        self.rows = {}            # variant: {step: line of the agent}
        self.complaints = {}      # variant: lines of the console
        self.style = style or {}  # patch: what checkpatch.pl says of it

    def add(self, variant, rows, complaints):
        """A guest that has come to its end."""
        self.rows[variant] = rows
        self.complaints[variant] = complaints

    def order(self, variants):
        """Show the variants in this order."""
        self.rows = {v: self.rows[v] for v in variants if v in self.rows}

    def step(self, variant, name):
        """The agent's line about a step."""
        return self.rows.get(variant, {}).get(name)

    def steps(self, variant, prefix):
        """The agent's lines about steps whose names begin with prefix."""
        return [r for n, r in self.rows.get(variant, {}).items()
                if n.startswith(prefix)]

    def objects(self, variant, name):
        """The JSON objects that a step printed, one per line."""
        row = self.step(variant, name)
        found = []
        for line in (row["out"].splitlines() if row else ()):
            try:
                found.append(json.loads(line))
            except ValueError:
                continue
        return found

    def figure(self, variant, name, key):
        """One figure of a step that prints one object; of repeated runs the
        fastest, because other processes can only slow a run down."""
        row = self.step(variant, name)
        objects = self.objects(variant, name)
        if row is None or row["status"] != 0 or not objects:
            return None
        return max(objects, key=lambda o: o.get("calls_per_s", 0)).get(key)

    def failed_tests(self, variant, name):
        """Tests that a selftest reports as failed; None: it did not end."""
        row = self.step(variant, name)
        if row is None or row["status"] == "timeout":
            return None
        failed = re.findall(r"^not ok \d+ ?-? ?(.*)$", row["out"], re.M)
        if row["status"] not in (0, 4) and not failed:
            failed = ["status %s" % row["status"]]
        return failed
