# SPDX-License-Identifier: Apache-2.0
"""Calls from an event loop: many at once, cancelled, late, lost."""
import asyncio
import errno
import select
import socket
import time

import pytest

import onewake
from onewake import aio

COST = 8


@pytest.fixture(scope="module")
def domain(boot):
    return boot([{"program": "tpevsrv", "srvid": 60},
                 {"program": "basicsv.py", "srvid": 1},
                 {"program": "testsv", "srvid": 50, "appopt": "CECHO=ECHO"}])


def run(coroutine):
    """In a loop of its own, and nothing is left of it."""
    async def all_of_it():
        try:
            return await asyncio.wait_for(coroutine, 60)
        finally:
            client = aio._own.client
            assert not client.waiting and not client.services and not client.raw
    return asyncio.run(all_of_it())


def test_thousands_in_flight_each_gets_its_reply(domain):
    async def many():
        return await asyncio.gather(*(
            aio.call("CECHO", {"P_LONG": i}) for i in range(3000)))
    assert [r["P_LONG"][0] for r in run(many())] == list(range(3000))


def test_slow_services_wait_together(domain):
    async def many():
        start = time.monotonic()
        got = await asyncio.gather(*(aio.call("LATE", "0.3")
                                     for _ in range(200)))
        return set(got), time.monotonic() - start
    got, seconds = run(many())
    assert got == {"late 0.3"} and seconds < 10, "200 times 0.3 s are 60"


def test_errors_are_those_of_call(domain):
    async def each():
        with pytest.raises(onewake.TPESVCFAIL) as e:
            await aio.call("FAIL", {"P_LONG": 5})
        assert (e.value.urcode, e.value.data) == (7, {"P_LONG": [5]})
        with pytest.raises(onewake.TPENOENT):
            await aio.call("NOSUCHSVC")
        with pytest.raises(onewake.TPESVCERR):
            await aio.call("RAISE")
        r = await aio.reply("CODE", "x")
        assert (r.data, r.urcode) == ("x", 8)
        await aio.cast("ECHO", "x")
    run(each())


def test_raw_replies_among_others(domain):
    async def mixed():
        return await asyncio.gather(
            aio.call("CECHO", "a"), aio.call("CECHO", "b", raw=True),
            aio.call("FAIL", "c"), aio.call("CECHO", None),
            return_exceptions=True)
    a, b, c, none = run(mixed())
    assert (a, b.decode(), c.data, none) == ("a", "b", "c", None)


def test_a_call_that_is_lost_leaves_nothing_to_the_next_one_of_its_number(domain):
    async def again():
        aio._client().raw.update(range(100000))
        assert await aio.call("CECHO", "x") == "x"
        aio._own.client.raw.clear()
    run(again())


def test_each_call_has_its_own_deadline(domain):
    async def several():
        start = time.monotonic()

        async def timed(seconds):
            try:
                return await aio.call("LATE", "2", timeout=seconds)
            except TimeoutError as e:
                return e.name, round(time.monotonic() - start, 1)
        return await asyncio.gather(timed(0.1), timed(10), timed(0.3))
    first, second, third = run(several())
    assert first[0] == third[0] == "TPETIME" and second == "late 2"
    assert 0.1 <= first[1] <= third[1] < 2


def test_a_cancelled_task_drops_its_call(domain):
    async def cancel():
        task = asyncio.ensure_future(aio.call("LATE", "0.2"))
        await asyncio.sleep(0.05)
        assert len(aio._own.client.waiting) == 1
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not aio._own.client.waiting
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(aio.call("LATE", "5", raw=True), 0.05)
        await asyncio.sleep(0.3)  # the first reply comes, and is nobody's
        return await aio.call("ECHO", "x")
    assert run(cancel()) == "x"


def test_a_task_that_is_cancelled_when_its_reply_has_come_drops_no_other_call(domain):
    """The descriptor may be that of a later call by then."""
    async def cancel():
        client = aio._client()
        task = asyncio.ensure_future(aio.call("ECHO", "x"))
        await asyncio.sleep(0)
        [cd] = client.waiting
        while client.waiting:  # without a turn of the loop
            select.select([client._fd], [], [], 5)
            client._ready()
        later = client.waiting[cd] = asyncio.get_running_loop().create_future()
        client.services[cd] = "ECHO"
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        kept = client.waiting.pop(cd, None) is later
        client.services.clear()
        return kept
    assert run(cancel())


def test_a_time_that_is_none_is_refused(domain):
    for wrong in (0, -1, float("nan")):
        with pytest.raises(ValueError, match="timeout"):
            run(aio.call("ECHO", "x", timeout=wrong))


def test_plain_calls_beside_those_of_tasks_get_their_replies(domain):
    async def both():
        call, failing = onewake.acall("ECHO", "plain"), onewake.acall("FAIL", "x")
        late = asyncio.ensure_future(aio.call("LATE", "0.2"))
        await asyncio.sleep(0.1)
        with pytest.raises(onewake.TPEPROTO, match="tasks of this thread"):
            list(onewake.as_completed([call]))
        assert onewake.call("ECHO", "at once") == "at once"
        assert await late == "late 0.2" and call.done()
        with pytest.raises(onewake.TPESVCFAIL) as e:
            failing.result(timeout=5)
        assert (e.value.data, failing.urcode) == ("x", 7)
        return call.result(timeout=5)
    assert run(both()) == "plain"


def test_other_tasks_run_meanwhile(domain):
    async def both():
        ticks = 0

        async def tick():
            nonlocal ticks
            while True:
                await asyncio.sleep(0.005)
                ticks += 1
        task = asyncio.ensure_future(tick())
        await aio.call("LATE", "0.3")
        task.cancel()
        return ticks
    assert run(both()) > 3


def test_a_full_queue_makes_calls_wait_and_not_the_loop(domain, tmp_path):
    go = tmp_path / "go"

    async def fill():
        busy = asyncio.ensure_future(aio.call("HOLD", str(go)))
        await asyncio.sleep(0.05)
        many = [asyncio.ensure_future(aio.call("ECHO", "x" * 400))
                for _ in range(1000)]
        await asyncio.sleep(0)
        assert not busy.done()
        go.touch()  # as the loop does not wait
        assert await busy == str(go)
        return {await m for m in many}
    assert run(fill()) == {"x" * 400}


def test_who_waits_for_room_waits_until_the_time_of_the_call_is_over(domain, tmp_path):
    go = tmp_path / "go"

    async def fill():
        busy = asyncio.ensure_future(aio.call("HOLD", str(go)))
        await asyncio.sleep(0.05)
        many = [asyncio.ensure_future(aio.call("ECHO", "x", timeout=0.2)) for _ in range(500)]
        gone = many.pop()
        await asyncio.sleep(0.01)
        gone.cancel()
        got = await asyncio.gather(*many, return_exceptions=True)
        assert not busy.done()
        go.touch()
        await busy
        assert not aio._own.client.blocked
        return {type(e) for e in got}
    assert run(fill()) == {onewake.TPETIME}
    assert run(aio.call("ECHO", "y")) == "y"


def test_a_killed_server_is_an_error_of_its_calls(domain):
    async def calls():
        many = [asyncio.ensure_future(aio.call("LATE", "20"))
                for _ in range(50)]
        await asyncio.sleep(0.3)
        start = time.monotonic()
        domain.kill(1)
        got = await asyncio.gather(*many, return_exceptions=True)
        return {type(e) for e in got}, time.monotonic() - start
    kinds, seconds = run(calls())
    assert kinds == {onewake.TPESVCERR} and seconds < 15
    domain.wait_for(lambda: domain.pid(1), "it is back")


def test_coroutine_services_call(domain):
    assert onewake.call("CHAIN", "x") == "x 0; x 1; x 2"


def test_unsolicited_messages_and_events(domain):
    async def listen():
        seen = []
        async for message in aio.messages():
            seen.append(message)
            if len(seen) == 3:
                return seen

    async def both():
        task = asyncio.ensure_future(listen())
        await asyncio.sleep(0)
        await aio.call("NOTIFY", "m")
        assert await task == ["m 0", "m 1", "m 2"]

        async def news():
            async for event in aio.events("^NEWS$"):
                return event
        task = asyncio.ensure_future(news())
        await asyncio.sleep(0)
        onewake.post("NEWS", {"P_LONG": 1})
        assert await task == {"P_LONG": [1]}
    run(both())
    onewake.on_message(None)


def test_a_thread_goes_back_to_plain_calls(domain):
    assert onewake.call("CECHO", "x") == "x"
    assert run(aio.call("CECHO", "y")) == "y"
    assert onewake.acall("CECHO", "z").result() == "z"


def test_close_leaves_the_domain_and_the_next_call_joins_it(domain):
    async def twice():
        await aio.call("CECHO", "x")
        await aio.close()
        return await aio.call("CECHO", "y")
    assert run(twice()) == "y"

    async def by_term():
        await aio.call("CECHO", "x")
        onewake.term()
        return await aio.call("CECHO", "z")
    assert run(by_term()) == "z"


def test_nobody_waits_for_calls_that_close_has_dropped(domain):
    async def each():
        calls = [asyncio.ensure_future(aio.call("LATE", "5")) for _ in range(3)]
        news = asyncio.ensure_future(anext_of(aio.messages()))
        while len(aio._client().waiting) < 3 or not aio._client().listeners:
            await asyncio.sleep(0.01)
        await aio.close()
        done, late = await asyncio.wait([*calls, news], timeout=20)
        assert not late
        assert all(isinstance(c.exception(), onewake.TPESYSTEM) and
                   "not known" in str(c.exception()) for c in calls)
        assert isinstance(news.exception(), onewake.TPEPROTO)
        assert await aio.call("ECHO", "afterwards") == "afterwards"
    run(each())


async def anext_of(messages):
    return await messages.__anext__()


def test_who_waits_for_events_hears_that_their_domain_has_ended(boot):
    d = boot(["basicsv.py", {"program": "tpevsrv", "srvid": 60}])

    async def listen():
        async for message in aio.events("^EV$"):
            assert message == "x"

    async def both():
        task = asyncio.ensure_future(listen())
        await asyncio.sleep(0.05)
        assert onewake.post("EV", "x") == 1
        await asyncio.get_running_loop().run_in_executor(None, d.xadmin, "stop", "-y")
        try:
            with pytest.raises(onewake.AtmiError):
                await asyncio.wait_for(task, 20)
        finally:
            await aio.close()
    asyncio.run(both())


async def elsewhere(function, *args):
    return await asyncio.get_running_loop().run_in_executor(None, function, *args)


def test_a_loop_goes_on_in_the_next_domain(boot):
    """Which has another descriptor: the number of the old one is that of something else."""
    d = boot(["basicsv.py", {"program": "tpevsrv", "srvid": 60}])

    async def first(messages):
        async for message in messages:
            return message

    async def restarted():
        assert await aio.call("ECHO", "before") == "before"
        news = asyncio.ensure_future(first(aio.events("^EV$")))
        out = [asyncio.ensure_future(aio.call("LATE", "30")) for _ in range(3)]
        await asyncio.sleep(0.1)
        await elsewhere(d.xadmin, "stop", "-y")
        await elsewhere(d.xadmin, "start", "-y")
        assert await asyncio.wait_for(aio.call("ECHO", "after"), 10) == "after"
        pairs = [socket.socketpair() for _ in range(8)]  # numbers that are free are used again
        for a, b in pairs:
            a.setblocking(False)
            b.send(b"x")
            loop = asyncio.get_running_loop()
            assert await asyncio.wait_for(loop.sock_recv(a, 1), 10) == b"x"
        done, late = await asyncio.wait([*out, news], timeout=10)
        assert not late
        assert all(isinstance(f.exception(), onewake.AtmiError) and not f.exception().not_done
                   for f in out)
        begin = time.monotonic()
        for i in range(20):
            assert await asyncio.wait_for(aio.call("ECHO", "x" * i), 10) == "x" * i
        assert await asyncio.gather(*(aio.call("LATE", "0.1") for _ in range(20))) == \
            ["late 0.1"] * 20
        assert time.monotonic() - begin < 5  # the descriptor tells, not the time
        news = asyncio.ensure_future(first(aio.events("^EV$")))
        await asyncio.sleep(0.1)
        assert onewake.post("EV", "again") == 1
        assert await asyncio.wait_for(news, 10) == "again"
        for a, b in pairs:
            a.close(), b.close()
        await aio.close()
    asyncio.run(restarted())


def test_a_loop_without_a_descriptor_in_the_next_domain_goes_on(boot, monkeypatch):
    """Where none is free (EMFILE): replies are looked for now and then, until there is one."""
    d = boot(["basicsv.py"])

    def none_free(fd):
        tries.append(fd)
        raise OSError(errno.EMFILE, "none is free")

    async def restarted():
        assert await aio.call("ECHO", "before") == "before"
        await elsewhere(d.xadmin, "stop", "-y")
        await elsewhere(d.xadmin, "start", "-y")
        with monkeypatch.context() as m:
            m.setattr(aio.os, "dup", none_free)
            assert await asyncio.wait_for(aio.call("LATE", "0.1"), 10) == "late 0.1"
            assert await asyncio.gather(*(aio.call("LATE", "0.1") for _ in range(20))) == \
                ["late 0.1"] * 20
            assert len(tries) > 1 and aio._own.client._fd == -1
        assert await aio.call("ECHO", "after") == "after"
        assert aio._own.client._fd >= 0
        await aio.close()
    tries = []
    asyncio.run(restarted())
