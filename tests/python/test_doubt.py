# SPDX-License-Identifier: Apache-2.0
"""What an error says of the work: not_done, for sure, or perhaps done."""
import asyncio
import os
import pickle
import signal
import threading
import time

import pytest

import onewake
from onewake import aio

COST = 8


@pytest.fixture(scope="module")
def domain(boot):
    return boot([{"program": "testsv", "srvid": 50, "appopt":
                  "SOFTERR SLEEP NAME CRASH ECHO FAIL CNOWHERE=FWDECHO"},
                 {"program": "testsv", "srvid": 60, "appopt": "HANG", "respawn": "N"}])


def doubt(service, data=None, **how):
    """The error of a call, by a thread and by a task: both say the same."""
    with pytest.raises(onewake.AtmiError) as of_thread:
        onewake.call(service, data, **how)
    with pytest.raises(onewake.AtmiError) as of_call:
        onewake.acall(service, data, **how).result()

    async def main():
        with pytest.raises(onewake.AtmiError) as e:
            await aio.call(service, data, **how)
        await aio.close()
        return e.value
    errors = [of_thread.value, of_call.value, asyncio.run(main())]
    assert len({(type(e), e.not_done) for e in errors}) == 1, errors
    return type(errors[0]), errors[0].not_done


def test_nobody_offers_it(domain):
    assert doubt("NOSUCHSVC") == (onewake.TPENOENT, True)
    with pytest.raises(onewake.TPENOENT) as e:
        onewake.cast("NOSUCHSVC")
    assert e.value.not_done


@pytest.mark.parametrize("error", [onewake.TPENOENT, onewake.TPEBLOCK, onewake.TPETIME,
                                   onewake.TPESVCERR, onewake.TPELIMIT])
def test_an_error_that_a_service_returns_was_its_work(domain, error):
    """The server had the request, whatever the code means elsewhere."""
    assert doubt("SOFTERR", str(error.code), timeout=10) == (error, False)


async def beside_a_raw_one(sent):
    _, got = await asyncio.gather(aio.call("ECHO", sent, raw=True), aio.call("ECHO", sent),
                                  return_exceptions=True)
    raise got


def test_a_conversation_that_nobody_begins(domain):
    for service, error in (("NOSUCHSVC", onewake.TPENOENT), ("", onewake.TPENOENT)):
        with pytest.raises(error) as e:
            onewake.connect(service, "x")
        assert e.value.not_done

    async def main():
        with pytest.raises(onewake.TPENOENT) as e:
            async with aio.connect("NOSUCHSVC"):
                pass
        return e.value.not_done
    assert asyncio.run(main())


def test_a_conversation_that_a_server_dies_of_was_perhaps_begun(domain):
    with pytest.raises(onewake.AtmiError) as e:
        with onewake.connect("CRASH", "x", receive=True) as c:
            list(c)
    assert not e.value.not_done


def test_a_reply_that_cannot_be_read_has_come(domain):
    """It is none of the errors that mean that nothing was sent, and is not lost."""
    sent = onewake.Buffer(onewake.JSON(text="{no json"))
    for get in (lambda: onewake.call("ECHO", sent),
                lambda: onewake.acall("ECHO", sent).result(),
                lambda: next(onewake.as_completed([onewake.acall("ECHO", sent)])).result(),
                lambda: asyncio.run(aio.call("ECHO", sent)),
                lambda: asyncio.run(beside_a_raw_one(sent))):
        with pytest.raises(onewake.TPEOTYPE, match="reply has come and cannot be read") as e:
            get()
        assert not e.value.not_done and isinstance(e.value.__cause__, ValueError)
        assert bytes(memoryview(e.value.data)) == b"{no json"
    with pytest.raises(onewake.TPESVCFAIL) as e:
        onewake.call("FAIL", sent)
    assert bytes(memoryview(e.value.data)) == b"{no json"
    assert bytes(memoryview(onewake.call("ECHO", sent, raw=True))) == b"{no json"


def test_a_service_that_failed_has_had_it(domain):
    with pytest.raises(onewake.TPESVCERR) as e:
        onewake.call("CRASH", "x")
    assert not e.value.not_done


def test_no_answer_in_time_says_nothing(domain):
    assert doubt("SLEEP", "300", timeout=0.05) == (onewake.TPETIME, False)


def test_a_mark_does_not_outlive_its_error(domain):
    with pytest.raises(onewake.TPENOENT):
        onewake.call("NOSUCHSVC")
    assert doubt("SLEEP", "300", timeout=0.05) == (onewake.TPETIME, False)
    assert onewake.AtmiError("made by a program").not_done is False


def test_it_travels_with_the_exception(domain):
    with pytest.raises(onewake.TPENOENT) as e:
        onewake.call("NOSUCHSVC")
    copy = pickle.loads(pickle.dumps(e.value))
    assert (type(copy), copy.not_done, copy.text) == (onewake.TPENOENT, True, e.value.text)


def test_who_waited_behind_a_server_that_is_gone_was_not_served(domain):
    """HANG has one server, which is not started again: of two calls one was in its
    hand, the other one in its queue."""
    errors = []

    def one():
        try:
            onewake.call("HANG", "x", timeout=30)
        except onewake.AtmiError as e:
            errors.append((type(e), e.not_done))
        onewake.term()
    threads = [threading.Thread(target=one) for _ in range(2)]
    for t in threads:
        t.start()
        time.sleep(0.3)
    os.kill(domain.pid(60), signal.SIGKILL)
    for t in threads:
        t.join(30)
    assert sorted(errors, key=lambda e: e[1]) == [(onewake.TPESVCERR, False),
                                                  (onewake.TPENOENT, True)]


def test_what_found_no_room_was_not_done(domain):
    """A stopped server's queue is filled; then neither a thread nor a task has room."""
    pid = domain.pid(50)
    os.kill(pid, signal.SIGSTOP)
    try:
        with pytest.raises(onewake.TPETIME) as e:
            for _ in range(100000):
                onewake.cast("NAME", b"x" * 100, timeout=0.3)
        assert not e.value.not_done, "a service may be durable: then it may be stored"
        with pytest.raises(onewake.TPETIME) as e:
            onewake.call("NAME", "x", timeout=0.05)
        assert e.value.not_done

        async def main():
            with pytest.raises(onewake.TPETIME) as of_task:
                await aio.call("NAME", "x", timeout=0.05)
            await aio.close()
            return of_task.value.not_done
        assert asyncio.run(main())
    finally:
        os.kill(pid, signal.SIGCONT)


def test_a_call_of_the_domain_before_gets_no_reply_of_this_one(boot):
    """Descriptors are given out again."""
    d = boot([{"program": "testsv", "srvid": 50, "appopt": "SLEEP ECHO"}])
    for begin_anew in (True, False):
        old = [onewake.acall("SLEEP", "20000") for _ in range(2)]
        d.xadmin("stop", "-y")
        d.xadmin("start", "-y")
        new = [onewake.acall("ECHO", f"new {i}") for i in range(2 if begin_anew else 0)]
        for call in old:
            with pytest.raises(onewake.AtmiError) as e:
                call.result(timeout=10)
            assert not e.value.not_done, e.value
        assert [call.result(timeout=10) for call in new] == [f"new {i}" for i in range(len(new))]
        assert onewake.call("ECHO", "x") == "x"
    old = [onewake.acall("SLEEP", "20000") for _ in range(2)]
    d.xadmin("stop", "-y")
    d.xadmin("start", "-y")
    with pytest.raises(onewake.AtmiError) as e:
        list(onewake.as_completed(old, timeout=10))
    assert not e.value.not_done, e.value
