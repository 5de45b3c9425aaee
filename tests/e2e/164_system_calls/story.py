# SPDX-License-Identifier: Apache-2.0
"""What the library asks servers of the system uses up nothing that the program
has set for its next call, and leaves nothing behind."""
import os
import signal

from checks import equal
from fixture import Domain, kill, wait_for

PRIO = 90


def _tmqueue(d):
    path = os.path.join(d.home, "q.conf")
    with open(path, "w", encoding="utf-8") as f:
        f.write("@\n")
    d.server(80, "-q", path, binary="tmqueue",
             env={"NDRX_XA_OPEN_STR": f'datadir="{d.home}/qdata",qspace="S"'})


def _keeps(c, *words, err="OK"):
    """The command leaves priority, tpgprio() and tpurcode to the next call."""
    equal(c.call("ECHO", "x").err, "OK")
    equal(c("prio", PRIO, "TPABSOLUTE").ret, 0)
    equal(c(*words).err, err)
    equal(c("lastprio").ret, 50, f"tpgprio() after {words[0]}")
    equal(c.call("ECHO", "x").err, "OK")
    equal(c("lastprio").ret, PRIO, f"the call after {words[0]}")


def test_a_durable_queue_leaves_the_priority_to_the_next_call():
    with Domain() as d:
        _tmqueue(d)
        d.server(1, "ECHO")
        c = d.client()
        _keeps(c, "enq", "S", "Q", "-", "-", "STRING:x")
        _keeps(c, "deq", "S", "Q", "-", "-")
        _keeps(c, "deq", "S", "Q", "-", "-", err="TPEDIAGNOSTIC")
        _keeps(c, "enq", "NONE", "Q", "-", "-", "STRING:x", err="TPENOENT")


def test_a_post_leaves_the_priority_to_the_next_call():
    with Domain() as d:
        d.server(90, binary="tpevsrv")
        d.server(1, "ECHO", "LOG", "SUBSCRIBE")
        c = d.client()
        _keeps(c, "post", "NEWS", "-", "STRING:x")
        equal(d.call("SUBSCRIBE", "NEWS - LOG 1").err, "OK")
        _keeps(c, "post", "NEWS", "-", "STRING:x")
        _keeps(c, "post", "NEWS", "TPNOREPLY", "STRING:x")
        wait_for(lambda: d.row("psc", service="LOG").succeeded == 2, "both")


def test_a_subscription_leaves_the_priority_to_the_next_call():
    with Domain() as d:
        d.server(90, binary="tpevsrv")
        d.server(1, "ECHO")
        c = d.client()
        _keeps(c, "subscribe", "NEWS", "-", "-", 0)
        _keeps(c, "unsubscribe", -1)


def test_a_transaction_leaves_the_priority_to_the_next_call():
    with Domain() as d:
        d.server(105, binary="tmsrv",
                 env={"NDRX_XA_RES_ID": "5", "NDRX_XA_OPEN_STR":
                      f'datadir="{d.home}/qdata",qspace="S"',
                      "NDRX_XA_DRIVERLIB": "libndrxxaqdisk.so"})
        d.server(1, "ECHO")
        c = d.client()
        _keeps(c, "tx", "begin")
        _keeps(c, "tx", "commit")


def test_the_time_out_of_the_next_call_is_that_of_the_next_function_that_waits():
    with Domain() as d:
        _tmqueue(d)
        d.server(105, binary="tmsrv",
                 env={"NDRX_XA_RES_ID": "5", "NDRX_XA_OPEN_STR":
                      f'datadir="{d.home}/qdata",qspace="S"',
                      "NDRX_XA_DRIVERLIB": "libndrxxaqdisk.so"})
        d.server(90, binary="tpevsrv")
        c = d.client()
        for words, left in ((("tx", "begin"), 9), (("tx", "commit"), 9),
                            (("enq", "S", "Q", "-", "-", "STRING:x"), 0),
                            (("deq", "S", "Q", "-", "-"), 0),
                            (("post", "NEWS", "-", "STRING:x"), 0),
                            (("subscribe", "NEWS", "-", "-", 0), 0)):
            equal(c("blktime", "TPBLK_NEXT", 9).ret, 0)
            equal(c(*words).err, "OK")
            equal(c("blktime", "TPBLK_NEXT").ret, left, " ".join(words[:2]))


def test_a_login_leaves_the_priority_to_the_next_call():
    security = '<security auth="APP" authsvc="LETIN"/>'
    with Domain() as d:
        d.boot({"srvid": 1, "min": 2, "max": 2, "appopt": "ECHO LETIN"},
               sections=security)
        c = d.client()
        equal(c("prio", PRIO, "TPABSOLUTE").ret, 0)
        equal(c("login", "anna", "any", 7).err, "OK")
        equal(c.call("ECHO", "x").err, "OK")
        equal(c("lastprio").ret, PRIO)


def test_an_interrupted_post_leaves_no_reply_to_the_program():
    with Domain() as d:
        p = d.server(90, binary="tpevsrv")
        d.server(1, "ECHO", "LOG", "SUBSCRIBE")
        equal(d.call("SUBSCRIBE", "NEWS - LOG 1").err, "OK")
        c = d.client()
        kill(p.pid, signal.SIGSTOP)
        c("alarm", 100, 100)
        equal(c("post", "NEWS", "-", "STRING:x").err, "TPGOTSIG")
        c("alarm", 0)
        kill(p.pid, signal.SIGCONT)
        wait_for(lambda: d.row("psc", service="LOG").succeeded == 1, "there")
        equal(c("getrply", 0, "TPGETANY").err, "TPEBADDESC")
