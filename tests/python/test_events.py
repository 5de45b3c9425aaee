# SPDX-License-Identifier: Apache-2.0
"""Events and unsolicited messages."""
import threading

import pytest

import onewake

SERVER = """
import onewake

seen = []

@onewake.service("ONPRICE")
def on_price(request):
    seen.append(request.data)

@onewake.service("SEEN")
def what_was_seen(request):
    return onewake.JSON(seen)

def init(args):
    onewake.subscribe("^PRICE", service="ONPRICE")
"""

MAINLY = "posix"


@pytest.fixture(scope="module")
def domain(boot, tmp_path_factory):
    path = tmp_path_factory.mktemp("events") / "pricesv.py"
    path.write_text(SERVER)
    return boot([{"program": "tpevsrv", "srvid": 1}, str(path)])


def test_a_service_gets_events(domain):
    assert onewake.post("PRICE.EUR", "1.1") == 1
    assert onewake.post("OTHER", "x") == 0
    domain.wait_for(lambda: onewake.call("SEEN") == ["1.1"], "it came")


def test_a_client_gets_events_until_its_block_ends(domain):
    with onewake.subscribe("^NEWS$"):
        for i in range(3):
            assert onewake.post("NEWS", {"P_LONG": i}) == 1
        came = onewake.messages(timeout=2)
        assert [next(came)["P_LONG"][0] for _ in range(3)] == [0, 1, 2]
    assert onewake.post("NEWS", "x") == 0
    assert list(onewake.messages(timeout=0.05)) == []


def test_filters(domain):
    with onewake.subscribe("^NEWS$", "P_LONG > 5"):
        assert [onewake.post("NEWS", {"P_LONG": n}) for n in (5, 6)] == [0, 1]
        assert next(onewake.messages(timeout=2)) == {"P_LONG": [6]}
    with pytest.raises(onewake.AtmiError):
        onewake.subscribe("(")


def test_a_wait_for_messages_ends_with_one_of_another_thread(domain):
    with onewake.subscribe("^LATE$"):
        t = threading.Timer(0.1, lambda: (onewake.post("LATE", "x"),
                                          onewake.term()))
        t.start()
        assert next(onewake.messages(timeout=5)) == "x"
        t.join()


def test_a_broadcast_reaches_clients_that_listen(domain):
    seen = []
    onewake.on_message(seen.append)
    t = threading.Thread(target=lambda: (onewake.broadcast("all"),
                                         onewake.term()))
    t.start()
    t.join()
    domain.wait_for(lambda: onewake._core.check_unsol() >= 0 and seen, "it came")
    assert seen == ["all"]
    onewake.on_message(None)


def test_a_handler_that_raises_does_no_harm(domain, capsys, recwarn):
    def wrong(_):
        raise ValueError("in a handler")
    onewake.on_message(wrong)
    with onewake.subscribe("^BAD$"):
        onewake.post("BAD", "x")
        onewake._core.check_unsol()
    onewake.on_message(None)
    assert onewake.call("SEEN") is not None


def test_a_thread_that_has_left_and_joins_again_gets_messages(domain):
    with onewake.subscribe("^NEWS$"):
        onewake.term()
    with onewake.subscribe("^NEWS$"):
        assert onewake.post("NEWS", "x") == 1
        assert next(onewake.messages(timeout=5)) == "x"


def test_a_subscription_outlives_tpevsrv(domain):
    with onewake.subscribe("^NEWS$"):
        pid = domain.kill(1)
        domain.wait_for(lambda: domain.pid(1) not in (0, pid), "tpevsrv is back")
        domain.wait_for(lambda: onewake.post("NEWS", "x") == 1, "it posts")
        assert next(onewake.messages(timeout=5)) == "x"


def test_who_waits_for_messages_hears_that_its_subscriptions_have_ended(boot):
    """Nothing would come any more. Its number is another's in the next domain."""
    d = boot([{"program": "tpevsrv", "srvid": 1}])
    old = onewake.subscribe("^NEWS$")
    came = onewake.messages(timeout=20)
    assert onewake.post("NEWS", "x") == 1 and next(came) == "x"
    d.xadmin("stop", "-y")
    d.xadmin("start", "-y")
    with pytest.raises(onewake.TPEPROTO, match="the domain was shut down"):
        next(came)
    assert list(onewake.messages(timeout=0.05)) == []
    onewake.broadcast("all")  # who hears these has not subscribed
    assert next(onewake.messages(timeout=5)) == "all"
    with onewake.subscribe("^NEWS$") as b:
        assert b.number == old.number
        old.close()
        assert onewake.post("NEWS", "y") == 1
        assert next(onewake.messages(timeout=5)) == "y"
    d.xadmin("stop", "-y")
    d.xadmin("start", "-y")
    with onewake.subscribe("^NEWS$") as b:  # nobody has looked meanwhile
        assert onewake.post("NEWS", "z") == 1
        assert next(onewake.messages(timeout=5)) == "z"
