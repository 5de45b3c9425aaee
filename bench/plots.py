# SPDX-License-Identifier: Apache-2.0
"""plots.py - draw results as curves, in doc/plots/*.svg

gnuplot draws the rows of a run made now, or of a file that an earlier
`bench/run ... --json` wrote.
"""
import json
import os
import shutil
import subprocess

from domain import DomainFailed
from latency import bench_latency
from calls import bench_payload
from nodes import bench_nodes
from scale import bench_idle
from tree import SOURCE

FOLDER = os.path.join(SOURCE, "doc", "plots")
COLOURS = ("#1b6ca8", "#c8553d", "#4f8a3c", "#8a5aa8", "#b8860b", "#444444")
HEAD = """
set terminal svg size 760,420 font 'sans-serif,13' background '#ffffff'
set output '{file}'
set title '{title}' noenhanced
set xlabel '{x}'
set ylabel '{y}'
set grid lc rgb '#dddddd'
set key {key} noenhanced
set logscale x
{more}
plot {curves}
"""
NODES = (("join_ms", "work when a bridge joins, ms"),
         ("leave_ms", "work when a node leaves, ms"),
         ("memory_mb", "memory of a bridge, MB"),
         ("join_mb", "bytes that it hears when it joins, MB"))
QUANTILES = (("p50_us", "p50"), ("p99_us", "p99"), ("p999_us", "p99.9"))


def gnuplot(folder, name, title, x, y, curves, more="", key="below"):
    """Draw `curves`, label -> points, into folder/name.svg."""
    script, plots = [], []
    for i, (label, points) in enumerate(curves.items()):
        script.append("$d%d << EOD\n%s\nEOD\n" % (
            i, "\n".join("%g %g" % p for p in points)))
        plots.append("$d%d with linespoints lw 2 pt 7 ps 0.5 lc rgb '%s' "
                     "title '%s'" % (i, COLOURS[i % len(COLOURS)], label))
    path = os.path.join(folder, name + ".svg")
    script.append(HEAD.format(file=path, title=title, x=x, y=y, more=more,
                              key=key, curves=", ".join(plots)))
    done = subprocess.run(["gnuplot"], input="".join(script), text=True,
                          stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        raise DomainFailed("gnuplot: " + done.stderr[-400:].strip())
    return path


def gather(rows, bench, label, x, y):
    """Curves of the rows of one benchmark."""
    curves = {}
    for r in rows:
        if r.get("bench") == bench:
            curves.setdefault(label(r), []).append((r[x], r[y]))
    return {k: sorted(v) for k, v in curves.items()}


def draw_idle(rows):
    """Calls per second against how many do nothing."""
    curves = gather(rows, "idle", lambda r: "%s %s, idle %s" % (
        r["transport"], r["wake"], r["idle"]), "crowd", "calls_per_s")
    return "idle", dict(
        title="Calls per second next to idle servers, idle clients",
        x="idle processes or clients", y="calls/s", curves=curves,
        more="set yrange [0:*]\nset format y '%.0f'")


def draw_payload(rows):
    """What a byte costs."""
    def label(r):
        return "%s %s" % (r["transport"], r["wake"])
    curves = gather(rows, "payload", label, "payload", "us_per_call")
    curves["one memcpy()"] = sorted({
        (r["payload"], r["copy_us"]) for r in rows
        if r.get("bench") == "payload"})
    return "payload", dict(
        title="One call with its answer, by size of the payload",
        x="bytes", y="microseconds", curves=curves,
        more="set logscale y\nset format x '%.0s %cB'",
        key="top left")


def draw_latency(rows):
    """Quantiles against the load."""
    rows = [r for r in rows if r.get("bench") == "latency" and
            r.get("loop") == "open"]
    curves = {}
    for key, name in QUANTILES:
        curves.update(gather(rows, "latency", lambda r, n=name: "%s %s" % (
            r["transport"], n), "percent", key))
    return "latency", dict(
        title="Latency by load, open loop",
        x="per cent of the saturation rate", y="microseconds",
        curves=curves, more="unset logscale x\nset logscale y\n"
        "set xrange [0:100]")


def draw_nodes(rows):
    """What a bridge does, hears and keeps in clusters of 10,000 services each.
    """
    rows = [r for r in rows if r.get("services") == 10000]
    curves = {}
    for key, name in NODES:
        curves.update(gather(rows, "nodes", lambda _, n=name: n, "nodes",
                             key))
    return "nodes", dict(
        title="One bridge, by nodes with 10,000 services each", x="nodes",
        y="ms, MB", curves=curves, more="set logscale y")


CHARTS = (draw_idle, draw_payload, draw_latency, draw_nodes)


def read_rows(path):
    """Rows of a file of JSON lines; other lines are an error."""
    with open(path) as f:
        try:
            return [json.loads(line) for line in f if line.strip()]
        except ValueError as why:
            raise DomainFailed("%s: not a result of bench/run --json: %s" % (
                path, why)) from None


def bench_plots(m):
    """Results of some benchmarks drawn into doc/plots (needs gnuplot)."""
    if not shutil.which("gnuplot"):
        raise DomainFailed("plots are drawn by gnuplot: "
                           "apt-get install gnuplot-nox")
    if m.drawn_from:
        rows = read_rows(m.drawn_from)
    else:
        for bench in (bench_idle, bench_payload, bench_latency, bench_nodes):
            bench(m)
        rows = m.report.rows
    os.makedirs(m.drawn_to, exist_ok=True)
    charts = dict(draw(rows) for draw in CHARTS)
    drawn = {k: c for k, c in charts.items() if any(c["curves"].values())}
    for name, chart in drawn.items():
        print(gnuplot(m.drawn_to, name, **chart))
    if not drawn or not m.drawn_from and len(drawn) < len(charts):
        m.report.fail("plots: no results to draw of: %s" % ", ".join(
            k for k in charts if k not in drawn))
