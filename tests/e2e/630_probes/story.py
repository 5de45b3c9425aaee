# SPDX-License-Identifier: Apache-2.0
"""Static probes on the path of a call, and the bpftrace scripts for them."""
import os
import pathlib
import re
import shutil
import signal
import subprocess

from checks import equal
from fixture import Domain, Skip, wait_for
from machine import BUILD, SLOW

ROOT = pathlib.Path(__file__).resolve().parents[3]
STATIONS = {"libonewake.so.0": {"call", "lookup", "request_sent", "reply_sent",
                                "reply_taken", "request_taken",
                                "service_begin", "service_end"}}
# Each map of the latency script counts every call once; those without a
# service see the calls of other domains, too.
MAPS = ("prepare_us", "start_us", "finish_us", "back_us", "whole_us",
        "tperrno[0]")


def need_probes():
    with open(f"{BUILD}/CMakeCache.txt", encoding="utf-8") as f:
        if "OW_HAVE_SDT:INTERNAL=1" not in f.read():
            raise Skip("built without sys/sdt.h")


def test_the_libraries_have_all_probes():
    need_probes()
    for lib, want in STATIONS.items():
        r = subprocess.run(["readelf", "-n", f"{BUILD}/lib/{lib}"],
                           capture_output=True, text=True, check=True)
        found = re.findall(r"Provider: onewake\s+Name: (\w+)", r.stdout)
        equal(set(found), want, lib)


def test_the_scripts_use_existing_probes():
    need_probes()
    names = set().union(*STATIONS.values())
    used = set()
    for path in sorted((ROOT / "conf/bpftrace").glob("*.bt")):
        for lib, name in re.findall(r"^usdt:/usr/lib/(\S+):onewake:(\w+)",
                                    path.read_text(), re.M):
            libs = [so for so in STATIONS if name in STATIONS[so]]
            equal([lib.replace("*", "")], libs, name)
            used.add(name)
    equal(used, names, "probes in scripts")


def script(name, folder):
    """A copy of the script for the libraries of this build."""
    text = (ROOT / "conf/bpftrace" / name).read_text()
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text.replace("/usr/lib/libonewake", f"{BUILD}/lib/libonewake"))
    return path


def trace(d, name):
    """Start bpftrace with the script and wait until it is attached."""
    if shutil.which("bpftrace") is None or os.geteuid() != 0:
        raise Skip("needs bpftrace, and root")
    out = open(f"{d.home}/{name}.out", "wb")
    p = subprocess.Popen(["bpftrace", script(name, d.home)], stdout=out,
                         stderr=subprocess.STDOUT, cwd="/")
    d.helpers.append(p)
    wait_for(lambda: p.poll() is not None or is_attached(p, read(d, name)),
             "bpftrace", 20 * SLOW)
    if p.poll() is not None:
        raise Skip("bpftrace does not run here")
    return p


def is_attached(p, said):
    """Has it as many perf events as it announced? (One more per CPU; BEGIN
    and END need none.)"""
    wanted = re.search(rb"Attaching (\d+) probes", said)
    links = []
    for fd in os.listdir(f"/proc/{p.pid}/fd"):
        try:
            links.append(os.readlink(f"/proc/{p.pid}/fd/{fd}"))
        except OSError:
            pass
    have = links.count("anon_inode:[perf_event]")
    return wanted and have >= int(wanted[1]) - 2 + os.cpu_count()


def read(d, name):
    with open(f"{d.home}/{name}.out", "rb") as f:
        return f.read()


def histograms(text):
    """Entries per map of bpftrace's output."""
    counts, at = {}, None
    for line in text.splitlines():
        head = re.match(r"@(\S+):( \d+)? ?$", line)
        row = re.match(r"[\[(].*?[\])]\s+(\d+) \|", line)
        if head:
            at = head[1]
            counts[at] = int(head[2] or 0)
        elif row and at:
            counts[at] += int(row[1])
    return counts


def test_each_call_passes_all_probes():
    need_probes()
    with Domain() as d:
        svc = f"TRACED{d.prefix}"
        d.server(1, f"{svc}=ECHO")
        d.server(2, f"{svc}=ECHO")
        p = trace(d, "onewake-latency.bt")
        c = d.client()
        equal(c("calls", svc, 500, 2, 20).ok, 1000)
        p.send_signal(signal.SIGINT)
        p.wait(20)
        text = read(d, "onewake-latency.bt").decode(errors="replace")
        counts = histograms(text)
        equal([counts.get(f"{m}[{svc}]") for m in ("queue_us", "service_us")],
              [1000, 1000], text)
        equal([m for m in MAPS if counts.get(m, 0) < 1000], [], text)
