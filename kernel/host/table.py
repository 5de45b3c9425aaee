# SPDX-License-Identifier: GPL-2.0-only
"""table.py - the results as one table, or as JSON."""
import json

HEAD = ("kernel", "run", "calls/s", "switches", "servers used",
        "largest share")
KEYS = ("calls_per_s", "ctx_switches_per_call", "servers_used",
        "largest_share")
FORMS = ("{:,.0f}", "{:.2f}", "{:d}", "{:.2f}")


def call_rows(results):
    """Every run that has calls per second."""
    for variant, steps in results.rows.items():
        for name in steps:
            if not name.startswith(("bare ", "bank ")):
                continue
            cells = [results.figure(variant, name, k) for k in KEYS]
            if cells[0] is None:
                continue
            yield [variant, name] + ["-" if v is None else f.format(v)
                                     for f, v in zip(FORMS, cells)]


def other_rows(results, prefix):
    """Objects of the steps that begin so, each with its kernel."""
    for variant, steps in results.rows.items():
        for name in steps:
            if name.startswith(prefix):
                for row in results.objects(variant, name):
                    yield {"kernel": variant, **row}


def markdown(head, rows):
    """A table with columns as wide as their texts."""
    rows = [list(head)] + [[str(c) for c in r] for r in rows]
    widths = [max(len(r[i]) for r in rows) for i in range(len(head))]
    lines = ["| " + " | ".join(c.ljust(w) for c, w in zip(r, widths)) + " |"
             for r in rows]
    lines.insert(1, "|" + "|".join("-" * (w + 2) for w in widths) + "|")
    return "\n".join(lines)


def objects_table(rows):
    """Objects as rows, plain members as columns."""
    rows = [{k: v for k, v in r.items() if not isinstance(v, (dict, list))}
            for r in rows]
    keys = list(dict.fromkeys(k for r in rows for k in r))
    cells = [["%.4g" % v if isinstance(v, float) else v if v is not None
              else "-" for v in (r.get(k) for k in keys)] for r in rows]
    return markdown(keys, cells)


def show(results, claims, machine):
    """Print all results as tables."""
    print(machine)
    print()
    print(markdown(HEAD, call_rows(results)))
    for prefix in ("wake ", "depth"):
        rows = list(other_rows(results, prefix))
        if rows:
            print()
            print(objects_table(rows))
    print()
    for text, held, figure in claims.all:
        print("%s  %s: %s" % ("ok  " if held else "FAIL", text, figure))


def as_json(results, claims, machine):
    """All results as one JSON object."""
    return json.dumps({
        "machine": machine,
        "runs": {v: {n: results.objects(v, n) for n in steps
                     if n not in ("hello", "end")}
                 for v, steps in results.rows.items()},
        "claims": [{"claim": t, "held": h, "figure": f}
                   for t, h, f in claims.all],
    }, indent=1)
