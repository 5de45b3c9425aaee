# SPDX-License-Identifier: Apache-2.0
"""Messages of automatic queues go to a service, its answers to reply queues."""
import os
import time

from checks import at_least, check, contains, equal
from covers import covers
from fixture import SLOW, Domain, kill, wait_for

QMENOMSG = "-11"


def boot(d, *queues):
    path = os.path.join(d.home, "q.conf")
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n".join(queues) + "\n")
    return d.server(80, "-m", "S", "-q", path, binary="tmqueue")


def ctl(r):
    return dict(i.split("=", 1) for i in r.event.split(";"))


def enq(c, queue, text, opts="-"):
    r = c("enq", "S", queue, "-", opts, f"STRING:{text}")
    equal(r.err, "OK", r.text)


def deq(c, queue):
    """What comes to the queue, and its control block."""
    r = c("deq", "S", queue, "-", "wait")
    equal(r.err, "OK", r.text)
    return r.data, ctl(r)


def empty(c, queue):
    r = c("deq", "S", queue, "-", "-")
    equal(ctl(r)["diag"], QMENOMSG)


def test_the_answer_of_the_service_goes_to_the_reply_queue():
    with Domain() as d:
        boot(d, "ECHO,autoq=y", "R")
        d.server(1, "ECHO")
        c = d.client()
        for i in range(5):
            enq(c, "ECHO", f"m{i}", f"reply=R,corrid=c{i}")
        for i in range(5):
            data, k = deq(c, "R")
            equal((data, k["corrid"]), (f"m{i}", f"c{i}"))
        row = d.row("mqlq", queue="ECHO")
        equal((row.queued, row.locked, row.succeeded, row.failed),
              (0, 0, 5, 0))


def test_pauses_between_tries_grow_by_waitretryinc():
    with Domain() as d:
        boot(d, "FAIL,autoq=y,tries=3,waitretry=100ms,waitretryinc=600ms,"
             "svcnm=@", "F", "Z,autoq=y,svcnm=FAIL,tries=0,waitretry=30")
        d.server(1, "FAIL")
        c = d.client()
        t = time.monotonic()
        enq(c, "FAIL", "a", "fail=F")
        equal(deq(c, "F")[0], "a")
        at_least(time.monotonic() - t, 0.79, "seconds")
        enq(c, "Z", "b", "fail=F")  # once
        equal(deq(c, "F")[0], "b")


def test_svcnm_names_the_service_and_waitinit_delays():
    with Domain() as d:
        boot(d, "Q,autoq=y,svcnm=ECHO,waitinit=0.3", "R")
        d.server(1, "ECHO")
        c = d.client()
        t = time.monotonic()
        enq(c, "Q", "a", "reply=R")
        equal(deq(c, "R")[0], "a")
        at_least(time.monotonic() - t, 0.29, "seconds")


def test_only_a_service_that_returned_has_a_code():
    with Domain() as d:
        boot(d, "NOTRETURN,autoq=y,tries=1,errorq=E", "E")
        d.server(1, "NOTRETURN")
        enq(d.client(), "NOTRETURN", "a")
        row, = wait_for(lambda: d.rows("mqlm", "-s", "S", "-q", "E"), "given up")
        why = "TPESVCERR, service NOTRETURN, 1 try, queue NOTRETURN, 20"
        check(row.given_up.startswith(why), row.given_up)


@covers("xadmin mqpurge")
def test_a_failing_service_is_tried_again_then_the_failure_queue_gets_its_answer():
    with Domain() as d:
        boot(d, "FAIL,autoq=y,tries=3,waitretry=100ms,errorq=E", "R", "F", "E")
        d.server(1, "FAIL")
        c = d.client()
        enq(c, "FAIL", "a", "reply=R,fail=F,corrid=k")
        data, k = deq(c, "F")
        equal(k["corrid"], "k")
        equal(deq(c, "E")[0], "a")
        empty(c, "R")
        equal(d.row("psc", service="FAIL").failed, 3)
        why = "TPESVCFAIL, rcode 77, service FAIL, 3 tries, queue FAIL, 20"
        enq(c, "FAIL", "b", "fail=F")
        wait_for(lambda: d.rows("mqlm", "-s", "S", "-q", "E"), "given up")
        row, = d.rows("mqlm", "-s", "S", "-q", "E")
        check(row.given_up.startswith(why), row.given_up)
        contains(d.xadmin("mqlm", "-s", "S", "-q", "F").stdout, why)
        contains(d.xadmin("mqdm", "-s", "S", "-m", row.msgid).stdout,
                 "given up     " + why)
        # Taken back by a caller that has gone, it is there as it was.
        equal(deq(c, "E")[0], "b")
        enq(c, "FAIL", "c", "fail=F")
        wait_for(lambda: d.rows("mqlm", "-s", "S", "-q", "E"), "given up")
        contains(d.xadmin("mqpurge", "-y", "-s", "S", "-q", "F").stdout,
                 "2 messages removed")
        equal(d.rows("mqlm", "-s", "S", "-q", "F"), [])
        row = d.row("mqlq", queue="FAIL")
        equal((row.queued, row.failed), (0, 3))


def test_a_message_that_is_given_up_is_not_lost_by_a_name_that_is_none():
    with Domain() as d:
        boot(d, "NONE,autoq=y,tries=1,errorq=SLIP", "LAST,autoq=y,tries=1", "F")
        c = d.client()
        for queue, text, opts, in_failed in (
                ("NONE", "a", "-", ["a"]), ("NONE", "b", "fail=F", []),
                ("LAST", "c", "fail=FF,corrid=k", ["c"]), ("LAST", "d", "-", [])):
            enq(c, queue, text, opts)
            wait_for(lambda q=queue: d.row("mqlq", queue=q).queued == 0, "given up")
            got = []
            while (r := c("deq", "S", "@FAILED", "-", "-")).err == "OK":
                got.append(r.data)
            equal((text, got), (text, in_failed))
        equal(deq(c, "F")[0], "b")
        equal(d.row("mqlq", queue="@FAILED").enqueued, 2)


def test_an_answer_in_the_failure_queue_is_not_the_message_of_errorq():
    with Domain() as d:
        boot(d, "FAIL,autoq=y,tries=1,errorq=SLIP", "F")
        d.server(1, "FAIL")
        c = d.client()
        enq(c, "FAIL", "a", "fail=F")
        deq(c, "F")
        equal(c("deq", "S", "@FAILED", "-", "-").data, "a")


def test_a_missing_service_is_a_try_and_ends_in_the_failure_queue():
    with Domain() as d:
        boot(d, "NONE,autoq=y,tries=2,waitretry=50ms", "F")
        c = d.client()
        enq(c, "NONE", "a", "fail=F")
        equal(deq(c, "F")[0], "a")


def test_a_killed_tmqueue_forwards_what_was_under_way_again():
    with Domain() as d:
        p = boot(d, "SLEEP,autoq=y", "R")
        d.server(1, "SLEEP")
        d.server(2, "SLEEP")  # the other one has the first call until its end
        c = d.client()
        ms = str(min(int(2500 * SLOW), 10000))  # xadmin looks meanwhile
        enq(c, "SLEEP", ms, "reply=R")
        wait_for(lambda: d.row("mqlq", queue="SLEEP").locked == 1, "under way")
        kill(p.pid)
        p.wait()
        d.procs.pop(p.pid)
        boot(d, "SLEEP,autoq=y", "R")
        equal(deq(c, "R")[0], ms)


def test_a_tmqueue_that_stops_keeps_what_waits_and_ends_in_order():
    with Domain() as d:
        p = boot(d, "SLEEP,autoq=y", "R")
        d.server(1, "SLEEP")
        c = d.client()
        for i in range(8):
            enq(c, "SLEEP", str(50 + i), "reply=R")
        wait_for(lambda: d.row("mqlq", queue="SLEEP").succeeded > 1, "work")
        equal(d.stop_server(p), 0, "exit status of tmqueue")
        boot(d, "SLEEP,autoq=y", "R")
        equal(sorted(deq(c, "R")[0] for _ in range(8)),
              [str(50 + i) for i in range(8)])
        empty(c, "R")
