# SPDX-License-Identifier: Apache-2.0
"""A forked child calls with a context of its own, and cannot use what is its parent's."""
import asyncio
import multiprocessing
import os
import traceback

import pytest

import onewake
from onewake import aio

COST = 8


@pytest.fixture(scope="module")
def domain(boot):
    return boot([{"program": "basicsv.py", "min": 2, "max": 2},
                 {"program": "forksv.py", "srvid": 20}, {"program": "conversesv.py", "srvid": 30},
                 {"program": "tpevsrv", "srvid": 40}])


def in_child(function):
    """What the function says in a forked child, as text; the child's exit status is 0."""
    ours, its = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.write(its, str(function()).encode())
            status = 0
        except BaseException:  # noqa: BLE001: the parent is told
            traceback.print_exc()
            status = 1
        os._exit(status)
    os.close(its)
    with os.fdopen(ours, "rb") as f:
        said = f.read().decode()
    assert os.waitpid(pid, 0)[1] == 0
    return said


def refusal(function, *args, **how):
    try:
        return function(*args, **how)
    except onewake.TPEPROTO as e:
        return f"{e.not_done} {e}"


BELONGS = "belongs to the process that made it"


def test_parent_and_child_both_call(domain):
    call = onewake.acall("LATE", "0.3")
    assert in_child(lambda: onewake.call("ECHO", "child")) == "child"
    assert call.result(timeout=10) == "late 0.3", "its reply is the parent's"
    assert onewake.call("ECHO", "parent") == "parent"


def test_a_call_of_the_parent_is_refused(domain):
    call = onewake.acall("LATE", "0.3")

    def child():
        mine = onewake.acall("ECHO", "mine")  # perhaps with the same descriptor
        said = [refusal(f) for f in (call.result, call.done, call.cancel,
                                     lambda: list(onewake.as_completed([call])))]
        assert mine.result() == "mine"
        return all(s.startswith("True") and BELONGS in s for s in said)
    assert in_child(child) == "True"
    assert call.result(timeout=10) == "late 0.3"


def test_a_conversation_of_the_parent_is_refused_and_goes_on(domain):
    with onewake.connect("COUNT", {"P_LONG": 3}, receive=True) as c:
        first = c.receive()

        def child():
            with c:  # whose end does nothing here
                return refusal(c.receive) + refusal(c.send, "x")
        assert in_child(child).count(BELONGS) == 2
        assert [m["P_LONG"][0] for m in (first, *c)] == [0, 1, 2]


def test_a_subscription_of_the_parent_stays(domain):
    with onewake.subscribe("^FORK") as s:
        assert in_child(s.close) == "None"
        onewake.post("FORK.ONE", "x")
        assert next(onewake.messages(timeout=5)) == "x"

        def child():
            with onewake.subscribe("^CHILD"):
                onewake.post("CHILD.ONE", "y")
                return next(onewake.messages(timeout=5))
        assert in_child(child) == "y", "its own messages come to it"


def test_an_event_loop_of_a_child_leaves_that_of_the_parent_alone(domain):
    async def child():
        reply = await aio.call("ECHO", "child")
        await aio.close()
        return reply

    async def main():
        late = asyncio.ensure_future(aio.call("LATE", "0.3"))
        await asyncio.sleep(0.05)
        said = in_child(lambda: run_anew(child))
        reply = await late
        await aio.close()
        return said, reply

    def run_anew(fn):
        asyncio.events._set_running_loop(None)  # that of the parent
        return asyncio.run(fn())
    assert asyncio.run(main()) == ("child", "late 0.3")


def call_echo(value):
    return onewake.call("ECHO", value)


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing(domain, method):
    assert onewake.call("ECHO", "x") == "x"
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(call_echo, ["a", "b", "c"]) == ["a", "b", "c"]
    assert onewake.call("ECHO", "x") == "x"


def test_a_service_may_fork(domain):
    """Its child may call; one that comes back from the service ends."""
    for i in range(3):
        assert onewake.call("FORKS", str(i)) == f"child {i}"
        assert onewake.call("COMESBACK", str(i)) == "256", "the status of the child"
    assert "came back from it" in domain.logs()
    assert onewake.call("FORKS", "x") == "child x", "the server lives"
