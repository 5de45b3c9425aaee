# SPDX-License-Identifier: Apache-2.0
"""Conversations: both ends in Python."""
import asyncio

import pytest

import onewake
from onewake import aio

MAINLY = "posix"


@pytest.fixture(scope="module")
def domain(boot):
    return boot(["conversesv.py"])


def test_a_stream_of_messages_and_what_the_service_returns(domain):
    with onewake.connect("COUNT", {"P_LONG": 100}, receive=True) as c:
        assert [m["P_LONG"][0] for m in c] == list(range(100))
        assert (c.open, c.reply, c.urcode) == (False, {"P_LONG": [4950]}, 100)
        with pytest.raises(EOFError):
            c.receive()


def test_both_ends_send_in_turns(domain):
    with onewake.connect("UPPER") as c:
        for text in ("one", "two"):
            c.send(text, then_receive=True)
            assert c.receive() == text.upper() and c.control
        c.send("", then_receive=True)
        assert list(c) == [] and c.reply == "end"


def test_many_messages_to_the_service(domain):
    with onewake.connect("COLLECT") as c:
        for i in range(50):
            c.send(str(i))
        c.send("50", then_receive=True)
        assert list(c) == []
        assert c.reply == " ".join(map(str, range(51)))


def test_a_service_that_fails_is_an_exception_with_its_data(domain):
    with onewake.connect("GIVEUP") as c:
        c.send("x", then_receive=True)
        with pytest.raises(onewake.TPESVCFAIL) as e:
            c.receive()
        assert (e.value.data, e.value.urcode, c.open) == ("enough", 3, False)
    with onewake.connect("BREAK", receive=True) as c:
        with pytest.raises(onewake.TPESVCERR):
            list(c)


def test_leaving_the_block_leaves_the_conversation(domain):
    with onewake.connect("UNTILLEFT", receive=True) as c:
        assert c.receive() == "x"
    seen = domain.wait_for(lambda: onewake.call("LEFT"), "it noticed")
    assert "TPEV_DISCONIMM" in seen[-1]


def test_a_time_out_leaves_the_conversation_as_it_is(domain):
    with onewake.connect("UPPER") as c:
        c.send("x", then_receive=True)
        c.receive()
        c.send("y", then_receive=True)
        assert c.receive() == "Y"
        with pytest.raises(onewake.TPEPROTO):
            onewake._core.recv(c.cd, 0, None, False)  # it is ours to send
    with onewake.connect("THINK", receive=True, timeout=5) as c:
        with pytest.raises(TimeoutError):
            c.receive(timeout=0.1)
        assert c.open
        assert list(c) == [] and c.reply == "thought"


def test_a_killed_partner_is_an_exception(domain):
    with onewake.connect("UPPER") as c:
        c.send("x", then_receive=True)
        c.receive()
        domain.kill(1)
        with pytest.raises((onewake.TPESVCERR, onewake.TPEEVENT)):
            for _ in range(100):
                c.send("y", then_receive=True)
                c.receive(timeout=5)
    domain.wait_for(lambda: domain.pid(1), "it is back")


def test_no_such_service(domain):
    with pytest.raises(onewake.TPENOENT):
        onewake.connect("NOSUCHSVC")


def _run(coroutine):
    async def and_leave():
        try:
            return await asyncio.wait_for(coroutine, 60)
        finally:
            aio.leave()
    return asyncio.run(and_leave())


async def _count(n):
    async with aio.connect("COUNT", {"P_LONG": n}, receive=True) as c:
        got = [m["P_LONG"][0] async for m in c]
        assert got == list(range(n)) and (c.open, c.urcode) == (False, n)
        return c.reply["P_LONG"][0]


def test_a_loop_converses_beside_calls(domain):
    async def beside():
        async with aio.connect("UPPER") as c:
            for text in ("one", "two"):
                await c.send(text, then_receive=True)
                assert await c.receive() == text.upper() and c.control
            await c.send("", then_receive=True)
            assert [m async for m in c] == [] and c.reply == "end"
        return await asyncio.gather(*(_count(20 + i) for i in range(3)))
    assert _run(beside()) == [190, 210, 231]


def test_a_loop_goes_on_while_a_conversation_waits(domain):
    async def waits():
        async with aio.connect("UPPER") as c:
            with pytest.raises(onewake.TPEPROTO):
                await c.receive()  # it has control
            await c.send("x", then_receive=True)
            assert await c.receive() == "X"
        async with aio.connect("SLOWLY", receive=True) as c:
            ticks, waiting = 0, asyncio.ensure_future(c.receive(timeout=0.15))
            while not waiting.done():
                await asyncio.sleep(0.01)
                ticks += 1
            with pytest.raises(onewake.TPETIME):
                await waiting
            assert ticks >= 3
            task = asyncio.ensure_future(c.receive())
            await asyncio.sleep(0.01)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            with pytest.raises(EOFError):
                await c.receive()
            assert c.reply == "slept"
    _run(waits())


def test_a_loop_that_leaves_is_noticed(domain):
    async def leave():
        async with aio.connect("UNTILLEFT", receive=True) as c:
            assert await c.receive() == "x"
    _run(leave())
    seen = domain.wait_for(lambda: onewake.call("LEFT"), "it noticed")
    assert "TPEV_DISCONIMM" in seen[-1]


def test_a_loop_is_told_how_a_conversation_ends(domain):
    async def ends():
        async with aio.connect("GIVEUP") as c:
            await c.send("x", then_receive=True)
            with pytest.raises(onewake.TPESVCFAIL) as e:
                await c.receive()
            assert (e.value.data, e.value.urcode) == ("enough", 3)
        with pytest.raises(onewake.TPENOENT):
            async with aio.connect("NOBODY"):
                pass
    _run(ends())
