# SPDX-License-Identifier: Apache-2.0
"""Messages in durable queues stay until they are taken, in the order of the queue."""
import glob
import os
import signal
import sys
import time

from checks import at_most, between, check, contains, differs, equal, near
from fixture import BUILD, SLOW, Domain, Skip, kill, wait_for

NODE = 1
QMEINVAL, QMEBADMSGID, QMEBADQUEUE, QMENOMSG = -1, -5, -10, -11
CONF = "@\n"


def space(d, conf=CONF, srvid=80, wait=True, folder="qdata", **env):
    """Start a tmqueue with the space S."""
    path = os.path.join(d.home, "q.conf")
    with open(path, "w", encoding="utf-8") as f:
        f.write(conf)
    env["NDRX_XA_OPEN_STR"] = f'datadir="{d.home}/{folder}",qspace="S"'
    start = d.server if wait else d.spawn
    return start(srvid, "-q", path, binary="tmqueue", env=env)


def restart(d, p, sig=signal.SIGKILL, conf=CONF):
    kill(p.pid, sig)
    p.wait()
    d.procs.pop(p.pid, None)
    return space(d, conf)


def ctl(r):
    """The control block that came back."""
    return dict(i.split("=", 1) for i in r.event.split(";"))


def enq(c, queue, text="x", opts="-", flags="-", qspace="S"):
    r = c("enq", qspace, queue, flags, opts, f"STRING:{text}")
    equal(r.err, "OK", r.text)
    return ctl(r)["msgid"]


def deq(c, queue, opts="-", flags="-", qspace="S"):
    """The data, or the diagnostic, or the error."""
    r = c("deq", qspace, queue, flags, opts)
    if r.err == "TPEDIAGNOSTIC":
        return int(ctl(r)["diag"])
    return r.data if r.err == "OK" else r.err


def test_a_message_that_its_consumer_cannot_read_stays_in_its_place():
    with Domain() as d:
        p = space(d)
        with open(os.path.join(d.home, "test.v"), "w", encoding="ascii") as f:
            f.write("VIEW PAIR\nlong number - 1 - - -\nEND\n")
        knows = d.client(VIEWDIR=d.home, VIEWFILES="test.v")
        other = d.client()
        r = knows("enq", "S", "Q", "-", "corrid=k,prio=7,reply=R,exprel=100",
                  "VIEW/PAIR:number=7")
        equal(r.err, "OK", r.text)
        msgid = ctl(r)["msgid"]
        enq(knows, "Q", "second")
        for opts in ("peek", "-", "wait", "bycorrid=k", "-"):
            equal(deq(other, "Q", opts), "TPEITYPE", opts)
        row = d.row("mqlq", queue="Q")
        equal((row.queued, row.enqueued, row.dequeued), (2, 2, 0))
        restart(d, p)
        r = knows("deq", "S", "Q", "-", "-")
        equal((r.err, r.type, r.subtype), ("OK", "VIEW", "PAIR"))
        c = ctl(r)
        equal((c["msgid"], c["corrid"], c["prio"], c["reply"]),
              (msgid, "k", "7", "R"))
        contains(c["cltid"], f"clt,testcl,{knows.pid},")
        equal(deq(other, "Q"), "second")


def _given_to_who_cannot_read_it(d):
    """A client that waits, is stopped, and has got a message of a view that it does not know; the
    tmqueue, and the message's id."""
    p = space(d)
    with open(os.path.join(d.home, "test.v"), "w", encoding="ascii") as f:
        f.write("VIEW PAIR\nlong number - 1 - - -\nEND\n")
    knows, other = d.client(VIEWDIR=d.home, VIEWFILES="test.v"), d.client()
    other.begin("deq", "S", "Q", "-", "wait")
    wait_for(lambda: [r.waiting for r in d.rows("mqlq") if r.queue == "Q"] == [1], "it waits")
    kill(other.pid, signal.SIGSTOP)
    r = knows("enq", "S", "Q", "-", "-", "VIEW/PAIR:number=7")
    equal(r.err, "OK", r.text)
    wait_for(lambda: d.row("mqlq", queue="Q").queued == 0, "it was given")
    return p, knows, other, ctl(r)["msgid"]


def _goes_on(other):
    kill(other.pid, signal.SIGCONT)
    equal(other.end(20).err, "TPEITYPE")


def _said(d, text):
    with open(f"{d.logs}/testcl.log", encoding="utf-8") as f:
        return text in f.read()


def test_a_message_comes_back_to_the_next_tmqueue():
    with Domain() as d:
        p, knows, other, msgid = _given_to_who_cannot_read_it(d)
        kill(p.pid)
        p.wait()
        d.procs.pop(p.pid)
        kill(other.pid, signal.SIGCONT)
        space(d)
        equal(other.end(20).err, "TPEITYPE")
        equal(ctl(knows("deq", "S", "Q", "-", "-"))["msgid"], msgid)
        equal(_said(d, "lost"), False)


def test_a_message_that_does_not_come_back_is_lost_and_one_of_which_nobody_knows_may_be():
    with Domain() as d:
        p, _, other, _ = _given_to_who_cannot_read_it(d)
        equal(d.stop_server(p), 0)
        _goes_on(other)
        check(_said(d, "bytes is lost: it cannot be read here, and could not be put back"), "said")
    with Domain() as d:
        p, _, other, _ = _given_to_who_cannot_read_it(d)
        kill(p.pid, signal.SIGSTOP)
        _goes_on(other)
        kill(p.pid, signal.SIGCONT)
        check(_said(d, "bytes may be lost: it cannot be read here, and nobody knows"), "said")


def test_a_message_keeps_what_it_was_given():
    with Domain() as d:
        space(d)
        c = d.client()
        for data in ("STRING:hello", "JSON:{}", "-", "CARRAY:#5000",
                     "UBF:#3000", "STRING:#2000000"):
            r = c("enq", "S", "Q", "-", "corrid=abc,prio=7,reply=R,fail=F,"
                  "urcode=3,appkey=4", data)
            equal(r.err, "OK", r.text)
            got = c("deq", "S", "Q", "-", "-")
            equal(got.err, "OK", got.text)
            kind = data.split(":")[0]
            equal(got.type, "-" if kind == "-" else kind)
            if "#" not in data and kind != "-":
                equal(got.data, data.split(":")[1])
            k = ctl(got)
            equal([k[n] for n in ("corrid", "prio", "reply", "fail", "urcode",
                                  "appkey", "diag")],
                  ["abc", "7", "R", "F", "3", "4", "0"])
            equal(k["msgid"], ctl(r)["msgid"])
            contains(k["cltid"], f"clt,testcl,{c.pid},")


def test_fifo_lifo_and_priority():
    with Domain() as d:
        space(d, "F\nL,mode=lifo\nP,mode=priority\n")
        c = d.client()
        for q in "FLP":
            for text, prio in (("a", 10), ("b", 90), ("c", 50), ("d", 90)):
                enq(c, q, text, f"prio={prio}")
        equal([deq(c, "F") for _ in range(5)], ["a", "b", "c", "d", QMENOMSG])
        equal([deq(c, "L") for _ in range(5)], ["d", "c", "b", "a", QMENOMSG])
        equal([deq(c, "P") for _ in range(5)], ["b", "d", "c", "a", QMENOMSG])


def test_messages_are_found_by_id_and_by_correlator():
    with Domain() as d:
        space(d)
        c = d.client()
        ids = [enq(c, "Q", f"m{i}", f"corrid=c{i % 2}") for i in range(6)]
        enq(c, "Q", "none")
        equal(deq(c, "Q", "bycorrid=c1"), "m1")
        equal(deq(c, "Q", "bycorrid=c9"), QMENOMSG)
        equal(deq(c, "Q", f"msgid={ids[4]}"), "m4")
        equal(deq(c, "Q", f"msgid={ids[4]}"), QMENOMSG)
        equal(deq(c, "OTHER", f"msgid={ids[0]}"), QMENOMSG)
        equal(deq(c, "Q", "msgid=00ff"), QMEBADMSGID)
        # One that differs in its last byte is another one.
        equal(deq(c, "Q", f"msgid={ids[0][:-2]}01"), QMEBADMSGID)
        equal([deq(c, "Q") for _ in range(5)],
              ["m0", "m2", "m3", "m5", "none"])


def test_members_that_flags_do_not_name_do_not_matter():
    with Domain() as d:
        space(d)
        c = d.client()
        enq(c, "Q", "a", "unclean")
        enq(c, "Q", "b", "unclean,reply=R,urcode=7")
        r = c("deq", "S", "Q", "-", "unclean")
        equal((r.err, r.data), ("OK", "a"))
        contains(r.event, ";reply=;fail=;")
        r = c("deq", "S", "Q", "-", "unclean")
        equal((r.err, r.data), ("OK", "b"))
        contains(r.event, ";reply=R;fail=;urcode=7;")


def test_a_peek_leaves_the_message():
    with Domain() as d:
        space(d)
        c = d.client()
        enq(c, "Q", "a")
        enq(c, "Q", "b")
        equal([deq(c, "Q", "peek"), deq(c, "Q", "peek"), deq(c, "Q"),
               deq(c, "Q")], ["a", "a", "a", "b"])


def test_nochange_refuses_another_type_and_the_message_stays():
    with Domain() as d:
        space(d)
        c = d.client()
        enq(c, "Q", "a")
        r = c("deq", "S", "Q", "TPNOCHANGE", "-", "CARRAY")
        equal(r.err, "TPEOTYPE")
        r = c("deq", "S", "Q", "TPNOCHANGE", "-", "STRING")
        equal((r.err, r.data), ("OK", "a"))
        enq(c, "Q", "b")  # without a buffer there is no type to keep
        r = c("deq", "S", "Q", "TPNOCHANGE", "-")
        equal((r.err, r.data), ("OK", "b"))


def test_delayed_messages_come_when_it_is_time():
    with Domain() as d:
        space(d)
        c = d.client()
        t = time.monotonic()
        enq(c, "Q", "late", "rel=1")
        enq(c, "Q", "past", f"abs={int(time.time()) - 5}")
        equal(deq(c, "Q"), "past")
        equal(deq(c, "Q"), QMENOMSG)
        r = c("deq", "S", "Q", "-", "wait")
        equal((r.err, r.data), ("OK", "late"))
        between(time.monotonic() - t, 0.99, 1.5 * SLOW)


def step(path, seconds):
    """Set the clock of programs with libsteps.so."""
    fd = os.open(path, os.O_WRONLY | os.O_CREAT, 0o644)
    os.pwrite(fd, seconds.to_bytes(8, sys.byteorder), 0)
    os.close(fd)


def test_a_delayed_message_comes_when_the_clock_is_set():
    if os.environ.get("OW_SANITIZE"):
        raise Skip("sanitizers want to be loaded first")
    with Domain() as d:
        steps = os.path.join(d.home, "steps")
        step(steps, 0)
        space(d, LD_PRELOAD=f"{BUILD}/tests/e2e/libsteps.so",
              OW_STEPS_FILE=steps)
        c, w = d.client(), d.client()
        enq(c, "Q", "late", "rel=1000")
        enq(c, "OLD", "old", "exprel=1000")
        w.begin("deq", "S", "Q", "-", "wait")
        wait_for(lambda: waiting(d, "Q") == 1, "it waits")
        step(steps, 1001)
        t = time.monotonic()
        equal(w.end().data, "late")
        at_most(time.monotonic() - t, 3 * SLOW, "seconds")
        equal(deq(c, "OLD"), QMENOMSG)


def test_expired_messages_are_gone():
    with Domain() as d:
        space(d)
        c = d.client()
        enq(c, "Q", "old", "exprel=1")
        enq(c, "Q", "new")
        equal(deq(c, "Q", "peek"), "old")
        wait_for(lambda: deq(c, "Q", "peek") == "new", "it has expired", 5)
        wait_for(lambda: row(d, "Q").queued == 1, "it is removed", 5)
        equal([deq(c, "Q"), deq(c, "Q")], ["new", QMENOMSG])


def test_a_time_that_no_clock_reaches_is_never():
    with Domain() as d:
        p = space(d)
        c = d.client()
        for n in 2**63 - 1, 2 * 10**10:
            for opts in f"exprel={n}", f"expabs={n}":
                enq(c, "Q", opts, opts)
                equal(deq(c, "Q"), opts)
            for opts in f"rel={n}", f"abs={n}":
                enq(c, "LATE", opts, opts)
        equal(deq(c, "LATE"), QMENOMSG)
        restart(d, p)
        equal((deq(c, "LATE"), row(d, "LATE").queued), (QMENOMSG, 4))


def row(d, queue):
    return d.row("mqlq", queue=queue)


def waiting(d, queue):
    """Consumers that wait; a queue is there with its first request."""
    r = row(d, queue)
    return r.waiting if r else 0


def test_a_waiting_consumer_gets_the_next_message_at_once():
    with Domain() as d:
        space(d)
        c, w = d.client(), d.client()
        w.begin("deq", "S", "Q", "-", "wait")
        wait_for(lambda: waiting(d, "Q") == 1, "it waits")
        t = time.monotonic()
        enq(c, "Q", "a")
        r = w.end()
        equal((r.err, r.data), ("OK", "a"))
        at_most(time.monotonic() - t, 1 * SLOW, "seconds")
        equal(deq(c, "Q"), QMENOMSG)


def test_each_message_wakes_one_consumer_in_order_of_arrival():
    with Domain() as d:
        space(d)
        c, waiting = d.client(), [d.client() for _ in range(3)]
        for n, w in enumerate(waiting):
            w.begin("deq", "S", "Q", "-", "wait")
            wait_for(lambda: row(d, "Q") and row(d, "Q").waiting == n + 1,
                     "it waits")
        for i in range(3):
            enq(c, "Q", str(i))
            equal(waiting[i].end().data, str(i))


def test_a_wait_ends_at_its_deadline_and_takes_nothing_later():
    with Domain() as d:
        space(d)
        c = d.client()
        w = d.client(NDRX_TOUT="1")
        r = w("deq", "S", "Q", "-", "wait")
        equal(r.err, "TPETIME")
        near(r.ms, 950, 1900)
        enq(c, "Q", "a")
        equal(deq(c, "Q"), "a")
        r = w("deq", "S", "Q", "TPNOBLOCK", "wait")
        equal((r.err, ctl(r)["diag"]), ("TPEDIAGNOSTIC", str(QMENOMSG)))


def test_a_dead_consumer_gets_no_message():
    with Domain() as d:
        space(d)
        c, w = d.client(), d.client()
        w.begin("deq", "S", "Q", "-", "wait")
        wait_for(lambda: row(d, "Q") and row(d, "Q").waiting == 1, "it waits")
        w.kill()
        enq(c, "Q", "a")
        equal(deq(c, "Q"), "a")


def test_who_waits_learns_that_tmqueue_was_killed():
    with Domain() as d:
        p = space(d)
        c, w = d.client(), d.client()
        w.begin("deq", "S", "Q", "-", "wait")
        wait_for(lambda: row(d, "Q") and row(d, "Q").waiting == 1, "it waits")
        p = restart(d, p)
        equal(w.end().err, "TPESVCERR")
        enq(c, "Q", "a")
        equal(deq(c, "Q"), "a")


def test_arguments_are_checked():
    with Domain() as d:
        space(d, "Q\n")
        c = d.client()
        for op in ("enq", "deq"):
            data = ["STRING:x"] if op == "enq" else []
            equal(c(op, "S", "Q", "-", "null", *data).err, "TPEINVAL")
            equal(c(op, "-", "Q", "-", "-", *data).err, "TPEINVAL")
            equal(c(op, "S", "-", "-", "-", *data).err, "TPEINVAL")
            equal(c(op, "NONE", "Q", "-", "-", *data).err, "TPENOENT")
            equal(c(op, "S" * 16, "Q", "-", "-", *data).err, "TPEINVAL")
            r = c(op, "S", "Q" * 16, "-", "-", *data)
            equal((r.err, ctl(r)["diag"]), ("TPEINVAL", str(QMEINVAL)))
            r = c(op, "S", "OTHER", "-", "-", *data)
            equal((r.err, ctl(r)["diag"]),
                  ("TPEDIAGNOSTIC", str(QMEBADQUEUE)))
        for opts in ("rel=-1", "exprel=-1", "reply=" + "R" * 16,
                     "fail=" + "F" * 16, "reply=", "fail=", "prio=101",
                     "prio=0"):
            equal(c("enq", "S", "Q", "-", opts, "STRING:x").err, "TPEINVAL",
                  opts)
        equal(deq(c, "Q"), QMENOMSG)


ORDERED = "@\nP,mode=priority\nL,mode=lifo\n"
TOP, BEFORE = "flags=0x40", "flags=0x4,msgid="


def test_tpqtop_and_tpqbeforemsgid_give_a_message_its_place():
    with Domain() as d:
        p = space(d, ORDERED)
        c = d.client()
        one = enq(c, "Q", "1")
        enq(c, "Q", "2")
        enq(c, "Q", "t", TOP)
        x = enq(c, "Q", "x", BEFORE + one)
        enq(c, "Q", "y", BEFORE + x)
        enq(c, "Q", "late", TOP + ",rel=1")
        enq(c, "Q", "u", TOP)
        restart(d, p, conf=ORDERED)
        equal(deq(c, "Q"), "u")
        wait_for(lambda: deq(c, "Q", "peek") == "late", "its place in time")
        equal([deq(c, "Q") for _ in range(7)],
              ["late", "t", "y", "x", "1", "2", QMENOMSG])
        low = enq(c, "P", "low", "prio=1")
        enq(c, "P", "high", "prio=100")
        enq(c, "P", "before", BEFORE + low + ",prio=100")
        enq(c, "P", "top", TOP + ",prio=1")
        equal([deq(c, "P") for _ in range(4)], ["top", "high", "before", "low"])
        one = enq(c, "L", "1")
        enq(c, "L", "2")
        enq(c, "L", "top", TOP)
        enq(c, "L", "before", BEFORE + one)
        equal([deq(c, "L") for _ in range(4)], ["top", "2", "before", "1"])


def test_a_place_in_the_queue_that_there_is_not():
    """TPQTOP and TPQBEFOREMSGID; in strict-enduro they mean nothing."""
    with Domain() as d:
        space(d)
        c = d.client()
        strict = d.client(NDRX_COMPAT="strict-enduro")
        other = enq(c, "OTHER")
        first = enq(c, "Q", "first")
        for msgid in ("", "41" * 32, other):
            r = c("enq", "S", "Q", "-", BEFORE + msgid, "STRING:x")
            equal((r.err, ctl(r)["diag"]),
                  ("TPEDIAGNOSTIC", str(QMEBADMSGID)), msgid)
        r = c("enq", "S", "Q", "-", "flags=0x44,msgid=" + first, "STRING:x")
        equal((r.err, ctl(r)["diag"]), ("TPEINVAL", str(QMEINVAL)))
        for opts in (TOP, BEFORE + first, BEFORE + other, "flags=0x44"):
            enq(strict, "Q", opts[-2:], opts)
        equal([deq(c, "Q") for _ in range(6)],
              ["first", "40", first[-2:], other[-2:], "44", QMENOMSG])
        equal(deq(c, "OTHER"), "x")


def test_the_ex_functions_name_the_server():
    with Domain() as d:
        space(d)
        c = d.client()
        enq(c, "Q", "a", qspace=f"@{NODE}/80")
        equal(deq(c, "Q", qspace=f"@{NODE}/80"), "a")
        r = c("deq", f"@{NODE}/81", "Q", "-", "-")
        equal(r.err, "TPENOENT")


def test_messages_outlive_tmqueue_and_the_domain():
    with Domain() as d:
        p = space(d)
        c = d.client()
        ids = [enq(c, "Q", str(i)) for i in range(20)]
        enq(c, "Q", "late", "rel=1")
        equal(deq(c, "Q"), "0")
        p = restart(d, p)
        equal(deq(c, "Q"), "1")
        equal(deq(c, "Q", f"msgid={ids[5]}"), "5")
        restart(d, p, signal.SIGTERM)
        equal([deq(c, "Q") for _ in range(3)], ["2", "3", "4"])
        wait_for(lambda: deq(c, "Q", "peek") == "6", "the next")
        for want in [*range(6, 20)]:
            equal(deq(c, "Q"), str(want))
        r = c("deq", "S", "Q", "-", "wait")
        equal((r.err, r.data), ("OK", "late"), r.text)


def test_an_open_string_may_be_the_folder_alone():
    """The files lie there, and not where they lie without an open string."""
    with Domain() as d:
        with open(f"{d.home}/q.conf", "w", encoding="utf-8") as f:
            f.write(CONF)
        d.server(80, "-m", "S", "-q", f"{d.home}/q.conf", binary="tmqueue",
                 env={"NDRX_XA_OPEN_STR": f"{d.home}/mine"})
        enq(d.client(), "Q")
        equal((os.path.exists(f"{d.home}/mine/S.tmq"), os.path.exists(f"{d.home}/qdata")),
              (True, False))


def test_a_second_tmqueue_of_the_space_does_not_start():
    with Domain() as d:
        space(d)
        p = space(d, srvid=81, wait=False)
        wait_for(lambda: p.poll() is not None, "it ends", 15)
        d.procs.pop(p.pid, None)


def test_a_space_of_the_same_name_in_another_folder_does_not_start_beside():
    """Both would share @QSPS: half of what was put would not be found."""
    with Domain() as d:
        p = space(d)
        other = space(d, srvid=81, wait=False, folder="other")
        wait_for(lambda: other.poll() is not None, "it ends", 15)
        d.procs.pop(other.pid)
        with open(glob.glob(d.logs + "/ULOG*")[0], encoding="utf-8") as f:
            said = f.read()
        contains(said, "queue space S is that of server 80 already")
        contains(said, f"{d.home}/qdata/S.tmq")
        contains(said, f"{d.home}/other/S.tmq")
        c = d.client()
        for i in range(6):
            enq(c, "Q", f"{i}")
        equal([deq(c, "Q") for _ in range(7)], [*"012345", QMENOMSG])
        kill(p.pid)  # nobody has it any more
        p.wait()
        d.procs.pop(p.pid)
        space(d, srvid=81, folder="other")
        equal(deq(c, "Q"), QMENOMSG)


def test_of_two_spaces_of_one_name_that_start_at_once_one_has_the_name():
    with Domain() as d:
        for _ in range(4):
            both = [space(d, srvid=i, wait=False, folder=f"of{i}") for i in (80, 81)]
            wait_for(lambda: [p.poll() for p in both].count(None) < 2, "one ends", 15)
            c = d.client()
            for i in range(6):
                enq(c, "Q", f"{i}")
            equal([deq(c, "Q") for _ in range(7)], [*"012345", QMENOMSG])
            for p in both:
                if p.poll() is None:
                    equal(d.stop_server(p), 0)
                d.procs.pop(p.pid, None)


def test_the_name_of_a_space_whose_tmqueue_is_expected_back_is_not_free():
    with Domain() as d:
        with open(f"{d.home}/q.conf", "w", encoding="utf-8") as f:
            f.write(CONF)
        d.boot({"name": "tmqueue", "srvid": 80, "appopt": f"-m S -q {d.home}/q.conf"})
        c = d.client()
        enq(c, "Q", "a")
        ndrxd, tmqueue = d.ndrxd_pid(), d.pid(80)
        kill(ndrxd, signal.SIGSTOP)
        kill(tmqueue)
        other = space(d, srvid=81, wait=False, folder="other")
        wait_for(lambda: other.poll() is not None, "it ends", 15)
        d.procs.pop(other.pid)
        kill(ndrxd, signal.SIGCONT)
        wait_for(lambda: deq(c, "Q") == "a", "the first one is back", 20)


def test_files_of_another_user_or_open_to_others_are_refused():
    with Domain() as d:
        p = space(d)
        enq(d.client(), "Q", "a")
        equal(d.stop_server(p), 0)
        for name in ("S.tmq", "S.tmj", "S.lock"):
            path = f"{d.home}/qdata/{name}"
            os.chmod(path, 0o644)
            p = space(d, wait=False)
            differs(p.wait(20), 0, name)
            d.procs.pop(p.pid)
            os.chmod(path, 0o600)
            if os.geteuid() != 0:
                continue
            os.chown(path, 65534, -1)
            p = space(d, wait=False)
            differs(p.wait(20), 0, name)
            d.procs.pop(p.pid)
            os.chown(path, 0, -1)
        space(d)
        equal(deq(d.client(), "Q"), "a")


def test_a_signal_ends_a_wait_and_no_message_is_lost():
    with Domain() as d:
        space(d)
        c = d.client()
        c("alarm", 200, 200)  # again and again: the first may be too early
        r = c("deq", "S", "Q", "-", "wait")
        equal(r.err, "TPGOTSIG", r.text)
        c("alarm", 0, 0)
        enq(c, "Q", "a")
        equal(deq(c, "Q"), "a")


def test_a_large_message():
    with Domain(small=False) as d:
        space(d)
        c = d.client()
        r = c("enq", "S", "Q", "-", "-", f"CARRAY:#{64 << 20}", seconds=60)
        equal(r.err, "OK", r.text)
        got = c("deq", "S", "Q", "-", "-", seconds=60)
        equal((got.err, got.len), ("OK", 64 << 20))
        r = c("enq", "S", "Q", "-", "-", f"CARRAY:#{(64 << 20) + 1}",
              seconds=60)
        equal(r.err, "TPEINVAL")


def test_events_may_go_into_a_queue():
    with Domain() as d:
        p = space(d)
        d.server(90, binary="tpevsrv")
        c = d.client()
        for expr, where, flags in (("^NEWS$", "S/Q", 2), ("^NEWS$", "S/Q", 2),
                                   ("NEWS", "S/Q/abc", 2), ("NEWS", "S/R", 10)):
            r = c("subscribe", expr, "-", where, flags)
            equal(r.err, "OK", r.text)
        for data in ("STRING:first", "-"):
            # Equal ones are one.
            equal(c("post", "NEWS", "-", data).ret, 3)
        got = [c("deq", "S", "Q", "-", "-") for _ in range(4)]
        equal([r.data for r in got][:2], ["first", "first"])
        equal([r.type for r in got], ["STRING", "STRING", "-", "-"])
        equal(sorted(ctl(r)["corrid"] for r in got), ["", "", "abc", "abc"])
        equal(deq(c, "R"), "first")
        # Without the queue space the subscription ends, unless it is to stay.
        kill(p.pid, signal.SIGTERM)
        p.wait()
        d.procs.pop(p.pid, None)
        equal(c("post", "NEWS", "-", "-").ret, 0)
        space(d)
        equal(c("post", "NEWS", "-", "STRING:later").ret, 1)
        equal(deq(c, "R", "-"), "")
        equal(deq(c, "R", "-"), "later")
        equal(deq(c, "Q"), QMENOMSG)
        for where, flags in (("S", 2), ("S/", 2), ("S/0123456789abcdef", 2),
                             ("S/Q", 3), ("S/Q", 6), ("0123456789abcdef/Q", 2)):
            equal(c("subscribe", "X", "-", where, flags).err, "TPEINVAL", where)
