# SPDX-License-Identifier: Apache-2.0
"""Servers: what becomes of requests, threads, configurations, ends."""
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time

import pytest

import onewake
from conftest import SERVERS
from onewake.testing import DomainError

COST = 9


@pytest.fixture(scope="module")
def domain(boot):
    return boot(["basicsv.py"])


def test_a_request_is_of_no_use_after_its_service(domain):
    onewake.call("KEEP", "x")
    assert "has ended" in onewake.call("KEPT")


def test_coroutines_serve_many_at_once(domain):
    start = time.monotonic()
    calls = [onewake.acall("LATE", "0.2") for _ in range(50)]
    assert {c.result() for c in calls} == {"late 0.2"}
    assert time.monotonic() - start < 9, "50 times 0.2 s are 10"
    with pytest.raises(onewake.TPESVCFAIL) as e:
        onewake.call("LATEFAIL", "x")
    assert (e.value.data, e.value.urcode) == ("x", 9)
    assert onewake.call("LATEFORWARD", "y") == "y"


def test_a_late_reply_that_nobody_waits_for_any_more(domain):
    with pytest.raises(TimeoutError):
        onewake.call("LATE", "0.3", timeout=0.05)
    time.sleep(0.4)
    assert onewake.call("LATE", "0") == "late 0"


def test_services_come_and_go(domain):
    with pytest.raises(onewake.TPENOENT):
        onewake.call("MORE1")
    onewake.call("ADVERTISE")
    assert onewake.call("MORE1") == "more"
    with pytest.raises(onewake.TPENOENT):
        onewake.call("MORE2")


def test_logging_goes_to_the_log_of_the_process(domain):
    onewake.call("LOG", "words")
    assert "an error: words" in domain.logs(100)
    assert "left out: words" not in domain.logs(100)
    line = [row for row in domain.logs(100).split("\n")
            if "an error: words" in row][0]
    assert "sicsv.py:0" in line and "trace=" in line


def test_a_log_refuses_no_text(domain, tmp_path):
    """A name of a file that is no UTF-8, and half of a pair."""
    r = domain.run(sys.executable, "-c", "import onewake, logging\n"
                   "logging.getLogger().addHandler(onewake.TplogHandler())\n"
                   "logging.error('log \\udcff.')\nlogging.error('log \\ud800.')\n"
                   "onewake.userlog('ulog \\ud800.')\n",
                   env={"NDRX_DEBUG_STR": f"tp=5 file={tmp_path}/log"})
    assert r.stderr == ""
    log = (tmp_path / "log").read_bytes()
    assert b"log \xff." in log and b"log \\ud800." in log
    ulog = "".join(open(os.path.join(domain.log, n), errors="replace").read()
                   for n in os.listdir(domain.log) if n.startswith("ULOG"))
    assert "ulog \\ud800." in ulog


def test_unsolicited_messages_come_in_order(domain):
    came = onewake.messages(timeout=2)
    onewake.on_message(None)
    assert list(onewake.messages(timeout=0.01)) == []
    onewake.call("NOTIFY", "m")
    assert [next(came) for _ in range(3)] == ["m 0", "m 1", "m 2"]


def test_a_function_gets_messages_while_a_call_waits(domain):
    seen = []
    onewake.on_message(seen.append)
    onewake.call("NOTIFY", "f")
    onewake.call("LATE", "0.05")
    assert seen == ["f 0", "f 1", "f 2"]
    onewake.on_message(None)


def test_a_server_that_ends_by_itself_is_started_again(domain):
    pid = domain.pid(1)
    with pytest.raises(onewake.TPESVCFAIL) as e:
        onewake.call("EXIT")
    assert e.value.data == "gone"
    domain.wait_for(lambda: domain.pid(1) not in (0, pid), "it is new")


APP = """
import threading
import onewake

class App(onewake.Server):
    def init(self, args):
        self.args, self.threads = args, set()
        self.barrier = threading.Barrier(3)
        open("init", "w").write(" ".join(args))

    def done(self):
        open("done", "w").write("%d" % len(self.threads))

    def thread_init(self, args):
        self.local = threading.local()

    @onewake.service("TOGETHER", "ALSO")
    def together(self, request):
        self.threads.add(threading.get_ident())
        self.barrier.wait(10)
        return request.service

app = App()

@onewake.service("PLAIN")
def plain(request):
    return "plain"

if __name__ == "__main__":
    onewake.run()
"""


@pytest.fixture
def app_file(tmp_path):
    path = tmp_path / "appsv.py"
    path.write_text(APP)
    return path


def test_threads_serve_at_the_same_time(boot, app_file):
    d = boot([{"name": "app", "program": "appsv:app", "appopt": "one 'two 3'",
               "cmdline": f"{sys.executable} -m onewake run --threads "
                          "appsv:app ${NDRX_SVCLOPT}",
               "mindispatchthreads": 3, "maxdispatchthreads": 3,
               "env": {"PYTHONPATH": os.pathsep.join(
                   [str(app_file.parent), *filter(None, sys.path)])}}])
    calls = [onewake.acall(n, "x") for n in ("TOGETHER", "ALSO", "TOGETHER")]
    assert sorted(c.result(timeout=10) for c in calls) == \
        ["ALSO", "TOGETHER", "TOGETHER"]
    d.xadmin("stop", "-i", "1")
    with open(f"{d.folder}/done", encoding="utf-8") as f:
        assert f.read() == "3"
    with open(f"{d.folder}/init", encoding="utf-8") as f:
        assert f.read() == "one two 3"


def test_fields_travel_where_programs_of_tuxedo_run(boot, monkeypatch):
    """tptypes() says FML32 there."""
    monkeypatch.setenv("NDRX_COMPAT", "strict-tuxedo")
    boot(["basicsv.py"], env={"NDRX_COMPAT": "strict-tuxedo"})
    given = {"P_LONG": [1, 2], "P_STRING": ["x"]}
    assert onewake.call("ECHO", given) == given
    assert onewake.call("BUFFER", given) == given
    assert len(onewake.Buffer(given)) < 500  # what is used


def test_a_server_with_reload_runs_what_was_saved(boot, tmp_path):
    path = tmp_path / "reloadsv.py"
    text = "import onewake\n@onewake.service('SAYS')\ndef says(request):\n    return '%s'\n"
    path.write_text(text % "one")
    d = boot([{"name": "reloadsv", "program": str(path), "cmdline":
               f"{sys.executable} -m onewake run --reload {path} ${{NDRX_SVCLOPT}}"}])
    assert onewake.call("SAYS") == "one"
    path.write_text(text % "another")

    def now():
        try:
            return onewake.call("SAYS") == "another"
        except (onewake.TPENOENT, onewake.TPESVCERR):
            return False
    d.wait_for(now, "it says what was saved", 20)


def test_a_script_is_a_server_by_its_first_line(boot, tmp_path):
    script = tmp_path / "plainsv"
    script.write_text(f"#!{sys.executable}\n" + APP)
    script.chmod(0o755)
    boot([{"program": str(script)}])
    assert onewake.call("PLAIN") == "plain"


def test_a_server_that_cannot_start_says_why(boot, tmp_path):
    script = tmp_path / "badsv.py"
    script.write_text("import onewake\nclass App(onewake.Server):\n"
                      "    def init(self, args):\n"
                      "        raise RuntimeError('no data base')\n"
                      "app = App()\n")
    with pytest.raises(DomainError, match="RuntimeError: no data base"):
        boot([str(script) + ":app"])


ODD = """
import onewake

class Urgent(onewake.Reply):
    pass

def program():
    @onewake.service("INSIDE")
    def inside(request):
        return Urgent("inside", urcode=4)

    @onewake.service("TYPED")
    async def typed(request):
        return request.type + request.subtype

    @onewake.service("FAR")
    def far(request):
        return onewake.Forward("INSIDE" + "E" * 90)

    onewake.run()

program()
"""


def test_services_of_a_function_and_classes_derived_of_reply(boot, tmp_path):
    (tmp_path / "oddsv.py").write_text(f"#!{sys.executable}\n" + ODD)
    (tmp_path / "oddsv.py").chmod(0o755)
    d = boot([{"program": str(tmp_path / "oddsv.py"), "cmdline":
               f"{sys.executable} {tmp_path}/oddsv.py ${{NDRX_SVCLOPT}}"}])
    assert onewake.call("INSIDE") == "inside" and onewake.urcode() == 4
    assert onewake.call("TYPED", "x") == "STRING"
    assert onewake.call("TYPED", onewake.View("PYACCOUNT", {"cents": 5})) == "VIEWPYACCOUNT"
    with pytest.raises(onewake.TPESVCERR):
        onewake.call("FAR")
    assert "the name is too long" in d.logs()


@pytest.mark.parametrize("text, words", [
    ("@onewake.service('X')\nasync def x(request, conversation):\n    pass\n",
     "converses, so it is no coroutine"),
    ("@onewake.service('X')\ndef x(request, a, b):\n    pass\n", "with the request, and with"),
    ("@onewake.service('X')\ndef x(request):\n    pass\n"
     "@onewake.service('X')\ndef y(request):\n    pass\n", r"service X: x\(\) and y\(\)"),
])
def test_services_that_could_never_work_are_refused_at_the_start(boot, tmp_path, text, words):
    (tmp_path / "wrongsv.py").write_text("import onewake\n" + text)
    with pytest.raises(DomainError, match=words):
        boot([str(tmp_path / "wrongsv.py")])


def test_an_object_that_can_be_called_is_a_service(boot, tmp_path):
    (tmp_path / "partsv.py").write_text(
        "import functools, onewake\n"
        "def say(word, request):\n    return word + request.data\n"
        "onewake.service('PART')(functools.partial(say, 'Hello, '))\n"
        "onewake.run()\n")
    boot([{"program": str(tmp_path / "partsv.py"),
           "cmdline": f"{sys.executable} {tmp_path}/partsv.py ${{NDRX_SVCLOPT}}"}])
    assert onewake.call("PART", "you") == "Hello, you"


def test_a_domain_that_could_never_be_is_refused_with_words():
    for wrong, error, words in (
            ({"servers": "basicsv.py"}, TypeError, "servers='basicsv.py': give a list"),
            ({"servers": [{"min": 2}]}, TypeError, "'min': 2} has no program"),
            ({"fields": "no.fd"}, DomainError, "there is no no.fd"),
            ({"views": "no.v"}, DomainError, "there is no no.v")):
        with pytest.raises(error, match=words):
            onewake.testing.Domain(**wrong)
    with pytest.raises(TypeError, match="5 has no services"):
        onewake.run(5)


def test_a_domain_that_does_not_run_says_so():
    domain = onewake.testing.Domain()
    assert domain.logs() == ""
    for use in (lambda: domain.xadmin("psc"), lambda: domain.pid(1), lambda: domain.kill(1)):
        with pytest.raises(DomainError, match="was not started: start"):
            use()
    domain.stop()
    for use in (domain.logs, domain.start, lambda: domain.pid(1), lambda: domain.run("true")):
        with pytest.raises(DomainError, match="was stopped"):
            use()
    with onewake.testing.Domain([{"program": "basicsv.py"}], path=[SERVERS]) as domain:
        with pytest.raises(DomainError, match="was started before"):
            domain.start()
        shutil.rmtree(domain.folder)
        with pytest.raises(DomainError, match="its folder taken away"):
            domain.logs()
    assert not os.path.exists(f"/dev/shm/{domain.prefix},shm")


def test_a_server_without_a_service_says_so(boot, tmp_path):
    path = tmp_path / "emptysv.py"
    path.write_text("import onewake\n")
    with pytest.raises(DomainError, match="has no services"):
        boot([str(path)])
    path.write_text("import onewake\nonewake.run()\n")
    d = boot([{"program": str(path), "cmdline": f"{sys.executable} {path} ${{NDRX_SVCLOPT}}"}])
    assert "the server offers no service" in d.logs()


def test_services_that_end_their_loop_do_not_end_those_of_others(boot, tmp_path):
    program = tmp_path / "loopsv.py"
    program.write_text("""
import asyncio, sys, onewake

@onewake.service("STOPLOOP")
async def stop(request):
    asyncio.get_running_loop().stop()
    return "stopped"

@onewake.service("EXITTASK")
async def leave(request):
    async def task():
        sys.exit(3)
    asyncio.ensure_future(task())
    return "exited"

@onewake.service("LATER")
async def later(request):
    await asyncio.sleep(0.01)
    return request.data

onewake.run()
""")
    d = boot([str(program)])
    for service, reply in (("STOPLOOP", "stopped"), ("EXITTASK", "exited")):
        assert onewake.call(service, timeout=10) == reply
        assert onewake.call("LATER", "x", timeout=10) == "x"
    assert "event loop failed" in d.logs()
    begin = time.monotonic()
    d.stop()
    assert time.monotonic() - begin < 8


def test_requests_under_way_are_answered_before_a_stop(boot):
    d = boot(["basicsv.py"])
    call = onewake.acall("LATE", "0.5")
    # Each service has a queue of its own: an answer of another one says nothing of this.
    d.wait_for(lambda: all(q["queued"] == 0 for q in json.loads(
        d.xadmin("pq", "--json"))), "it is under way")
    t = threading.Thread(target=lambda: d.xadmin("stop", "-i", "1"))
    t.start()
    assert call.result(timeout=10) == "late 0.5"
    t.join()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_and_sigterm_end_a_server_in_good_order(boot, tmp_path, number):
    d = boot([])
    path = tmp_path / "handsv.py"
    path.write_text("import onewake, time\n@onewake.service('NAP')\ndef nap(request):\n"
                    "    time.sleep(float(request.data))\n    return 'slept'\n"
                    "onewake.run(done=lambda: print('done', flush=True))\n")
    p = subprocess.Popen([sys.executable, str(path), "-i", "7"], env=d._environ(), text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def serves():
        try:
            return onewake.call("NAP", "0") == "slept"
        except onewake.TPENOENT:
            return False
    try:
        d.wait_for(serves, "it serves")
        call = onewake.acall("NAP", "0.5")
        time.sleep(0.2)
        p.send_signal(number)
        assert call.result(timeout=10) == "slept"
        assert p.communicate(timeout=10)[0] == "done\n" and p.returncode == 0
    finally:
        p.kill()
        p.communicate()


def test_a_client_is_no_server(domain):
    """It would end without a word, as C's does."""
    for wrong in (onewake.stop, lambda: onewake.advertise("X", print)):
        with pytest.raises(onewake.TPEPROTO, match="not a server"):
            wrong()


def test_a_command_line_that_is_wrong_shows_the_usage(domain):
    for words in ([], ["run"], ["walk"]):
        r = subprocess.run([sys.executable, "-m", "onewake", *words],
                           capture_output=True, text=True, check=False)
        assert r.returncode == 2 and "MODULE[:APP]" in r.stderr
