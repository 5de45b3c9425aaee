# SPDX-License-Identifier: Apache-2.0
"""The benchmarks run, clean up, and measure what they claim to measure."""
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from checks import at_least, at_most, between, contains, equal
from machine import BUILD, SLOW, Skip, kill, wait_for

COST = 79
HEAVY = True
QUEUE_KB = 720
MEASURES = True
TRANSPORT = "posix"  # run once: each fact names its transports
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..")
RUN = os.path.join(ROOT, "bench", "run")
PATTERNS = ["constant", "rising", "falling", "random"]

sys.path.insert(0, os.path.join(ROOT, "bench"))

import tree  # noqa: E402
from domain import Domain  # noqa: E402


def _run(*words):
    """bench/run with this build: status, output, errors."""
    done = subprocess.run(
        [sys.executable, "-B", RUN, *map(str, words)], text=True,
        env={**os.environ, "ONEWAKE_BUILD": BUILD}, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=55 * SLOW,
        check=False)
    return done.returncode, done.stdout, done.stderr


def _only_at_full_speed():
    """The number of wake-ups depends on the time that a wake-up takes."""
    if os.environ.get("OW_SANITIZE"):
        raise Skip("a sanitizer changes what is measured")


def _rows(*words):
    """The rows of a benchmark that must succeed. A hundred services on posix
    want most of this user's bytes for queues, of which other stories have some
    for a while: that is waited for."""
    def done():
        status, out, err = _run(*words, "--json", "--rounds", 1)
        if "limits on POSIX queues are used up" in err:
            return None
        equal(status, 0, err[-1500:])
        return out
    out = wait_for(done, "room for queues", 60)
    return [json.loads(line) for line in out.splitlines()]


def test_a_fresh_tree_builds_each_program_that_a_benchmark_starts():
    """bench/run and ./demo build no more than bench/tree.py lists."""
    started = set()
    for path in glob.glob(os.path.join(ROOT, "bench", "*.py")):
        with open(path, encoding="utf-8") as f:
            started.update(re.findall(
                r'(?:\.command\(|\.run\(|m\.bin, )"([a-z_]+)"', f.read()))
    at_least(len(started), 15, "programs")
    equal(started - {*tree.PROGRAMS, *tree.OPTIONAL}, set())
    built = os.listdir(os.path.join(BUILD, "bin"))
    equal({*tree.PROGRAMS} - {*built}, set())


def test_a_variable_of_an_experiment_reaches_the_domains():
    """What stands in the environment does not."""
    words = ("bank", "--transport", "shm", "--calls", 10)
    status, _, err = _run(*words, "--set", "NDRX_SCHED=fifo")
    equal(status, 1)
    contains(err, 'NDRX_SCHED="fifo": give batch or normal')


def test_each_message_of_a_conversation_arrives():
    rows = _rows("conversation", "--calls", 20000, "--threads", 4)
    equal([r["transport"] for r in rows], ["posix", "shm"])
    for r in rows:
        equal(r.get("failed", 0), 0)
        at_least(r["ratio"], 0.1, "of one-way calls")


def test_other_languages_are_measured_beside_c():
    _only_at_full_speed()
    rows = _rows("bindings", "--calls", 1000, "--servers", 2, "--transport",
                 "shm")
    equal([r["of_c"] for r in rows if r["language"] == "C"], [1.0] * 3)
    others = {r["language"] for r in rows} - {"C"}
    if not others:
        raise Skip("no other language is built here")
    for r in rows:
        equal(r.get("failed", 0), 0)
        at_least(r.get("calls_per_s") or 1000 / r["us"], 1, r)
    equal({r["what"] for r in rows if r["language"] == "Python"} -
          {r["what"] for r in rows if r["language"] == "C"},
          {"bank, 1000 tasks", "20 fields into a buffer",
           "20 fields of a buffer"})


def test_herd_wakes_all_waiters_and_exclusive_one():
    _only_at_full_speed()
    rows = {(r["kind"], r["wake"]): r for r in _rows(
        "wake", "--servers", 20, "--calls", 2000, "--transport", "posix",
        "shm")}
    equal(len(rows), 11, "kinds of waiting")
    equal(rows["shm", "hot"]["taken"], 2000, "events taken")
    equal(rows["shm", "even"]["waiters_used"], 20, "had their turn")
    for kind in ("pipe", "mqueue", "posix"):
        herd, one = rows[kind, "herd"], rows[kind, "exclusive"]
        equal(herd["taken"], 2000, "events taken")
        at_least(herd["switches_per_event"], 2 * one["switches_per_event"],
                 f"{kind}: {herd} {one}")
        at_most(one["switches_per_event"], 8, one)
    for kind in ("pipe", "mqueue"):
        even = rows[kind, "balanced"]
        equal(even["waiters_used"], 20, "waiters that had their turn")
        at_least(even["least"], 5, even)


def test_servers_at_rest_are_counted_by_their_wake_ups():
    rows = _rows("rest", "--servers", 10, "--transport", "shm")
    equal([(r["transport"], r["resting"]) for r in rows], [("shm", 10)])
    # Each polls once a second and answers pings.
    between(rows[0]["wakes_per_s"], 0.5, 2, rows[0])
    between(rows[0]["most_per_s"], rows[0]["wakes_per_s"], 20, rows[0])


def test_events_are_posted_to_as_many_as_subscribed():
    rows = _rows("events", "--calls", 200)
    for transport in ("posix", "shm"):
        mine = {(r["subscribers"], r["others"]): r for r in rows
                if r["transport"] == transport}
        equal(sorted(mine), [(0, 0), (0, 200), (1, 0), (1, 200), (10, 0),
                             (100, 0)])


def test_all_services_of_a_simulated_cluster_are_known():
    program = os.path.join(BUILD, "bin", "nodesim")
    if not os.path.exists(program):
        raise Skip("nodesim is not built: libnats is not here")
    done = subprocess.run([program, "-n", "20", "-s", "500", "-o", "3"],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True, timeout=50 * SLOW, check=True)
    r = json.loads(done.stdout)
    equal((r["known"], r["known_then"], r["known_again"]),
          (19 * 500, 18 * 500, 19 * 500), r)
    at_most(r["minute"]["messages"], 19 * 70, "beats, and offers once")


def test_durable_queues_are_measured_next_to_bare_commits():
    rows = _rows("queues", "--calls", 200, "--threads", 10)
    equal([(r["transport"], r["clients"]) for r in rows],
          [("posix", 10), ("shm", 10)])
    for r in rows:
        at_least(min(r["put_ratio"], r["get_ratio"]), 0.01, r)


def test_a_long_durable_queue_is_measured_at_each_depth():
    rows = _rows("backlog", "--calls", 500, "--transport", "shm")
    equal([r["depth"] for r in rows], [0, 100, 200, 300, 400, 500])
    for r in rows:
        at_least(min(r["put_per_s"], r["get_per_s"], r["rss_mb"],
                     r["start_s"]), 0.01, r)


def test_a_soak_test_of_two_queues_loses_nothing_and_brings_nothing_twice():
    rows = _rows("soak", "--calls", 2000)
    equal([r["transport"] for r in rows], ["posix", "shm"])
    for r in rows:
        equal([r[k] for k in ("messages", "lost", "twice", "never_sent",
                              "split")], [2000, 0, 0, 0, 0])
        at_least(r["kills"], 1)


def test_depth_reports_the_depth_it_reached():
    rows = _rows("depth", "--calls", 200, "--transport", "posix", "shm")
    for kind in ("mqueue", "posix", "shm"):
        mine = [r for r in rows if r["kind"] == kind]
        equal([r["priorities"] for r in mine], PATTERNS)
        for r in mine:
            between(r["depth"], 1, r["wanted_depth"], r)
            at_least(min(r["send_full_ns"], r["recv_full_ns"]), 0.001, r)


def test_bare_queues_reply_to_each_call_in_each_mode():
    for mode in ("excl", "bell", "block", "shm"):
        done = subprocess.run(
            [os.path.join(BUILD, "bin", "baseline"), mode, "5", "3", "3000"],
            stdout=subprocess.PIPE, text=True, timeout=50 * SLOW,
            check=True)
        row = json.loads(done.stdout)
        equal((row["mode"], row["calls"]), (mode, 3000))


def test_services_that_work_are_measured_beside_bare_queues():
    rows = _rows("work", "--servers", 8, "--threads", 5, "--seconds", 0.2)
    equal({(r["work"], r["by"]) for r in rows},
          {(load, by) for load in ("burn100", "sleep1000", "net", "mixed")
           for by in ("bare block", "bare bell", "bare shm", "posix", "shm")})
    least = {"burn100": 100, "sleep1000": 1000, "net": 200, "mixed": 10}
    for r in rows:
        at_least(r["p50_us"], least[r["work"]] * 0.97, r)  # 3 %: of a slot
        at_least(r["p99_us"], r["to_p50_us"] + r["back_p50_us"], r)
        equal("ratio" in r, not r["by"].startswith("bare"), r)


def _hold_up(pid, after, seconds):
    """Stop a process after some time for some time."""
    def act():
        time.sleep(after)
        kill(pid, signal.SIGSTOP)
        time.sleep(seconds)
        os.kill(pid, signal.SIGCONT)
    thread = threading.Thread(target=act)
    thread.start()
    return thread


def _late_by(transport):
    """A server is stopped for half a second of 1.5. Returns the results at
    saturation, and at a tenth of that rate with the stop."""
    with Domain(os.path.join(os.path.abspath(BUILD), "bin"), "echosv", 1,
                env={"NDRX_TRANSPORT": transport}) as dom:
        dom.start()
        server = dom.servers()[0]["pid"]
        with subprocess.Popen(
                dom.command("pace", "-s", "ECHO", "-t", 2, "-w", 1, "-d",
                            1.5, "-p", 10), env=dom.env, text=True,
                stdout=subprocess.PIPE) as pace:
            full = json.loads(pace.stdout.readline())
            stopper = _hold_up(server, 0.5, 0.5)
            row = json.loads(pace.stdout.readline())
            stopper.join()
            equal(pace.wait(30 * SLOW), 0, "status")
        dom.stop()
        equal(dom.leftovers(), [], "left behind")
    return full, row


def test_calls_due_while_a_server_was_stopped_count_as_late():
    """Two calls are under way when the server stops, but a third of all calls
    were due while it was stopped."""
    for transport in ("posix", "shm"):
        full, row = _late_by(transport)
        equal((full["percent"], row["percent"]), (0, 10))
        at_least(row["calls"], 20, row)
        equal(row["failed"], 0, "failed calls")
        at_least(row["p99_us"], 200000, row)
        at_most(row["max_us"], 5e6 * SLOW, row)
        at_most(full["p50_us"], 100000 * SLOW, full)


def test_idle_reports_the_number_of_idle_processes():
    rows = _rows("idle", "--servers", 2, 5, "--calls", 500, "--threads", 2,
                 "--transport", "shm")
    equal([(r["idle"], r["wanted"]) for r in rows],
          [("servers", 2), ("servers", 5), ("clients", 2), ("clients", 5)])
    equal([r["crowd"] for r in rows], [2, 5, 2, 5], "how many were there")


def test_stops_hit_every_kind_of_process_and_break_no_call():
    """How long calls took is not judged here: the machine may be busy."""
    status, out, err = _run("stops", "--json", "--calls", 16, "--transport",
                            "posix", "shm")
    rows = [json.loads(line) for line in out.splitlines()]
    equal(len(rows), 2, err[-600:])
    for r in rows:
        equal(sum(r[k] for k in ("ndrxd", "server", "caller", "joiner")), 16)
        at_least(min(r["ndrxd"], r["server"], r["caller"]), 1, r)
        equal((r["failed"], r["restarted"], r["left_behind"]), (0, 0, 0), r)
        at_least(min(r["calls"], r["joins"]), 50, r)
        between(r["untouched"], r["calls"] - 100, r["calls"], r)
    equal(status == 0, sum(r["violations"] for r in rows) == 0, err)


def test_a_busy_server_on_shm_receives_without_the_kernel():
    _only_at_full_speed()
    if not shutil.which("perf") and not shutil.which("strace"):
        raise Skip("neither perf nor strace is installed")
    rows = _rows("harvest", "--servers", 1, "--calls", 4000, "--transport",
                 "posix", "shm")
    by = {(r["wake"], r["kind"]): r["syscalls_per_call"] for r in rows}
    equal(sorted(by), sorted((w, k) for w in ("bell", "exclusive", "hot")
                             for k in ("calls", "posts")))
    for wake in ("bell", "exclusive"):
        between(by[wake, "calls"], 1.5, 12, by)
    between(by["bell", "posts"], 1, 12, by)  # in runs: a receive each
    between(by["exclusive", "posts"], 1.5, 12, by)
    at_most(by["hot", "posts"], 1, by)
    at_most(by["hot", "calls"], by["exclusive", "calls"], by)


def test_the_simulator_computes_the_same_each_time():
    rows = _rows("sim", "--calls", 2000)
    equal({r["cpus"] for r in rows}, {2, 16, 128})
    equal(_rows("sim", "--calls", 2000), rows)


def test_curves_are_drawn_from_saved_results():
    if not shutil.which("gnuplot"):
        raise Skip("gnuplot is not installed")
    saved = [
        {"bench": "idle", "transport": "posix", "wake": "bell",
         "idle": "servers", "crowd": n, "calls_per_s": 1000} for n in (1, 9)
    ] + [
        {"bench": "payload", "transport": "posix", "wake": "bell",
         "payload": n, "us_per_call": 5, "copy_us": 1} for n in (200, 999)
    ] + [
        {"bench": "latency", "transport": "posix", "wake": "bell",
         "loop": "open", "percent": n, "p50_us": 5, "p99_us": 6,
         "p999_us": 7} for n in (10, 50)
    ] + [
        {"bench": "nodes", "nodes": n, "services": 10000, "join_ms": 1,
         "leave_ms": 2, "memory_mb": 3, "join_mb": 4} for n in (2, 9)]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows.json")
        with open(path, "w", encoding="utf-8") as f:
            f.write("\n".join(map(json.dumps, saved)))
        status, _, err = _run("plots", "--from", path, "--to", folder)
        equal(status, 0, err)
        for name in ("idle", "payload", "latency", "nodes"):
            with open(os.path.join(folder, name + ".svg"),
                      encoding="utf-8") as f:
                contains(f.read(), "<svg", name)
        with open(path, "w", encoding="utf-8") as f:
            f.write('{"bench": "bank"}\n')
        status, _, err = _run("plots", "--from", path, "--to", folder)
        equal(status, 1)
        contains(err, "no results to draw of: idle, payload, latency, nodes")
        with open(path, "w", encoding="utf-8") as f:
            f.write("{no json\n")
        status, _, err = _run("plots", "--from", path, "--to", folder)
        equal(status, 1)
        contains(err, "not a result of bench/run")
