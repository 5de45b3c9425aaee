# SPDX-License-Identifier: Apache-2.0
"""demo.py - the body of ./demo, which checks for Python first"""
import argparse
import os
import platform
import resource
import subprocess
import sys
import time

sys.dont_write_bytecode = True

from calling import call  # noqa: E402
from demo_cluster import show_cluster  # noqa: E402
from domain import Domain, DomainFailed, exit_on_signals  # noqa: E402
from report import median  # noqa: E402
from screen import BAR, Screen, number, short_time  # noqa: E402
from transfer_demo import show_transfers  # noqa: E402
from tree import build_or_exit  # noqa: E402

HERD_CALLS = 10000


def describe_machine(screen):
    """CPUs, kernel, and the limits that matter to message queues."""
    def sysctl(name):
        try:
            with open("/proc/sys/fs/mqueue/" + name) as f:
                return f.read().strip()
        except OSError:
            return "?"
    user = "root" if os.getuid() == 0 else "ordinary user"
    limit = resource.getrlimit(resource.RLIMIT_MSGQUEUE)[0]
    screen.line("machine", "%d CPUs, Linux %s, %s" % (
        len(os.sched_getaffinity(0)), platform.release()[:30], user))
    screen.line("queue limits", "%s queues, %s messages, %s bytes in all" % (
        sysctl("queues_max"), sysctl("msg_max"),
        "unlimited" if limit < 0 else number(limit)))


def class_name(low, high):
    """A range of calls: 10 - 99, 1K - 10K, 1M - 10M."""
    if high < 1000:
        return "0" if high == 0 else "%d - %d" % (low, high)
    if high < 10 ** 6:
        return "%dK - %s" % (low // 1000, "1M" if high == 999999 else
                             "%dK" % ((high + 1) // 1000))
    return "%dM - %dM" % (low // 10 ** 6, (high + 1) // 10 ** 6)


def show_spread(screen, spread):
    """How the calls fell on the servers: a histogram by powers of ten."""
    screen.line("calls per server", "least %s, median %s, most %s" % (
        number(min(spread)), number(median(spread)), number(max(spread))))
    classes = [(0, 0)]
    while classes[-1][1] < max(spread):
        low = max(1, classes[-1][1] + 1)
        classes.append((low, low * 10 - 1))
    for low, high in classes:
        count = sum(low <= n <= high for n in spread)
        text = class_name(low, high)
        bar = "#" * (count * BAR // len(spread) or (1 if count else 0))
        screen.line("  " + text, "%4d servers %s" % (count, bar))


def show_result(screen, result):
    """The figures of the run."""
    if result["failed"] or result["wrong"]:
        raise DomainFailed("%s calls failed %s, %s answers were wrong" % (
            number(result["failed"]), result["errors"] or "",
            number(result["wrong"])))
    screen.line("calls", "%s in %.1f s, every answer checked" % (
        number(result["calls"]), result["seconds"]))
    screen.line("calls per second", number(result["calls_per_s"]))
    screen.line("latency", "half within %s, 99 %% within %s" % (
        short_time(result["p50_us"]), short_time(result["p99_us"])))
    screen.line("context switches",
                "%.1f per call, clients and servers together" %
                result["ctx_switches_per_call"])
    show_spread(screen, result["spread"])


def memory_kb(dom):
    """Median memory of an idle server; shared pages divided."""
    figures = []
    for row in dom.servers():
        with open("/proc/%d/smaps_rollup" % row["pid"]) as f:
            figures += [int(line.split()[1]) for line in f
                        if line.startswith("Pss:")]
    return median(figures)


def start(screen, dom):
    screen.doing("starting %d servers" % dom.count)
    took = dom.start()
    screen.line("start", "%d servers ready in %.2f s, %s KB of memory each" %
                (dom.count, took, number(memory_kb(dom))))


def stop(screen, dom):
    screen.doing("stopping")
    took = dom.stop()
    screen.line("stop", "%d servers in %.2f s" % (dom.count, took))
    left = dom.leftovers()
    if left:
        raise DomainFailed("left behind: " + ", ".join(left[:10]))


def run_herd(screen, m, result):
    """The same servers, all woken for each message."""
    screen.title("The same, with every idle server woken for each call "
                 "(NDRX_WAKE=herd)")
    with Domain(m.bin, "banksv", m.servers,
                env={"NDRX_WAKE": "herd"}) as dom:
        start(screen, dom)
        screen.doing("calling")
        herd = call(screen, dom, min(HERD_CALLS, m.calls), m.threads,
                    dom.count, show=False)
        screen.line("calls per second", "%s, %.0f context switches per call" %
                    (number(herd["calls_per_s"]),
                     herd["ctx_switches_per_call"]))
        stop(screen, dom)
    ratio = result["calls_per_s"] / herd["calls_per_s"]
    screen.title("One message wakes one server: %.*f times the calls." %
                 (0 if ratio >= 10 else 1, ratio))


def explain_kept(screen, dom):
    """How to talk to the domain that stays; its environment as a file."""
    path = os.path.join(dom.home, "env")
    with open(path, "w") as f:
        for name, value in dom.settings.items():
            if name == "PATH":
                value = dom.bin + ":$PATH"
            f.write('export %s="%s"\n' % (name, value))
    screen.title("The domain stays. To talk to it:\n")
    for line in (". " + path,
                 "xadmin psc              # services, servers, calls",
                 "bankcl 100000 10        # calls, threads",
                 "xadmin stop -y          # the end",
                 "rm -r " + dom.home):
        print("  " + line)


def show(screen, m, dom):
    """Everything, on a domain that the caller removes."""
    screen.title("%d servers, one service, %d threads that call it" % (
        m.servers, m.threads))
    start(screen, dom)
    screen.doing("calling")
    result = call(screen, dom, m.calls, m.threads, dom.count)
    show_result(screen, result)
    if not m.keep:
        stop(screen, dom)
    run_herd(screen, m, result)
    if m.keep:
        explain_kept(screen, dom)
    else:
        print("Nothing is left behind: no process, no queue, no shared "
              "memory.")


def parse():
    p = argparse.ArgumentParser(prog="./demo", add_help=False,
                                usage="./demo --help tells the options")
    p.add_argument("--servers", type=int)
    p.add_argument("--threads", type=int, default=10)
    p.add_argument("--calls", type=int)
    p.add_argument("--keep", action="store_true")
    p.add_argument("--cluster", action="store_true")
    p.add_argument("--transport", choices=("posix", "shm"))
    p.add_argument("--transfer", action="store_true")
    p.add_argument("--http", action="store_true")
    p.add_argument("--transfers", type=int, default=300)
    m = p.parse_args()
    m.servers = m.servers or (4 if m.cluster else 250)
    m.calls = m.calls or (40000 if m.cluster else 1000000)
    if m.cluster and m.keep:
        p.error("--cluster keeps nothing; see examples/cluster")
    if m.transport and not m.cluster:
        p.error("--transport: with --cluster only")
    for name, top in (("servers", 60000), ("threads", 1000),
                      ("calls", 10 ** 9), ("transfers", 10 ** 6)):
        if not 1 <= getattr(m, name) <= top:
            p.error("--%s: 1 to %d" % (name, top))
    return m


def main():
    m = parse()
    screen = Screen()
    exit_on_signals()
    dom = None
    try:
        print("Onewake: one message wakes one server")
        describe_machine(screen)
        begun = time.monotonic()
        screen.doing("building")
        m.bin = build_or_exit()
        screen.line("build", "release, %.1f s" % (time.monotonic() - begun))
        if m.cluster:
            show_cluster(screen, m)
            return 0
        if m.http:
            return subprocess.run([sys.executable, "-B", os.path.join(
                os.path.dirname(os.path.abspath(__file__)), "http_dead.py"),
                os.path.dirname(os.path.abspath(m.bin)), "--svg", "http_dead.svg"],
                check=False).returncode
        if m.transfer:
            show_transfers(screen, m)
            return 0
        dom = Domain(m.bin, "banksv", m.servers)
        show(screen, m, dom)
        if m.keep:
            dom = None
        return 0
    except (DomainFailed, subprocess.SubprocessError, OSError) as why:
        screen.clear()
        print("demo: %s" % why, file=sys.stderr)
        if dom is not None:
            print(dom.log_tail(), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        screen.clear()
        print("\nInterrupted; removing the domain.")
        return 130
    finally:
        if dom is not None:
            dom.close()
            for what in dom.leftovers():
                print("left behind: " + what, file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
