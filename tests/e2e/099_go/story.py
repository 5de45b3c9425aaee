# SPDX-License-Identifier: Apache-2.0
"""Go calls and serves: what `go test` finds, in a domain with servers in C.

Without a toolchain for Go (1.19 or newer, with cgo) the story is skipped.
"""
import functools
import json
import os
import re
import shutil
import signal
import subprocess

from checks import at_least, at_most, contains, ended, equal
from fixture import BUILD, Domain, Skip, kill, wait_for
from machine import LONG, SLOW
from trans import Trans

COST = 36
MAINLY = "shm"

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..")
SOURCE = os.path.join(ROOT, "bindings/go")
# The long form is the same with Go's detector of races.
RACE = ("-race",) if LONG else ()


@functools.lru_cache
def _go():
    """The environment in which go builds against this tree; Skip without go."""
    if os.environ.get("OW_SANITIZE"):
        raise Skip("programs in Go are not sanitized")
    go = shutil.which("go") or "/usr/local/go/bin/go"
    if not os.path.exists(go):
        raise Skip("there is no go")
    said = subprocess.run([go, "version"], capture_output=True, text=True,
                          check=True).stdout
    version = re.search(r"go1\.(\d+)", said)
    if version is None or int(version[1]) < 19:
        raise Skip(f"go is too old: {said.strip()}, want 1.19")
    folder = os.path.join(os.path.abspath(BUILD), "go")
    os.makedirs(folder, exist_ok=True)
    for name, libs in (("onewake-client", ""), ("atmisrvinteg", "-latmisrvinteg ")):
        with open(os.path.join(folder, name + ".pc"), "w", encoding="utf-8") as f:
            f.write(f"Name: {name}\nDescription: of this tree\nVersion: 0\n"
                    f"Cflags: -I{ROOT}/include -I{BUILD}/include\n"
                    f"Libs: -L{BUILD}/lib {libs}-latmi -lubf\n")
    env = {**os.environ, "PKG_CONFIG_PATH": folder, "CGO_ENABLED": "1",
           "GOPROXY": "off", "GOTOOLCHAIN": "local",
           "CGO_CFLAGS": "-O2 -g -Wall -Werror"}
    env.pop("LDFLAGS", None)
    return go, env, folder


def _run(*words, folder="."):
    go, env, _ = _go()
    r = subprocess.run([go, *words], cwd=os.path.join(SOURCE, folder), env=env, capture_output=True,
                       text=True, check=False)
    if r.returncode:
        raise AssertionError(f"go {' '.join(words)}:\n{r.stdout}{r.stderr}")
    return r.stdout


@functools.lru_cache
def _tests():
    """The test program."""
    path = os.path.join(_go()[2], "onewake.test")
    _run("test", *RACE, "-c", "-o", path, ".")
    return path


def _build(name, source, folder="."):
    """A program beside those of the other stories."""
    at = os.path.join(os.path.abspath(BUILD), "tests/e2e", name)
    _run("build", *RACE, "-o", at, source, folder=folder)
    return name


def _prepare(d):
    for name in ("bindings/go/testdata/go.fld", "bindings/go/testdata/go.v",
                 "examples/bank/bank.fd"):
        shutil.copy(os.path.join(ROOT, name), d.home)
    d.env.update({"FLDTBLDIR": d.home, "FIELDTBLS": "go.fld,bank.fd",
                  "VIEWDIR": d.home, "VIEWFILES": "go.v",
                  "LD_LIBRARY_PATH": os.path.join(os.path.abspath(BUILD),
                                                  "lib")})
    return d


def _domain():
    _go()
    return _prepare(Domain())


def _events_and_queues(d):
    d.server(70, binary="tpevsrv")
    path = os.path.join(d.home, "q.conf")
    with open(path, "w", encoding="utf-8") as f:
        f.write("@\n")
    d.server(80, "-q", path, binary="tmqueue", env={
        "NDRX_XA_OPEN_STR": f'datadir="{d.home}/qdata",qspace="S"'})


def _text(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def _test(d, pattern, env=None):
    r = subprocess.run([_tests(), "-test.run", pattern, "-test.v",
                        "-test.timeout", f"{int(60 * SLOW)}s"], env={**d.env, **(env or {})},
                       cwd=d.home, capture_output=True, text=True, check=False)
    passed = re.findall(r"^--- PASS: (\w+)", r.stdout, re.M)
    if r.returncode or not passed or "--- SKIP" in r.stdout:
        raise AssertionError(r.stdout[-6000:] + r.stderr[-6000:])


CLIENT = "^Test(Text|AStruct|AView|Occ|Val|Err|ADead|ACan|Many|ACall|ATrace|Close|Send)"


def test_a_client_is_closed_while_it_is_used():
    with _domain() as d:
        d.server(1, "ECHO", "ECHO")
        d.server(2, "SLEEP")
        d.wait_ready(2)
        _test(d, "^TestClose")


def test_no_test_is_left_out():
    story = _text(__file__)
    patterns = [CLIENT, *re.findall(r'(?:_test\(\w, |_restarted\()"(\^[^"]+)"', story)]
    names = [name for file in os.listdir(SOURCE) if file.endswith("_test.go")
             for name in re.findall(r"^func (Test\w+)", _text(os.path.join(SOURCE, file)), re.M)]
    at_least(len(names), 30)
    equal([name for name in names if not any(re.match(p, name) for p in patterns)], [])


def test_the_source_is_clean():
    equal(_run("vet", "./..."), "")


def test_a_client_calls():
    with _domain() as d:
        for i in (1, 2):
            d.server(i, "ECHO", "FAIL")
        d.server(3, "SLEEP")
        d.spawn(4, binary="banksv")
        d.wait_ready(4)
        _test(d, CLIENT)


def test_what_a_program_does_wrong_is_an_error_with_words():
    with _domain() as d:
        d.server(1, "ECHO")
        d.server(3, "SLEEP")
        d.spawn(5, opts=("--", "CONV"), binary="conversesv")
        d.wait_ready(1, 3, 5)
        _test(d, "^TestMisuse")


def test_a_server_serves_callers_in_c_and_go():
    with _domain() as d:
        name = _build("gotestsv", "./internal/gotestsv")
        d.server(1, "ECHO")
        p = d.spawn(2, binary=name)
        d.wait_ready(2)
        _test(d, "^TestServer(Answers|Fails|Returns|Converses)")
        wait_for(lambda: "the other end: " in
                 _text(os.path.join(d.logs, f"{name}.2.log")),
                 "a conversation that was broken off")
        r = d.call("GONAME")
        equal((r.data, r.urcode), ("GONAME", 7))
        equal(d.call("GOECHO", "from C").data, "from C")
        r = d.call("GOFAIL", "x")
        equal((r.err, r.urcode, r.data), ("TPESVCFAIL", 3, "because"))
        equal(d.call("GOPANIC", "x").err, "TPESVCERR")
        equal(d.call("GOECHO", "after").data, "after")
        path = os.path.join(d.logs, f"{name}.2.log")
        wait_for(lambda: "late: onewake: the request is over" in _text(path),
                 "a request that is read too late")
        d.stop_server(p)
        equal(p.returncode, 0)
        log = _text(path)
        contains(log, "done\n")
        contains(log, "assignment to entry in nil map")
        contains(log, "something is wrong")


def test_a_server_that_could_never_work_ends_at_its_start():
    with _domain() as d:
        name = _build("gotestsv", "./internal/gotestsv")
        p = d.spawn(9, binary=name, env={"GOTESTSV_WRONG": "none"})
        wait_for(lambda: "the server offers no service" in _text(
            os.path.join(d.logs, f"{name}.9.log")), "its word")
        d.stop_server(p)
        for i, (wrong, words) in enumerate((
                ("twice", "service GOECHO has two handlers"),
                ("nil", "service GONIL has a nil handler")), 2):
            p = d.spawn(i, binary=name, env={"GOTESTSV_WRONG": wrong})
            wait_for(lambda p=p: p.poll() is not None, "it has ended")
            at_least(p.returncode, 1)
            contains(_text(os.path.join(d.logs, f"{name}.{i}.log")), words)


def test_a_panic_of_ondone_is_a_line_of_the_log():
    with _domain() as d:
        name = _build("gotestsv", "./internal/gotestsv")
        p = d.spawn(2, binary=name, env={"GOTESTSV_WRONG": "done"})
        d.wait_ready(2)
        equal(d.stop_server(p), 0)
        contains(_text(os.path.join(d.logs, f"{name}.2.log")), "done: panic: a fault of done")


def test_a_server_calls_for_somebody_and_knows_who_calls():
    with _domain() as d:
        server = _build("gotestsv", "./internal/gotestsv")
        d.boot({"srvid": 1, "appopt": "WHOCALLS"},
               {"name": server, "srvid": 2},
               sections='<services><service svcnm="WHOCALLS" acl="login:anna"/>'
               '</services>')
        c = d.client()
        equal(c.call("GOFOR", "anna").data, "anna 4 42")
        equal(c.call("GOFOR", "bert").err, "TPESVCFAIL", "not in its acl")
        equal(c.call("GOFOR", "a:b").err, "TPESVCFAIL", "no name")
        equal(c.call("GOWHO").data, '"" 0 true')


def test_a_server_has_dispatch_threads():
    with _domain() as d:
        name = _build("gotestsv", "./internal/gotestsv")
        p = d.spawn(2, binary=name, env={"NDRX_MINDISPATCHTHREADS": "4",
                                         "NDRX_MAXDISPATCHTHREADS": "4"})
        d.wait_ready(2)  # its first service is there
        wait_for(lambda: any(r.service == "GOMEET" for r in d.rows("psc")), "GOMEET")
        _test(d, "^TestServerWithThreads")
        d.stop_server(p)
        equal(p.returncode, 0)


def test_a_server_serves_in_goroutines():
    with _domain() as d:
        name = _build("gotestsv", "./internal/gotestsv")
        d.server(1, "ECHO")
        p = d.spawn(2, binary=name, env={"GOTESTSV_ASYNC": "10"})
        d.wait_ready(2)
        _test(d, "^Test(Server|CallsAre)")
        equal(d.call("GOPANIC", "x").err, "TPESVCERR")
        equal(d.call("GOECHO", "after").data, "after")
        for _ in range(12):  # more than places
            equal(d.call("GOEXIT", "x").err, "TPESVCERR")
        before = d.row("psc", service="GOSLEEP").succeeded
        callers = [d.client() for _ in range(15)]  # more than are served at once
        for c in callers:
            c.call("GOECHO", "here")  # it has joined: the requests come together
        for c in callers:
            c.begin("call", "GOSLEEP", "-", "STRING:x")
        wait_for(lambda: d.row("psc", service="GOSLEEP").succeeded > before,
                 "they are served")
        d.stop_server(p)  # those in hand get their answers; those in the queue have no server
        equal(p.returncode, 0)
        # How many it had in hand depends on the machine; one thread would have had one.
        at_least([c.end(20).data for c in callers].count("slept"), 2)


def test_a_binding_of_the_object_api_runs_as_it_was_written():
    """By the names that such bindings use (objects/), without GODEBUG."""
    with _domain() as d:
        name = _build("goobjects", ".", os.path.join(ROOT, "tests/e2e/099_go/objects"))
        d.boot({"name": name, "srvid": 1, "appopt": "UPPER"},
               {"name": name, "srvid": 2, "appopt": "RELAY"})
        r = d.run(name, "call", 6000, 4)
        ended(r, 0)
        contains(r.stdout, "calls 6000, wrong 0")
        d.xadmin("stop", "-y")
        logs = "".join(_text(os.path.join(d.logs, log)) for log in os.listdir(d.logs))
        equal(logs.count("the object API is done\n"), 2)


def test_a_server_of_the_object_api_leaves_in_good_order_on_sigterm():
    with _domain() as d:
        name = _build("goobjects", ".", os.path.join(ROOT, "tests/e2e/099_go/objects"))
        p = d.spawn(1, opts=("--", "UPPER"), binary=name)
        d.wait_ready(1)
        equal(d.stop_server(p), 0)
        contains(_text(os.path.join(d.logs, f"{name}.1.log")),
                 "the object API is done\n")


def test_conversations_are_streams():
    with _domain() as d:
        d.configure({"name": "conversesv", "srvid": 1, "min": 2, "max": 2,
                     "appopt": "CONV"})
        d.boot()
        _test(d, "^TestStream")


def test_events_and_messages_of_queues_come():
    with _domain() as d:
        _events_and_queues(d)
        _test(d, "^Test(Events|Queue|AMessage)")


def test_a_transaction_commits_or_rolls_back():
    _go()
    with Trans() as t:
        _prepare(t)
        t.tm(1)
        t.sv(11, 1, "A")
        _test(t, "^TestTran", t.xa(1))
        equal(t.total(1), 7)


def test_bank_in_go_and_in_c_call_each_other():
    folder = os.path.join(ROOT, "examples/bank/go")
    with _domain() as d:
        server = _build("bankgosv", "./bankgosv", folder)
        client = _build("bankgocl", "./bankgocl", folder)
        p = d.spawn(1, binary=server)
        d.wait_ready(1)
        for caller in ("bankcl", client, "epollcl"):
            ended(d.run(caller, 2000, 10, seconds=60), 0)
        d.stop_server(p)
        d.spawn(2, binary="banksv")
        d.wait_ready(2)
        r = d.run(client, 2000, 10, seconds=60)
        ended(r, 0)
        contains(r.stdout, "calls 2000, wrong 0")


def test_hello_of_the_readme_and_the_page_says_hello():
    pages = "".join(_text(os.path.join(ROOT, name))
                    for name in ("README.md", "doc/bindings/go.md"))
    blocks = re.findall(r"`(hello\w+)\.go`[^`\n]*:\n```go\n(.*?)^```", pages,
                        re.M | re.S)
    equal([name for name, _ in blocks], ["hellosv", "hellocl"])
    with _domain() as d:
        for name, code in blocks:
            folder = os.path.join(d.home, name)
            os.makedirs(folder)
            with open(os.path.join(folder, "main.go"), "w",
                      encoding="utf-8") as f:
                f.write(code)
            for words in (("mod", "init", name), (
                    "mod", "edit", "-require", "onewake.example/go@v0.0.0",
                    "-replace", f"onewake.example/go={SOURCE}")):
                _run(*words, folder=folder)
            _build(f"go_{name}", ".", folder)
        d.spawn(1, binary="go_hellosv")
        d.wait_ready(1)
        equal(d.run("go_hellocl").stdout, "Hello, world <nil>\n")


def test_the_tasks_of_the_cookbook_are_those_that_run():
    page = _text(os.path.join(ROOT, "doc/bindings/go.md"))
    source = _text(os.path.join(SOURCE, "cookbook_test.go"))
    tasks = re.findall(r"^```go\n(.*?)^```", page[page.index("## Cookbook"):],
                       re.M | re.S)
    equal(len(tasks), 10)
    for task in tasks:
        for part in task.split("\n\n"):
            contains(source, part)
    _go()
    with Trans() as t:
        _prepare(t)
        t.tm(1)
        t.sv(11, 1, "A")
        t.server(2, "ECHO", "FAIL")
        t.server(3, "SLEEP")
        t.spawn(4, binary="banksv")
        t.spawn(5, opts=("--", "CONV"), binary="conversesv")
        t.wait_ready(4, 5)
        _events_and_queues(t)
        _test(t, "^TestCookbook", t.xa(1))
        equal(t.total(1), 7)


def test_a_domain_that_is_shut_down_leaves_no_caller_waiting():
    with _domain() as d:
        caller = d.program(_build("gobench", "./internal/gobench"))
        d.boot({"srvid": 1, "appopt": "ECHO SLEEP"})
        with subprocess.Popen([caller, "echo", "60000", "5"], env=d.env,
                              stdout=subprocess.PIPE, text=True) as p, \
                subprocess.Popen([caller, "echo", "60000", "40", "SLEEP"],
                                 env=d.env, stdout=subprocess.PIPE,
                                 text=True) as q:
            wait_for(lambda: d.row("psc", service="ECHO").succeeded > 100, "calls")
            wait_for(lambda: d.row("psc", service="SLEEP").status == "BUSY" or
                     d.row("psc", service="SLEEP").succeeded > 0, "both call")
            d.xadmin("stop", "-y")
            for done in (p, q):
                said = json.loads(done.communicate(timeout=60 * SLOW)[0])
                at_least(said["failed"], 1)


def _restarted(pattern, frozen=False):
    """The test runs while the domain is stopped, and started again. frozen: it does
    not see that."""
    with _domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"}, {"srvid": 2, "appopt": "SLEEP"},
               {"name": "tpevsrv", "srvid": 70})
        with subprocess.Popen([_tests(), "-test.run", pattern, "-test.v"],
                              env=d.env, text=True, cwd=d.home,
                              stdout=subprocess.PIPE) as p:
            said = ""
            for line in p.stdout:
                if "stop now" in line:
                    if frozen:
                        p.send_signal(signal.SIGSTOP)
                    d.xadmin("stop", "-y")
                    d.xadmin("start", "-y")
                    with open(os.path.join(d.home, "started"), "w",
                              encoding="utf-8"):
                        pass
                    p.send_signal(signal.SIGCONT)
                said += line
            equal(p.wait(), 0, said)


def test_a_client_goes_on_in_a_domain_that_is_started_again():
    _restarted("^TestQuietly")


def test_a_context_without_a_descriptor_is_not_used():
    _restarted("^TestStale")


def test_a_number_of_a_call_is_given_again_in_the_next_domain():
    _restarted("^TestANumber")


def test_a_subscription_ends_with_its_domain():
    _restarted("^TestSubscriptions")


def test_a_session_says_which_domain_has_its_call():
    _restarted("^TestASession", frozen=True)


def test_slow_calls_end_when_there_is_another_domain():
    _restarted("^TestSlow", frozen=True)


def test_servers_that_are_killed_fail_only_the_calls_in_their_hands():
    with _domain() as d:
        server = _build("gotestsv", "./internal/gotestsv")
        caller = d.program(_build("gobench", "./internal/gobench"))
        d.boot({"srvid": 1, "min": 3, "max": 3, "appopt": "ECHO"},
               {"name": server, "srvid": 11, "min": 3, "max": 3})
        for service, first in (("ECHO", 1), ("GOECHO", 11)):
            with subprocess.Popen(
                    [caller, "echo", "30000", "20", service],
                    env=d.env, stdout=subprocess.PIPE, text=True) as p:
                kills = 0
                while p.poll() is None and kills < 5:
                    pid = d.pid(first + kills % 3)
                    if pid:
                        kill(pid)
                        kills += 1
                said = json.loads(p.stdout.read())
            equal(said["calls"], 30000)
            at_least(kills, 2)
            at_most(said["failed"], kills)
