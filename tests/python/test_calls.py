# SPDX-License-Identifier: Apache-2.0
"""Calls: values, errors, deadlines, threads, signals."""
import contextlib
import glob
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

import onewake

COST = 9


@pytest.fixture(scope="module")
def domain(boot):
    return boot(["basicsv.py", {"program": "testsv", "srvid": 50,
                                "appopt": "CECHO=ECHO"}])


VALUES = ["text", "", b"bytes", b"", {"P_LONG": [1, 2], "P_STRING": ["x"]},
          {}, None, "long " * 100000]


def test_calls_of_a_thread_that_has_left_are_in_doubt(domain):
    call = onewake.acall("ECHO", "x")
    onewake.term()
    with pytest.raises(onewake.TPESYSTEM, match="left the domain") as e:
        call.result()
    assert not e.value.not_done and call.done()


@pytest.mark.parametrize("wrong, error", [("x", TypeError), (2**40, OverflowError)])
def test_a_setting_that_is_no_number_is_refused(domain, wrong, error):
    for take in (onewake.default_timeout, onewake.priority):
        with pytest.raises(error):
            take(wrong)


@pytest.mark.parametrize("value", VALUES, ids=lambda v: str(v)[:12])
def test_each_kind_of_value_there_and_back(domain, value):
    assert onewake.call("ECHO", value) == value
    assert onewake.call("CECHO", value) == value


def test_json_is_text_on_the_way_and_a_value_at_both_ends(domain):
    value = {"n": 1, "list": [None, "ü"]}
    assert onewake.call("CECHO", onewake.JSON(value)) == value
    assert onewake.call("ABOUT", onewake.JSON([]))["type"] == "JSON"


def test_a_buffer_stays_in_c(domain):
    sent = onewake.Buffer({"P_STRING": ["a"] * 1000})
    reply = onewake.call("CECHO", sent, raw=True)
    strict = os.environ.get("OW_COMPAT") == "strict-tuxedo"
    assert reply.type == ("FML32" if strict else "UBF") and reply.decode() == sent.decode()
    assert onewake.call("BUFFER", sent, raw=True).decode() == sent.decode()
    assert onewake.call("BUFFER", b"xyz") == b"xyz"
    assert onewake.call("ECHO", None, raw=True) is None


def test_what_a_service_sees(domain):
    seen = onewake.call("ABOUT", b"12345")
    assert (seen["type"], seen["service"], seen["length"], seen["appkey"]) \
        == ("CARRAY", "ABOUT", 5, 0)
    assert onewake.call("ABOUT")["type"] == ""
    assert seen["client"] == 96


def test_errors_are_exceptions_with_code_text_and_data(domain):
    with pytest.raises(onewake.TPESVCFAIL) as e:
        onewake.call("FAIL", {"P_LONG": 5})
    assert (e.value.urcode, e.value.data) == (7, {"P_LONG": [5]})
    with pytest.raises(onewake.TPESVCFAIL) as e:
        onewake.call("FAIL", b"raw", raw=True)
    assert e.value.data.decode() == b"raw"
    with pytest.raises(onewake.TPENOENT, match="NOSUCHSVC is not advertised"):
        onewake.call("NOSUCHSVC")
    with pytest.raises(onewake.TPEINVAL):
        onewake.call("ECHO", onewake.Buffer(type="TPINIT"))
    assert onewake.call("CODE", "x") == "x" and onewake.urcode() == 8


def test_an_exception_of_a_service_is_tpesvcerr_and_in_the_log(domain):
    for name, words in (("RAISE", "ValueError: a fault of the service"),
                        ("ODD", "Odd objects cannot travel"),
                        ("ODDCODE", "'str' object cannot be interpreted as an integer"),
                        ("AGAIN", "this process is a server already"),
                        ("LATERAISE", "ValueError: a fault of the coroutine")):
        with pytest.raises(onewake.TPESVCERR):
            onewake.call(name)
        assert words in domain.logs()
    assert onewake.call("ECHO", "it serves on") == "it serves on"


def test_forwarding(domain):
    assert onewake.call("FORWARD", "x") == "x"
    with pytest.raises(onewake.TPESVCERR):
        onewake.call("NOWHERE", "x")


def test_a_deadline_is_in_seconds(domain):
    start = time.monotonic()
    with pytest.raises(TimeoutError) as e:
        onewake.call("LATE", "5", timeout=0.1)
    assert e.value.name == "TPETIME" and time.monotonic() - start < 4
    assert onewake.call("ECHO", "x", timeout=5.5) == "x"
    for wrong in (0, -1, 1e9, float("nan")):
        with pytest.raises(ValueError, match="timeout"):
            onewake.call("ECHO", "x", timeout=wrong)
    with pytest.raises(onewake.TPENOENT):
        onewake.call("NOSUCHSVC", timeout=0.001)
    assert onewake.call("SLEEP", "0.05") == "0.05", "no time-out was left over"


def test_several_calls_at_once(domain):
    calls = [onewake.acall("LATE", f"0.{i}") for i in (3, 1, 2)]
    assert not calls[0].done()
    assert [c.result() for c in onewake.as_completed(calls)] == \
        ["late 0.1", "late 0.2", "late 0.3"]
    one = onewake.acall("FAIL", "x")
    with pytest.raises(onewake.TPESVCFAIL):
        one.result()
    with pytest.raises(onewake.TPESVCFAIL):
        one.result()
    assert one.done() and one.urcode == 7
    assert [c for c in onewake.as_completed([one])] == [one]


def test_a_reply_can_be_waited_for_again(domain):
    call = onewake.acall("LATE", "0.2")
    with pytest.raises(onewake.TPETIME):
        call.result(timeout=0.05)
    assert call.result(timeout=5) == "late 0.2"


def test_the_time_of_a_call_counts_from_its_start(domain):
    start = time.monotonic()
    late, soon = onewake.acall("LATE", "5", timeout=0.2), onewake.acall("LATE", "0")
    seen = list(onewake.as_completed([late, soon]))
    assert seen == [soon, late] and soon.result() == "late 0"
    with pytest.raises(onewake.TPETIME):
        late.result()
    one = onewake.acall("LATE", "5", timeout=0.1)
    with pytest.raises(TimeoutError):
        one.result()
    with pytest.raises(TimeoutError):
        one.result(timeout=10)
    assert time.monotonic() - start < 4


def test_casts_reach_coroutines(domain):
    onewake.cast("LATE", "0")
    assert onewake.call("LATE", "0") == "late 0"


def test_a_cancelled_call_is_dropped(domain):
    call = onewake.acall("LATE", "0.1")
    call.cancel()
    with pytest.raises(onewake.TPEBADDESC):
        call.result()
    time.sleep(0.2)  # its reply comes, and is nobody's
    assert onewake.call("ECHO", "x") == "x"


def test_casts_have_no_reply(domain):
    onewake.cast("ECHO", "x")
    with pytest.raises(onewake.TPENOENT):
        onewake.cast("NOSUCHSVC")


def test_threads_have_contexts_of_their_own(domain):
    wrong, done = [], []

    def work(n):
        for i in range(200):
            want = f"{n} {i}"
            if onewake.call("CECHO", want) != want:
                wrong.append(want)
        done.append(n)
        onewake.term()

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong and len(done) == 8


def test_other_threads_run_while_a_call_waits(domain):
    ticks = []
    stop = threading.Event()

    def tick():
        while not stop.wait(0.005):
            ticks.append(time.monotonic())

    t = threading.Thread(target=tick)
    t.start()
    onewake.call("SLEEP", "0.3")
    stop.set()
    t.join()
    assert len(ticks) > 3


def test_a_signal_whose_handler_raises_ends_the_wait(domain):
    class Enough(Exception):
        pass

    def on_alarm(*_):
        signal.setitimer(signal.ITIMER_REAL, 0)
        raise Enough

    before = signal.signal(signal.SIGALRM, on_alarm)
    try:
        # Again and again: the first may come before the wait has begun.
        signal.setitimer(signal.ITIMER_REAL, 0.1, 0.2)
        start = time.monotonic()
        with pytest.raises(Enough):
            onewake.call("LATE", "5")
        assert time.monotonic() - start < 4
    finally:
        signal.signal(signal.SIGALRM, before)
    assert onewake.call("ECHO", "x") == "x"


def test_a_signal_whose_handler_returns_ends_nothing(domain):
    seen = []
    before = signal.signal(signal.SIGALRM, lambda *_: seen.append(1))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
        assert onewake.call("LATE", "0.4") == "late 0.4"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert seen


def test_a_signal_while_a_queue_is_full_ends_nothing(domain):
    """The request waits for room, is sent when there is some, and not later than its time-out."""
    before = signal.signal(signal.SIGALRM, lambda *_: None)
    pid = domain.pid(50)
    os.kill(pid, signal.SIGSTOP)
    try:
        with pytest.raises(onewake.TPEBLOCK):
            while True:
                onewake._core.acall("CECHO", b"x" * 1000, reply=False, block=False)
        signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
        for send in (onewake.call, onewake.acall):
            start = time.monotonic()
            with pytest.raises(onewake.TPETIME):
                send("CECHO", "x", timeout=0.3)
            assert 0.25 < time.monotonic() - start < 3
        threading.Timer(0.3, os.kill, (pid, signal.SIGCONT)).start()
        assert onewake.call("CECHO", "x", timeout=15) == "x"
    finally:
        os.kill(pid, signal.SIGCONT)
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_ctrl_c_ends_a_client_that_waits(domain):
    p = subprocess.Popen(
        [sys.executable, "-c", "import onewake; print(1, flush=True); "
         "onewake.call('LATE', '18')"], stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True)
    assert p.stdout.readline() == "1\n"
    time.sleep(0.3)  # the call is under way
    start = time.monotonic()
    while p.poll() is None and time.monotonic() - start < 15:
        p.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            p.wait(1)
    assert time.monotonic() - start < 15
    assert "KeyboardInterrupt" in p.stderr.read() and p.returncode != 0
    p.stdout.close()
    p.stderr.close()


def test_a_killed_server_is_an_error_at_once(domain):
    start = time.monotonic()
    with pytest.raises(onewake.TPESVCERR):
        onewake.call("KILL", timeout=20)
    assert time.monotonic() - start < 15
    domain.wait_for(lambda: domain.pid(1), "it is started again")
    domain.wait_for(lambda: onewake.call("ECHO", "x") == "x", "it serves")


def _others():
    """Other interpreters of this machine, 3.9 and newer, a version each."""
    found = {}
    for path in sorted(glob.glob(os.path.expanduser("~/.pyenv/versions/3.*/bin/python3")) +
                       glob.glob("/usr/bin/python3.[0-9]*")):
        said = subprocess.run([path, "-c", "import sys; print(*sys.version_info[:2])"],
                              capture_output=True, text=True, check=False).stdout.split()
        version = tuple(map(int, said)) if len(said) == 2 else (0, 0)
        if version >= (3, 9) and version != sys.version_info[:2]:
            found[version] = path
    return found


OTHER = """
import asyncio, onewake
from onewake import aio

async def both():
    return await asyncio.gather(*(aio.call("ECHO", {"P_LONG": i}) for i in range(20)))

assert onewake.call("ECHO", {"P_STRING": ["a", "b"]}) == {"P_STRING": ["a", "b"]}
assert asyncio.run(both()) == [{"P_LONG": [i]} for i in range(20)]
print("good")
"""


@pytest.mark.skipif(bool(os.environ.get("OW_SANITIZE")), reason="the others have no sanitizer")
def test_the_same_extension_is_for_each_python_from_3_9_on(domain):
    others = _others()
    if not others:
        pytest.skip("there is no other Python")
    env = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(onewake.__file__))}
    for path in others.values():
        r = subprocess.run([path, "-B", "-c", OTHER], capture_output=True, text=True, check=False,
                           env=env)
        assert r.stdout == "good\n", (path, r.stderr)


def test_a_call_belongs_to_its_thread_and_stays_whole(domain):
    call, seen = onewake.acall("ECHO", "mine"), []

    def other():
        for use in (call.result, call.done, call.cancel):
            try:
                use()
            except onewake.TPEPROTO as e:
                seen.append("thread" in str(e))
        onewake.term()
    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert seen == [True] * 3
    assert call.result(timeout=20) == "mine"


@pytest.mark.parametrize("value", [17, 1.5, True])
def test_numbers_are_values_of_fields_only(domain, value):
    with pytest.raises(TypeError, match="fields"):
        onewake.call("ECHO", value)
