# SPDX-License-Identifier: Apache-2.0
"""What a transaction does with durable queues happens when it commits, or never."""
import glob
import json
import os
import random
import signal
import time

from checks import at_most, contains, equal
from fixture import BUILD, SLOW, Domain, kill, wait_for
from machine import LONG

COST = 6

QMETRAN, QMENOMSG = "-4", "-11"
NOTIME = "0x20"  # TPNOTIME


def xa(d):
    return {"NDRX_XA_RES_ID": "5",
            "NDRX_XA_OPEN_STR": f'datadir="{d.home}/qdata",qspace="S"',
            "NDRX_XA_DRIVERLIB": f"{BUILD}/lib/libndrxxaqdisk.so"}


def queues(d, env=None, *opts, conf="@\n"):
    path = os.path.join(d.home, "q.conf")
    with open(path, "w", encoding="utf-8") as f:
        f.write(conf)
    return d.server(80, "-m", "S", "-q", path, *opts, binary="tmqueue",
                    env=xa(d) if env is None else env)


def boot(d):
    d.server(105, "-s", "200ms", binary="tmsrv", env=xa(d))
    return queues(d)


def kill_and(d, p, start):
    kill(p.pid, signal.SIGKILL)
    p.wait()
    d.procs.pop(p.pid, None)
    return start()


def enq(c, text, queue="Q"):
    equal(c("enq", "S", queue, "-", "-", f"STRING:{text}").err, "OK")


def deq(c, queue="Q", flags="-", opts="-"):
    r = c("deq", "S", queue, flags, opts)
    return r.data if r.err == "OK" else \
        r.event.split(";")[0].split("=")[1] if r.err == "TPEDIAGNOSTIC" \
        else r.err


def tx(c, op):
    r = c("tx", op)
    equal(r.err, "OK", f"{op}: {r.text}")


def test_what_was_enqueued_is_seen_after_the_commit():
    with Domain() as d:
        boot(d)
        c, other = d.client(), d.client()
        tx(c, "begin")
        enq(c, "a")
        enq(c, "b")
        equal((deq(c), deq(other)), (QMENOMSG, QMENOMSG))
        tx(c, "commit")
        equal([deq(other) for _ in range(3)], ["a", "b", QMENOMSG])


def test_what_was_dequeued_comes_back_after_an_abort():
    with Domain() as d:
        boot(d)
        c, other = d.client(), d.client()
        enq(c, "a")
        enq(c, "b")
        tx(c, "begin")
        equal(deq(c), "a")
        enq(c, "never")
        equal(deq(other, opts="peek"), "b")
        tx(c, "abort")
        equal([deq(other) for _ in range(3)], ["a", "b", QMENOMSG])


def test_a_message_moves_from_queue_to_queue_in_one_transaction():
    with Domain() as d:
        boot(d)
        c = d.client(**xa(d))  # a program with the queues as its own
        tx(c, "open")
        enq(c, "a")
        tx(c, "begin")
        equal(deq(c), "a")
        enq(c, "a", "R")
        tx(c, "commit")
        equal((deq(c), deq(c, "R")), (QMENOMSG, "a"))


def test_another_process_goes_on_with_the_transaction():
    """A message that it has is found by nobody else, whatever it is looked for by."""
    with Domain() as d:
        boot(d)
        c, e, other = d.client(), d.client(), d.client()
        r = c("enq", "S", "Q", "-", "corrid=k", "STRING:a")
        by_id = r.event.split(";")[1]
        for end in "abort", "commit":
            tx(c, "begin")
            equal(deq(c, opts=by_id), "a")
            enq(c, "b", "R")
            equal([deq(other, opts=o) for o in (by_id, "bycorrid=k", "-")], 3 * [QMENOMSG])
            held = c("tx", "suspend")
            equal(e("tx", "resume", held.data).err, "OK", held.data)
            enq(e, "c", "R")
            tx(e, end)
            equal([deq(other, "R") for _ in range(3)],
                  ["b", "c", QMENOMSG] if end == "commit" else 3 * [QMENOMSG])
            equal(deq(other, opts="peek"), QMENOMSG if end == "commit" else "a")


def test_an_empty_queue_dooms_nothing_and_notran_is_outside():
    with Domain() as d:
        boot(d)
        c, other = d.client(), d.client()
        tx(c, "begin")
        equal(deq(c), QMENOMSG)
        equal(c("enq", "NONE", "Q", "-", "-", "STRING:x").err, "TPENOENT")
        equal(c("enq", "S", "Q", "8", "-", "STRING:out").err, "OK")
        equal(deq(other), "out")
        enq(c, "in")
        tx(c, "commit")
        equal(deq(other), "in")


def test_a_killed_tmqueue_waits_for_no_work_that_has_gone_with_it():
    """A branch of which nothing is left may be about to begin, if it is new."""
    with Domain() as d:
        d.server(105, "-s", "200ms", binary="tmsrv", env=xa(d))
        q = queues(d)
        clients, other = [d.client() for _ in range(8)], d.client()
        for c in clients:
            tx(c, "begin")
            enq(c, "gone")
        old = time.monotonic() + 2.1
        wait_for(lambda: time.monotonic() > old, "they are old")
        kill_and(d, q, lambda: queues(d))
        for c in clients:
            c.begin("enq", "S", "Q", "-", "-", "STRING:late")
        r = other("enq", "S", "Q", "-", "-", "STRING:other")
        equal(r.err, "OK")
        at_most(r.ms, 3000, "ms behind eight of them")
        equal({c.end().err for c in clients}, {"TPETRAN"})
        equal(deq(other), "other")


def test_a_silent_tmsrv_holds_up_the_space_for_a_moment():
    with Domain() as d:
        tm = d.server(105, "-s", "200ms", binary="tmsrv", env=xa(d))
        queues(d)
        clients, other = [d.client() for _ in range(4)], d.client()
        for c in clients:
            tx(c, "begin")
        kill(tm.pid, signal.SIGSTOP)
        try:
            for c in clients:
                c.begin("enq", "S", "Q", "-", "-", "STRING:late")
            wait_for(lambda: any(r.service.startswith("@TM-")
                                 for r in d.rows("calls")), "one asks")
            r = other("enq", "S", "Q", "-", "-", "STRING:other")
            equal(r.err, "OK")
            at_most(r.ms, 9000, "ms behind four that wait for it")
        finally:
            kill(tm.pid, signal.SIGCONT)
        equal({c.end().err for c in clients}, {"TPETRAN"})
        equal(deq(other), "other")


def test_a_consumer_waits_inside_a_transaction():
    with Domain() as d:
        boot(d)
        c, w = d.client(), d.client()
        tx(w, "begin")
        w.begin("deq", "S", "Q", "-", "wait")
        wait_for(lambda: d.row("mqlq", queue="Q")
                 and d.row("mqlq", queue="Q").waiting == 1, "it waits")
        tx(c, "begin")
        enq(c, "a")
        tx(c, "commit")
        equal(w.end().data, "a")
        tx(w, "abort")
        equal(deq(c), "a")


def test_a_consumer_that_waits_is_told_when_its_transaction_ends():
    with Domain() as d:
        boot(d)
        c, w = d.client(), d.client()
        tx(w, "begin")
        w.begin("deq", "S", "Q", "-", "wait")
        wait_for(lambda: d.row("mqlq", queue="Q")
                 and d.row("mqlq", queue="Q").waiting == 1, "it waits")
        # To be in the transaction tmqueue has joined it.
        row = json.loads(d.xadmin("printtrans", "--json").stdout)[0]
        d.xadmin("aborttrans", "-t", row["tm"], "-x", row["xid"], "-y")
        equal(w.end(10).event.split(";")[0], "diag=-8")
        enq(c, "a")
        equal(deq(c), "a")
        _is_aborted(w)


def _restart_after(d, c, p, work):
    """tmqueue is started again when the transaction has done something."""
    tx(c, "begin")
    work()
    kill_and(d, p, lambda: queues(d))


def _is_aborted(c):
    r = c("tx", "commit")
    equal(r.err, "TPEABORT", r.text)


def test_a_transaction_ends_with_its_tmqueue():
    with Domain() as d:
        p = boot(d)
        c = d.client()
        enq(c, "a")
        _restart_after(d, c, p, lambda: equal(deq(c), "a"))
        _is_aborted(c)
        equal(deq(c), "a")


def test_figures_of_what_a_start_has_undone_are_on_disk():
    """The next start finds nothing to undo."""
    with Domain() as d:
        p = boot(d)
        c = d.client()
        enq(c, "a")
        tx(c, "begin")
        equal(deq(c), "a")
        enq(c, "b")
        for _ in range(2):
            p = kill_and(d, p, lambda: queues(d))
            r = row(d, "Q")
            equal((r.queued, r.locked), (1, 0))


def test_more_work_after_a_restart_of_tmqueue_is_refused():
    with Domain() as d:
        p = boot(d)
        c = d.client()
        _restart_after(d, c, p, lambda: enq(c, "a"))
        r = c("enq", "S", "Q", "-", "-", "STRING:b")
        assert r.err != "OK", r
        _is_aborted(c)
        equal(deq(c), QMENOMSG)


def test_a_tmqueue_without_an_id_refuses_work_inside_a_transaction():
    with Domain() as d:
        d.server(105, "-s", "200ms", binary="tmsrv", env=xa(d))
        queues(d, env={})
        c = d.client()
        tx(c, "begin")
        r = c("enq", "S", "Q", "-", "-", "STRING:x")
        equal((r.err, r.event.split(";")[0]),
              ("TPEDIAGNOSTIC", "diag=" + QMETRAN))
        tx(c, "abort")
        equal(deq(c), QMENOMSG)


def test_a_tmsrv_that_knows_no_queue_space_says_so():
    with Domain() as d:
        p = d.spawn(105, binary="tmsrv",
                    env={**xa(d), "NDRX_XA_OPEN_STR": f"{d.home}/qdata"})
        wait_for(lambda: p.poll() is not None, "it does not start", 30)
        with open(glob.glob(d.logs + "/ULOG*")[0], encoding="utf-8") as f:
            contains(f.read(), "names no queue space")


def test_a_program_cannot_take_what_a_service_has():
    """A flag lets tmqueue take, in a transaction, the message that it forwards."""
    with Domain() as d:
        d.server(105, "-s", "200ms", binary="tmsrv", env=xa(d))
        queues(d, conf="@\nSLEEP,autoq=y\n")
        d.server(1, "SLEEP")
        c = d.client()
        r = c("enq", "S", "SLEEP", "-", "reply=R", f"STRING:{int(1000 * SLOW)}")
        by_id = r.event.split(";")[1]
        wait_for(lambda: row(d, "SLEEP").locked == 1, "a service has it")
        tx(c, "begin")
        equal(deq(c, "SLEEP", opts=f"{by_id},flags=0x40000000"), QMENOMSG)
        tx(c, "commit")
        wait_for(lambda: row(d, "SLEEP").succeeded == 1, "the service ends", 30)
        equal((row(d, "R").queued, row(d, "SLEEP").queued), (1, 0))


def waits(d, queue):
    wait_for(lambda: row(d, queue) and row(d, queue).waiting == 1, "it waits")


def test_a_transaction_has_its_time_whatever_its_program_does():
    """tmqueue asks its tmsrv (-T) whether a branch is wanted with which nobody goes on."""
    with Domain() as d:
        d.server(105, "-s", "200ms", binary="tmsrv", env=xa(d))
        queues(d, None, "-T", "1")
        c, w, idle, late = d.client(), d.client(), d.client(), d.client()
        # A program with the queues as its own begins its branch by itself.
        own = d.client(**xa(d))
        tx(own, "open")
        for user, queue in (idle, "IDLE"), (w, "KEPT"), (own, "OWN"):
            tx(user, "begin")
            enq(user, "a", queue)
        equal(late("tx", "begin", 3).err, "OK")
        enq(late, "a", "LATE")
        w.begin("deq", "S", "R", "-", "wait")
        waits(d, "R")
        wait_for(lambda: row(d, "LATE").locked == 0, "its time is over", 30)
        enq(c, "a", "R")
        equal(w.end().data, "a")
        for user in idle, w, own:
            tx(user, "commit")
        equal([row(d, q).queued for q in ("IDLE", "KEPT", "OWN", "LATE")], [1, 1, 1, 0])
        equal(late("tx", "commit").err, "TPEABORT")


def test_who_waits_in_a_forgotten_transaction_is_told():
    """A tmsrv that was killed has forgotten it for ever, however long the program would
    wait."""
    with Domain() as d:
        p = d.server(105, "-s", "200ms", binary="tmsrv", env=xa(d))
        queues(d, None, "-T", "1")
        c, w = d.client(), d.client()
        enq(c, "a")
        equal(w("tx", "begin", 600).err, "OK")
        equal(deq(w), "a")
        w.begin("deq", "S", "R", NOTIME, "wait")
        waits(d, "R")
        kill_and(d, p, lambda: d.server(105, "-s", "200ms", binary="tmsrv",
                                        env=xa(d)))
        equal(w.end(20).event.split(";")[0], "diag=-8")
        equal(deq(c), "a")
        _is_aborted(w)


def test_a_branch_whose_tmsrv_has_gone_is_rolled_back():
    with Domain() as d:
        p = d.server(105, "-s", "200ms", binary="tmsrv", env=xa(d))
        queues(d, None, "-T", "1")
        c, other = d.client(), d.client()
        enq(c, "a")
        tx(c, "begin")
        equal(deq(c), "a")
        d.stop_server(p)
        wait_for(lambda: deq(other) == "a", "it is back", 30)


def test_a_branch_whose_commit_was_lost_locks_nothing():
    """Its tmsrv keeps the transaction until an operator forgets it, and says that nobody will
    commit what is not committed."""
    with Domain() as d:
        d.server(105, "-s", "200ms", binary="tmsrv", env={**xa(d), "NDRX_TOUT": "2"})
        q = queues(d, None, "-T", "1")
        c, other = d.client(NDRX_TOUT="30"), d.client()
        enq(c, "a")
        tx(c, "begin")
        equal(deq(c), "a")
        kill(q.pid, signal.SIGSTOP)
        equal(c("tx", "commit").err, "TPEHAZARD")
        kill(q.pid, signal.SIGCONT)
        wait_for(lambda: row(d, "Q").locked == 0, "it has ended", 30)
        equal((len(json.loads(d.xadmin("printtrans", "--json").stdout)), deq(other)), (1, "a"))


def test_a_branch_waits_for_a_tmsrv_that_is_silent():
    """One that does not answer has not forgotten it."""
    with Domain(env={"NDRX_TOUT": "60"}) as d:
        p = d.server(105, "-s", "200ms", binary="tmsrv", env=xa(d))
        queues(d, None, "-T", "1")
        c, other = d.client(), d.client()
        equal(c("tx", "begin", 600).err, "OK")
        enq(c, "a")
        kill(p.pid, signal.SIGSTOP)
        try:
            since = time.monotonic() + 8
            wait_for(lambda: time.monotonic() > since, "it was asked, and did not answer", 20)
            equal((row(d, "Q").locked, deq(other)), (1, QMENOMSG))
        finally:
            kill(p.pid, signal.SIGCONT)
        tx(c, "commit")
        equal(deq(other), "a")


def test_a_branch_that_its_coordinator_has_forgotten_is_rolled_back():
    """After ten seconds, unless -T says otherwise."""
    with Domain() as d:
        p = d.server(105, "-s", "200ms", binary="tmsrv", env=xa(d))
        queues(d)
        c, other = d.client(), d.client()
        enq(c, "a")
        tx(c, "begin")
        equal(deq(c), "a")
        kill_and(d, p, lambda: d.server(105, "-s", "200ms", binary="tmsrv",
                                        env=xa(d)))
        wait_for(lambda: deq(other, opts="peek") == "a", "it is back", 30)
        equal(deq(other), "a")
        equal(c("tx", "commit").err, "TPEABORT")


def row(d, queue):
    return d.row("mqlq", queue=queue)


def moved(d):
    return row(d, "R").queued if row(d, "R") else 0


def test_each_message_is_moved_once_whoever_is_killed():
    count = 5000 if LONG else 150
    with Domain() as d:
        servers = {"tm": d.server(105, "-s", "200ms", binary="tmsrv",
                                  env=xa(d)),
                   "mq": queues(d, None, "-T", "1")}
        start = {"tm": lambda: d.server(105, "-s", "200ms", binary="tmsrv",
                                        env=xa(d)),
                 "mq": lambda: queues(d, None, "-T", "1")}
        stop = os.path.join(d.home, "stop")
        c = d.client()
        equal(c("enqmany", "S", "Q", count, 16).ret, count)
        mover, rng, last = d.client(), random.Random(5), 0
        mover.begin("move", "S", "Q", "R", stop)
        for _ in range(24 if not LONG else 400):
            wait_for(lambda: moved(d) > last or moved(d) == count,
                     "messages are moved", 40)
            last = moved(d)
            if last == count:
                break
            victim = rng.choice(("tm", "mq", "mover"))
            if victim == "mover":
                mover.kill()
                d.clients.remove(mover)
                mover = d.client()
                mover.begin("move", "S", "Q", "R", stop)
            else:
                servers[victim] = kill_and(d, servers[victim], start[victim])
        # The last one is in neither while it is moved.
        wait_for(lambda: (moved(d), row(d, "R").locked, row(d, "Q").queued,
                          row(d, "Q").locked) == (count, 0, 0, 0),
                 "no message is left, and none in doubt", 60)
        open(stop, "w", encoding="utf-8").close()
        equal(mover.end(120).ret, 0)
        got = []
        while not got or got[-1] != QMENOMSG:
            got.append(deq(c, "R"))
        # One that came back when its mover died is behind others.
        equal(sorted(int(m) for m in got[:-1]), list(range(count)))
        equal(deq(c, "Q"), QMENOMSG)
