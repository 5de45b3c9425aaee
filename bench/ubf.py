# SPDX-License-Identifier: Apache-2.0
"""ubf.py - the benchmark of typed buffers, without a domain"""
import json
import os
import subprocess


def bench_ubf(m):
    """Operations on UBF buffers, in nanoseconds."""
    out = subprocess.run([os.path.join(m.bin, "ubf_bench")], text=True,
                         stdout=subprocess.PIPE, check=True).stdout
    rows = [json.loads(line) for line in out.splitlines()
            if line.startswith("{")]
    if m.report.as_json or not rows:
        print(out, end="")
        return
    print("%-34s %10s %10s" % ("ubf operation", "ns", "target"))
    for row in rows:
        target = row.get("target_ns", row.get("target"))
        print("%-34s %10.1f %10s" % (
            row["op"], row["ns"], target or "-"))
    print()
