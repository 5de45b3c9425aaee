# SPDX-License-Identifier: Apache-2.0
"""Conversations: both ends in Python."""
import pytest

import onewake

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
