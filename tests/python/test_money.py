# SPDX-License-Identifier: Apache-2.0
"""Transactions and durable queues."""
import os
import signal
import threading
import time

import pytest

import onewake
from conftest import BUILD

MAINLY = "shm"
SERVER = """
import onewake

@onewake.service("TAKE")
def take(request):
    "Takes a message of queue IN, and puts it into OUT."
    message = onewake.queue.get("S", "IN")
    onewake.queue.put("S", "OUT", message.data)
    if request.data == "fail":
        raise onewake.Fail("taken back")
    return "taken"

def init(args):
    onewake.open()
"""


@pytest.fixture(scope="module")
def domain(boot, tmp_path_factory):
    folder = tmp_path_factory.mktemp("money")
    (folder / "takesv.py").write_text(SERVER)
    (folder / "q.conf").write_text("@\n")
    xa = {"NDRX_XA_RES_ID": "5",
          "NDRX_XA_OPEN_STR": f'datadir="{folder}/qdata",qspace="S"',
          "NDRX_XA_DRIVERLIB": f"{BUILD}/lib/libndrxxaqdisk.so"}
    d = boot([{"program": "tmsrv", "srvid": 1, "env": xa},
              {"program": "tmqueue", "srvid": 2, "env": xa,
               "appopt": f"-m S -q {folder}/q.conf"},
              {"program": str(folder / "takesv.py"), "srvid": 3, "env": xa}],
             env=xa)
    onewake.open()
    return d


@pytest.fixture(autouse=True)
def empty(domain):
    for name in ("IN", "OUT", "Q"):
        list(onewake.Queue("S", name))


def test_messages_keep_their_order_and_what_they_carry(domain):
    q = onewake.Queue("S", "Q")
    for value in ("text", b"bytes", {"P_LONG": [1]}, None):
        q.put(value)
    assert [m.data for m in q] == ["text", b"bytes", {"P_LONG": [1]}, None]
    q.put("x", correlation="ours", priority=70, reply_queue="R", urcode=5)
    m = q.get()
    assert (m.correlation, m.priority, m.replyqueue, m.urcode) == \
        (b"ours", 70, "R", 5)
    with pytest.raises(AttributeError):
        m.nothing


def test_a_part_of_a_second_counts_as_a_whole_one(domain):
    q = onewake.Queue("S", "Q")
    for how in ({"delay": 0.5}, {"at": time.time() + 0.5}, {"expires": 59.5}):
        q.put("x", **how)
        assert q.get(wait=10).data == "x"
    with pytest.raises(TypeError, match="at='noon': give a number of seconds"):
        q.put("x", at="noon")
    for wrong in ("nan", "inf"):
        with pytest.raises(ValueError, match=f"delay={wrong}: give"):
            q.put("x", delay=float(wrong))


def test_a_message_is_not_there_before_its_time(domain, monkeypatch):
    """What tmqueue is told: it counts whole seconds."""
    told = []

    def enqueue(space, name, data, **how):
        told.append((how.get("deq_time"), how.get("exp_time")))
        return {"msgid": b"x"}
    monkeypatch.setattr(onewake.queues._core, "enqueue", enqueue)
    for how in ({"delay": 0.5, "expires": 59.5}, {"at": 1000.001}, {"delay": 2, "expires": 3.0}):
        onewake.queue.put("S", "Q", "x", **how)
    assert told == [(1, 60), (1001, None), (2, 3)]


def test_names_of_a_program_in_c_come_whole(domain):
    """They need not be UTF-8: a message that cannot be shown would be lost."""
    domain.run("testcl", "enq", "S", "Q", "-", os.fsdecode(b"reply=R\xfc,fail=F\xfc"), "STRING:x")
    m = onewake.queue.get("S", "Q")
    assert (m.data, m.replyqueue, m.failurequeue) == ("x", "R\udcfc", "F\udcfc")


def test_an_empty_queue(domain):
    q = onewake.Queue("S", "Q")
    with pytest.raises(onewake.QueueEmpty):
        q.get()
    start = time.monotonic()
    with pytest.raises(onewake.TPEDIAGNOSTIC):
        q.get(wait=0.2)
    assert 0.15 < time.monotonic() - start < 10
    for use in (onewake.queue.put, onewake.queue.get):
        with pytest.raises(onewake.TPENOENT) as e:
            use("NOSPACE", "Q")
        assert e.value.not_done


def test_an_empty_queue_is_what_tmqueue_says(domain):
    """One that is silent has said nothing: it may have taken a message."""
    pid = domain.pid(2)
    os.kill(pid, signal.SIGSTOP)
    try:
        with pytest.raises(onewake.TPETIME) as e:
            onewake.queue.get("S", "Q", wait=0.2)
        assert not e.value.not_done
    finally:
        os.kill(pid, signal.SIGCONT)


def test_a_message_that_cannot_be_read_is_not_lost(domain):
    q = onewake.Queue("S", "Q")
    q.put(onewake.JSON(text="{no json"), correlation="its")
    with pytest.raises(onewake.TPEOTYPE, match="was taken and cannot be read") as e:
        q.get()
    assert e.value.data.correlation == b"its"
    q.put(e.value.data.data)
    with pytest.raises(onewake.TPEOTYPE), onewake.transaction(timeout=30):
        q.get()
    assert bytes(memoryview(q.get(raw=True).data)) == b"{no json"


@pytest.mark.parametrize("how", [{"correlation": "x" * 33}, {"reply_queue": "R" * 16},
                                 {"failure_queue": "F" * 16}])
def test_names_are_not_cut_off(domain, how):
    with pytest.raises(ValueError, match="at most"):
        onewake.queue.put("S", "Q", "x", **how)
    assert not list(onewake.Queue("S", "Q"))


def test_a_part_of_a_second_is_not_no_limit(domain):
    with pytest.raises(onewake.TPEABORT), onewake.transaction(timeout=0.2):
        onewake.queue.put("S", "Q", "x")
        time.sleep(2.5)
    assert not list(onewake.Queue("S", "Q"))
    for wrong in (-1, float("nan"), 1e9):
        with pytest.raises(ValueError, match="timeout"), onewake.transaction(timeout=wrong):
            pass


def test_a_wait_ends_with_the_message(domain):
    q = onewake.Queue("S", "Q")
    t = threading.Timer(0.2, lambda: (q.put("late"), onewake.term()))
    t.start()
    assert q.get(wait=5).data == "late"
    t.join()


def test_one_message_by_its_id_or_correlation(domain):
    q = onewake.Queue("S", "Q")
    ids = [q.put(str(i), correlation=f"c{i}") for i in range(3)]
    assert q.get(peek=True).data == "0"
    assert q.get(id=ids[1]).data == "1"
    assert q.get(correlation="c2").data == "2"
    assert [m.data for m in q] == ["0"]


def test_a_block_commits(domain):
    with onewake.transaction(timeout=30):
        assert onewake.begun()
        onewake.queue.put("S", "Q", "in")
        with onewake.suspended():
            assert not onewake.begun()
            with pytest.raises(onewake.QueueEmpty):
                onewake.queue.get("S", "Q")
    assert not onewake.begun()
    assert onewake.queue.get("S", "Q").data == "in"


def test_an_exception_rolls_back_and_goes_on(domain):
    onewake.queue.put("S", "Q", "stays")
    with pytest.raises(KeyError):
        with onewake.transaction(timeout=30):
            assert onewake.queue.get("S", "Q").data == "stays"
            raise KeyError("x")
    assert not onewake.begun()
    assert onewake.queue.get("S", "Q").data == "stays"


def test_services_take_part(domain):
    onewake.queue.put("S", "IN", "money")
    with pytest.raises(onewake.TPESVCFAIL):
        with onewake.transaction(timeout=30):
            onewake.call("TAKE", "fail")
    with onewake.transaction(timeout=30):
        assert onewake.call("TAKE", "x") == "taken"
    assert [m.data for m in onewake.Queue("S", "OUT")] == ["money"]
    assert list(onewake.Queue("S", "IN")) == []


def test_a_commit_that_cannot_be_is_tpeabort(domain):
    onewake.queue.put("S", "IN", "money")
    with pytest.raises(onewake.TPEABORT):
        with onewake.transaction(timeout=30):
            with pytest.raises(onewake.TPESVCFAIL):
                onewake.call("TAKE", "fail")
    assert not onewake.begun()
    assert [m.data for m in onewake.Queue("S", "IN")] == ["money"]


def test_a_message_is_there_after_a_kill(domain):
    onewake.queue.put("S", "Q", "durable")
    pid = domain.kill(2)
    domain.wait_for(lambda: domain.pid(2) not in (0, pid), "tmqueue is back")

    def get():
        try:
            return onewake.queue.get("S", "Q").data
        except (onewake.TPENOENT, onewake.TPESVCERR):
            return None
    assert domain.wait_for(get, "the message") == "durable"
