# SPDX-License-Identifier: Apache-2.0
"""The example of a cluster, and ./demo --cluster, run as they are described."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from checks import at_least, contains, equal, lacks
from cluster import free_port
from fixture import Skip, wait_for
from machine import BUILD, SLOW, TRANSPORT, pids_of, queues, segments

COST = 12
MAINLY = "shm"
HEAVY = True
CALLS = 16000  # of each part of the demo: seconds, so that one has a middle
ROOT = pathlib.Path(__file__).resolve().parents[3]
EXAMPLE = ROOT / "examples/cluster"


def _need():
    if not os.path.exists(os.path.join(BUILD, "bin/ndrxbridge")):
        raise Skip("ndrxbridge is not built: libnats is not here")
    if not shutil.which("nats-server", path=os.environ["PATH"] + ":/usr/sbin"):
        raise Skip("no nats-server here")


class Example:
    """examples/cluster/cluster with names of its own."""

    def __init__(self):
        _need()
        self.prefix = "x" + os.urandom(4).hex()
        self.folder = tempfile.mkdtemp(prefix="ow_example_")
        self.env = {k: v for k, v in os.environ.items()
                    if not k.startswith("NDRX_")}
        self.env.update(
            PATH=f"{os.path.abspath(BUILD)}/bin:{os.environ['PATH']}",
            CLUSTER_HOME=f"{self.folder}/c", CLUSTER_PREFIX=self.prefix,
            CLUSTER_PORT=str(free_port()), CLUSTER_SERVERS="2",
            NDRX_TRANSPORT=TRANSPORT)

    def __enter__(self):
        self("up")
        return self

    def __exit__(self, *what):
        self("down")
        left = [x for n in "123" for f in (pids_of, queues, segments)
                for x in f(self.prefix + n)]
        shutil.rmtree(self.folder)
        if what[0] is None:
            equal(left, [], "left behind")

    def __call__(self, *words, ok=True):
        r = subprocess.run([EXAMPLE / "cluster", *words], env=self.env,
                           capture_output=True, text=True, check=False,
                           stdin=subprocess.DEVNULL, timeout=90 * SLOW)
        if ok:
            equal(r.returncode, 0, f"{words}: {r.stdout}{r.stderr}")
        return r

    def who(self):
        """Calls served, by node; "none": it has no server."""
        return dict(re.findall(r"node (\d) +(\w+)", self("who").stdout))


def _called(r, calls):
    contains(r.stdout, f"{calls} calls, ")
    contains(r.stdout, " 0 wrong")


def _offers(c, program):
    out = c("xadmin", "1", "psc", "--csv").stdout
    return any(f",{program}," in line and "BALANCE" in line
               for line in out.splitlines())


def test_the_nodes_of_the_example_serve_each_others_calls():
    with Example() as c:
        _called(c("call", "1", "1000"), 1000)
        equal(c.who(), {"1": "1000", "2": "0", "3": "0"}, "local first")
        c("xadmin", "1", "stop", "-s", "banksv", "-y")
        wait_for(lambda: _offers(c, "ndrxbridge"), "of others")
        _called(c("call", "1", "1000"), 1000)
        who = c.who()
        equal(who["1"], "none")
        equal(int(who["2"]) + int(who["3"]), 1000, who)
        at_least(min(int(who["2"]), int(who["3"])), 100, "of 1000 calls")
        c("kill", "2")
        wait_for(lambda: "900,true," not in c(
            "xadmin", "1", "pnet", "--csv").stdout.split(",2,")[1][:10],
            "node 2 is down", 30)
        before = int(c.who()["3"])
        _called(c("call", "1", "1000"), 1000)
        equal(int(c.who()["3"]) - before, 1000, "all at node 3")
        c("start", "2")
        wait_for(lambda: c("call", "1", "100").returncode == 0 and
                 int(c.who()["2"]) > 0, "node 2 serves again", 30)


def test_the_example_says_how_it_is_used():
    _need()
    r = subprocess.run([EXAMPLE / "cluster"], capture_output=True, text=True,
                       check=False)
    equal(r.returncode, 2)
    with open(EXAMPLE / "README.md", encoding="utf-8") as f:
        told = set(re.findall(r"^examples/cluster/cluster (\w+)", f.read(),
                              re.M))
    for word in told:
        contains(r.stdout, word)


def test_containers_have_the_variables_that_the_configuration_wants():
    text = {n: (EXAMPLE / n).read_text(encoding="utf-8")
            for n in ("ndrxconfig.xml", "compose.yaml", "Containerfile",
                      "cluster")}
    wanted = set(re.findall(r"\$\{(BANK_\w+)\}", text["ndrxconfig.xml"]))
    at_least(len(wanted), 3, "variables")
    for name in wanted:
        contains(text["compose.yaml"], f" {name}: ")
        contains(text["cluster"], f"{name}=")
    for path in re.findall(r"^COPY (?!--)(\S+)", text["Containerfile"], re.M):
        equal((ROOT / path).exists(), True, path)
    for path in re.findall(r"dockerfile: (\S+)", text["compose.yaml"]):
        equal((ROOT / path).exists(), True, path)


def test_the_programs_of_the_container_are_built_as_it_says():
    text = (EXAMPLE / "Containerfile").read_text(encoding="utf-8")
    run = re.search(r"^RUN (mkfldhdr(?:.*\\\n)*.*)", text, re.M).group(1)
    flags = f"-I{ROOT}/include -L{os.path.abspath(BUILD)}/lib"
    libs = {"server": "-latmisrv -latmi -lubf", "client": "-latmi -lubf"}
    for kind, words in libs.items():
        run = re.sub(r"\$\(pkg-config [^)]*onewake-" + kind + r"\)",
                     f"{flags} {words}", run)
    lacks(run, "pkg-config")
    if os.environ.get("OW_SANITIZE"):
        raise Skip("a sanitized build: its libraries want its flags")
    with tempfile.TemporaryDirectory(prefix="ow_bank_") as folder:
        shutil.copytree(ROOT / "examples/bank", folder, dirs_exist_ok=True)
        env = {**os.environ,
               "PATH": f"{os.path.abspath(BUILD)}/bin:{os.environ['PATH']}"}
        r = subprocess.run(["sh", "-c", run], cwd=folder, env=env, text=True,
                           capture_output=True, check=False)
        equal(r.returncode, 0, r.stdout + r.stderr)
        equal({"banksv", "bankcl"} <= set(os.listdir(folder)), True)


def test_the_demo_kills_a_node_and_shows_who_served():
    _need()
    r = subprocess.run(
        [sys.executable, "-B", ROOT / "bench/demo.py", "--cluster",
         "--transport", TRANSPORT, "--calls", str(CALLS), "--servers", "2"],
        env={**os.environ, "ONEWAKE_BUILD": os.path.abspath(BUILD)},
        capture_output=True, text=True, check=False,
        stdin=subprocess.DEVNULL, timeout=120 * SLOW)
    equal(r.returncode, 0, r.stdout + r.stderr)
    rows = [int(n.replace(",", "")) for n in re.findall(
        r"node \d +[#.]+ +([\d,]+) calls", r.stdout)]
    equal(len(rows), 12, r.stdout)
    equal(rows[0:3], [CALLS, 0, 0], "local first")
    equal(sum(rows[3:6]), CALLS, "remote")
    at_least(min(rows[4:6]), CALLS // 10, "shared")
    at_least(rows[8], rows[7], "node 3 took over")
    equal(sum(rows[9:12]), CALLS, "back")
    at_least(min(rows[10:12]), CALLS // 10, "shared again")
    contains(r.stdout, "Nothing is left behind")
