# SPDX-License-Identifier: Apache-2.0
"""xadmin shows, defines, moves, removes, exports and imports durable queues."""
import json
import os
import signal
import subprocess

from checks import between, contains, differs, ended, equal, lacks
from covers import covers
from fixture import SLOW, Domain, wait_for

MAINLY = "posix"


def boot(d, *queues):
    path = os.path.join(d.home, "q.conf")
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n".join(queues) + "\n")
    return d.server(80, "-m", "S", "-q", path, binary="tmqueue")


def ulog(d):
    text = ""
    for name in os.listdir(d.logs):
        if name.startswith("ULOG"):
            with open(os.path.join(d.logs, name), encoding="utf-8") as f:
                text += f.read()
    return text


def put(c, queue, *texts, opts="-"):
    for t in texts:
        equal(c("enq", "S", queue, "-", opts, f"STRING:{t}").err, "OK")


def take(c, queue):
    r = c("deq", "S", queue, "-", "-")
    return r.data if r.err == "OK" else r.event.split(";")[0]


@covers("xadmin mqlq", "xadmin mqlc")
def test_listings_of_queues():
    with Domain() as d:
        boot(d, "A,mode=lifo", "B,autoq=n", "@")
        c = d.client()
        put(c, "A", "x", "yy")
        put(c, "OTHER", "z")
        take(c, "A")
        row = d.row("mqlq", queue="A")
        equal((row.node, row.srvid, row.space, row.queued, row.enqueued,
               row.dequeued, row.bytes), (1, 80, "S", 1, 2, 1, 2))
        row = d.row("mqlc", queue="A")
        equal((row.definition, row.implied), ("mode=lifo", False))
        equal(d.row("mqlc", queue="OTHER").implied, True)
        text = d.xadmin("mqlq").stdout
        contains(text, "OTHER")
        equal(len(d.xadmin("mqlc").stdout.splitlines()), 4)


def test_words_of_other_queue_definitions_are_taken_or_left_out_by_name():
    with Domain() as d:
        boot(d, "A,svcnm=-,autoq=n,tries=0,waitinit=0,waitretry=0,"
             "waitretryinc=5,waitretrymax=0,memonly=n",
             "B,autoq=n,nosuchword=1,mode=lifo", "A_NAME_THAT_IS_TOO_LONG",
             "C,mode=random", "D , mode = lifo , autoq = n , ",
             "E,autoq=T")
        c = d.client()
        put(c, "A", "x")
        put(c, "B", "1", "2")
        put(c, "C", "1", "2")
        put(c, "D", "1", "2")
        equal([take(c, q) for q in "ABCD"], ["x", "2", "1", "2"])
        for what in ("queue B: left out: nosuchword", "A_NAME_THAT_IS_TOO",
                     "queue C: left out: mode=random",
                     "queue E: left out: autoq=T: NDRX_XA_RES_ID"):
            contains(ulog(d), what)
        lacks(ulog(d), "queue D: ")


def test_a_server_that_cannot_start_says_why_where_it_was_started():
    with Domain() as d:
        for i, (words, why) in enumerate((
                (("-m", "S", "-q", "/nonexistent"), "/nonexistent"),
                (("-m", "S" * 16), "at most 15 characters"),
        )):
            done = subprocess.run(
                [d.program("tmqueue"), "-i", str(90 + i), "--", *words],
                env=d.env, capture_output=True, text=True, timeout=30,
                check=False)
            equal(done.returncode, 1)
            contains(done.stderr, why)


def test_what_does_not_exist_is_named():
    with Domain() as d:
        boot(d, "A")
        c = d.client()
        r = c("enq", "NOPE", "A", "-", "-", "STRING:x")
        equal(r.err, "TPENOENT")
        contains(r.text, "no tmqueue has the queue space NOPE")
        for words, status, text in (
                (("mqlm", "-s", "NOPE", "-q", "A"), 1,
                 "no tmqueue has the queue space NOPE"),
                (("mqexport", "-s", "NOPE"), 1,
                 "no tmqueue has the queue space NOPE"),
                (("mqch", "-i", "77", "-q", "B"), 1,
                 "server 77 of node 1 is no tmqueue"),
                (("mqlm", "-q", "A"), 2, "-s QSPACE is needed"),
                (("mqexport",), 2, "-s QSPACE is needed"),
                (("mqdm", "-m", "x"), 2, "-i SRVID is needed")):
            done = d.xadmin(*words, ok=False)
            equal((words, done.returncode), (words, status))
            contains(done.stderr, text)


@covers("xadmin mqlm", "xadmin mqdm", "xadmin mqrm")
def test_messages_are_listed_shown_and_removed():
    with Domain() as d:
        boot(d, "A")
        c = d.client()
        put(c, "A", "first", opts="corrid=abc,prio=9")
        put(c, "A", "later", opts="rel=1000")
        rows = d.rows("mqlm", "-s", "S", "-q", "A")
        equal([(r.queue, r.bytes, r.state) for r in rows],
              [("A", 6, "ready"), ("A", 6, "delayed")])
        # What mqdm and mqmv want.
        equal([line.split()[:3] for line in d.xadmin(
            "mqlm", "-s", "S", "-q", "A").stdout.splitlines()],
            [["1", "80", r.msgid] for r in rows])
        text = d.xadmin("mqdm", "-i", 80, "-m", rows[0].msgid).stdout
        for part in ("first", "STRING", "priority     9", "corrid"):
            contains(text, part)
        for r in rows:
            d.xadmin("mqrm", "-n", 1, "-i", 80, "-m", r.msgid)
        equal(d.rows("mqlm", "-s", "S", "-q", "A"), [])
        r = d.xadmin("mqrm", "-s", "S", "-m", rows[0].msgid, ok=False)
        differs(r.returncode, 0)
        contains(r.stderr, "no such message")


@covers("xadmin mqdm", "mask")
def test_what_is_masked_is_not_shown_and_not_exported_with_m():
    with Domain() as d:
        with open(f"{d.home}/t.fd", "w", encoding="ascii") as f:
            f.write("CARD 2002 string\nNAME 2003 string\n")
        d.env.update(FLDTBLDIR=d.home, FIELDTBLS="t.fd")
        d.boot({"srvid": 1, "appopt": "ECHO"}, settings={"mask": "CARD"})
        boot(d, "A", "B")
        c = d.client()
        for text in ("FIELDS:CARD=4711,NAME=Ann", "FIELDS:NAME=Bob"):
            equal(c("enq", "S", "A", "-", "-", text).err, "OK")
        rows = d.rows("mqlm", "-s", "S", "-q", "A")
        text = d.xadmin("mqdm", "-s", "S", "-m", rows[0].msgid).stdout
        contains(text, "Ann")
        contains(text, '"CARD":"***"')
        row, = d.rows("mqdm", "-s", "S", "-m", rows[0].msgid)
        equal(json.loads(row.message)["data"], {"CARD": "***", "NAME": "Ann"})
        lines = d.xadmin("mqexport", "-m", "-s", "S").stdout
        lacks(lines, "4711")
        contains(lines, "Bob")
        # what has lost values cannot be put back as if it had not
        first, second = lines.splitlines()
        r = d.run("xadmin", "mqimport", "-s", "S", "-q", "B",
                  text=first + "\n")
        equal(r.returncode, 1)
        contains(r.stderr, "mqexport -m")
        ended(d.run("xadmin", "mqimport", "-s", "S", "-q", "B",
                    text=second + "\n"), 0)
        equal(len(d.rows("mqlm", "-s", "S", "-q", "B")), 1)
        contains(d.xadmin("mqexport", "-s", "S").stdout, "4711")


@covers("xadmin mqmv")
def test_a_message_is_moved():
    with Domain() as d:
        boot(d, "A", "B")
        c = d.client()
        put(c, "A", "x", "y")
        row = d.rows("mqlm", "-s", "S", "-q", "A")[0]
        d.xadmin("mqmv", "-i", 80, "-m", row.msgid, "-s", "S", "-q", "B")
        equal([take(c, "A"), take(c, "A"), take(c, "B"), take(c, "B")],
              ["y", "diag=-11", "x", "diag=-11"])


@covers("xadmin mqmv")
def test_a_message_that_somebody_has_is_not_moved():
    with Domain() as d:
        boot(d, "SLEEP,autoq=y", "B")
        d.server(1, "SLEEP")
        put(d.client(), "SLEEP", str(int(2500 * SLOW)))
        wait_for(lambda: d.row("mqlq", queue="SLEEP").locked == 1, "under way")
        row, = d.rows("mqlm", "-s", "S", "-q", "SLEEP")
        r = d.xadmin("mqmv", "-i", 80, "-m", row.msgid, "-s", "S", "-q", "B",
                     ok=False)
        equal(r.returncode, 1)
        contains(r.stderr, "a service has the message")
        # it would be done twice
        equal(d.row("mqlq", queue="B").enqueued, 0)


def test_who_gets_no_reply_in_time_hears_that_it_is_not_known():
    with Domain(env={"NDRX_TOUT": "1"}) as d:
        p = boot(d, "A")
        put(d.client(), "A", "x")
        row, = d.rows("mqlm", "-s", "S", "-q", "A")
        os.kill(p.pid, signal.SIGSTOP)
        try:
            r = d.xadmin("mqrm", "-i", 80, "-m", row.msgid, ok=False)
        finally:
            os.kill(p.pid, signal.SIGCONT)
        equal(r.returncode, 4, r.stderr)


@covers("xadmin mqch", "xadmin mqrc")
def test_definitions_change_while_it_runs():
    with Domain() as d:
        boot(d, "A")
        c = d.client()
        equal(take(c, "B"), "diag=-10")
        d.xadmin("mqch", "-i", 80, "-q", "B,mode=lifo")
        put(c, "B", "x", "y")
        equal(take(c, "B"), "y")
        r = d.xadmin("mqch", "-i", 80, "-q", "C,mode=odd", ok=False)
        differs(r.returncode, 0)
        contains(r.stderr, "fifo, lifo or priority")
        path = os.path.join(d.home, "q.conf")
        with open(path, "w", encoding="utf-8") as f:
            f.write("A\nC\n")
        d.xadmin("mqrc")
        equal([take(c, q) for q in "ABBC"], ["diag=-11", "x", "diag=-10",
                                             "diag=-11"])
        with open(path, "w", encoding="utf-8") as f:
            f.write("A\nB,tries=no\n")
        r = d.xadmin("mqrc", ok=False)
        contains(r.stderr, "line 2")
        equal(take(c, "C"), "diag=-11")


def test_what_a_queue_has_can_be_taken_out_when_it_is_defined_no_more():
    with Domain() as d:
        p = boot(d, "A", "@")
        c = d.client()
        put(c, "A", "x", "y")
        put(c, "USED", "z", "zz")
        with open(os.path.join(d.home, "q.conf"), "w", encoding="utf-8") as f:
            f.write("B\n")
        d.xadmin("mqrc")
        contains(ulog(d), "queue A is defined no more, and has 2 messages")
        equal(c("enq", "S", "A", "-", "-", "STRING:x").err, "TPEDIAGNOSTIC")
        equal([take(c, q) for q in ("A", "USED")], ["x", "z"])
        d.stop_server(p)
        boot(d, "B")
        contains(ulog(d), "queue USED is defined no more, and has 1 messages")
        equal([take(c, q) for q in ("A", "USED")], ["y", "zz"])
        equal([take(c, q) for q in ("A", "USED")], ["diag=-10"] * 2)


@covers("xadmin mqexport", "xadmin mqimport")
def test_messages_are_exported_and_imported():
    with Domain() as d:
        boot(d, "A", "B", "C")
        c = d.client()
        put(c, "A", 'quote"d', "two", opts="corrid=k,prio=3,reply=B,urcode=7")
        for data in ("CARRAY:#3000", "UBF:#2000", "-"):
            equal(c("enq", "S", "B", "-", "-", data).err, "OK")
        text = d.xadmin("mqexport", "-s", "S").stdout
        lines = [json.loads(line) for line in text.splitlines()]
        equal([row["queue"] for row in lines], ["A", "A", "B", "B", "B"])
        equal(lines[0]["message"]["data"], 'quote"d')
        equal(len(d.xadmin("mqexport", "-s", "S", "-q", "A").stdout
                  .splitlines()), 2)
        path = os.path.join(d.home, "out.json")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        before = [c("deq", "S", q, "-", "-") for q in "AABBB"]
        equal([take(c, q) for q in "AB"], ["diag=-11"] * 2)
        r = d.xadmin("mqimport", "-s", "S", path)
        contains(r.stderr, "5 messages imported")
        for old, q in zip(before, "AABBB"):
            new = c("deq", "S", q, "-", "-")
            equal((new.type, new.data, new.sum), (old.type, old.data, old.sum))
            keep = [dict(i.split("=", 1) for i in x.event.split(";"))
                    for x in (old, new)]
            for k in ("corrid", "prio", "reply", "urcode"):
                equal(keep[1][k], keep[0][k], k)
        d.xadmin("mqimport", "-s", "S", "-q", "C", path)
        equal(d.row("mqlq", queue="C").queued, 5)
        d.env["NDRX_COMPAT"] = "strict-tuxedo"
        d.xadmin("mqimport", "-s", "S", "-q", "C", path)
        equal(d.row("mqlq", queue="C").queued, 10)


def test_an_import_that_is_not_read_to_its_end_has_failed():
    with Domain() as d:
        boot(d, "A")
        r = d.xadmin("mqimport", "-s", "S", d.home, ok=False)  # a folder
        ended(r, 1, "not read to its end: Is a directory")
        contains(r.stderr, "0 messages imported")


# A STRING that is not UTF-8, and one of a view that nobody knows.
ODD = ('{"queue":"A","message":{"raw":4,"sub_len":0,"bytes":"6f+AIkEA"}}',
       '{"queue":"A","message":{"raw":7,"sub_len":7,"bytes":"Tk9WSUVXAAEC"}}')


def test_odd_bytes_are_exported_and_imported_as_they_are():
    with Domain() as d:
        boot(d, "A", "B")
        path = os.path.join(d.home, "odd.json")
        with open(path, "w", encoding="utf-8") as f:
            f.write("\n".join(ODD) + "\n")
        d.xadmin("mqimport", "-s", "S", path)
        text = d.xadmin("mqexport", "-s", "S", "-q", "A").stdout
        equal([json.loads(line)["message"] for line in text.splitlines()],
              [json.loads(line)["message"] for line in ODD])
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        d.xadmin("mqimport", "-s", "S", "-q", "B", path)
        again = d.xadmin("mqexport", "-s", "S", "-q", "B").stdout
        equal([json.loads(line)["message"] for line in again.splitlines()],
              [json.loads(line)["message"] for line in ODD])
        for bad in ('{"raw":4,"sub_len":0,"bytes":"6f"}',
                    '{"raw":4,"sub_len":9,"bytes":""}', '{"raw":999}'):
            with open(path, "w", encoding="utf-8") as f:
                f.write('{"queue":"A","message":%s}\n' % bad)
            differs(d.xadmin("mqimport", "-s", "S", path,
                             ok=False).returncode, 0, bad)


@covers("xadmin mqmv")
def test_a_delayed_message_stays_delayed_when_it_is_exported_or_moved():
    with Domain() as d:
        boot(d, "A", "B")
        c = d.client()
        put(c, "A", "later", opts="rel=1000,exprel=2000")
        due = d.rows("mqlm", "-s", "S", "-q", "A")[0].due
        path = os.path.join(d.home, "out.json")
        with open(path, "w", encoding="utf-8") as f:
            f.write(d.xadmin("mqexport", "-s", "S").stdout)
        d.xadmin("mqimport", "-s", "S", "-q", "B", path)
        old = d.rows("mqlm", "-s", "S", "-q", "A")[0]
        d.xadmin("mqmv", "-i", 80, "-m", old.msgid, "-s", "S", "-q", "B")
        rows = d.rows("mqlm", "-s", "S", "-q", "B")
        equal([r.state for r in rows], ["delayed"] * 2)
        for r in rows:
            between(r.due, due, due + 1)
        equal(take(c, "B"), "diag=-11")


def test_the_ini_configuration_defines_queues():
    with Domain() as d:
        path = os.path.join(d.home, "app.ini")
        with open(path, "w", encoding="utf-8") as f:
            f.write("[@queue]\nA=mode=lifo\n[@queue/x]\nB=autoq=n\n")
        d.server(80, "-m", "S", binary="tmqueue",
                 env={"NDRX_CCONFIG": path, "NDRX_CCTAG": "x"})
        equal(sorted(r.queue for r in d.rows("mqlc")), ["A", "B"])


def test_wrong_definitions_are_named_and_their_queues_are_there():
    with Domain() as d:
        boot(d, "A,mode=odd", "B,autoq=T", "A" * 16, "C,what=1")
        equal(sorted(r.queue for r in d.rows("mqlc")), ["A", "B", "C"])
        c = d.client()
        put(c, "B", "stays here")  # autoq=T is not possible: no automatic one
        equal(take(c, "B"), "stays here")
        for text in ("mode=odd", "autoq=T", "A" * 16, "what"):
            contains(ulog(d), text)
