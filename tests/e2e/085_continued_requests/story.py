# SPDX-License-Identifier: Apache-2.0
"""A service hands its request to a thread, which answers it later."""
import time

from checks import contains, equal, near, promptly
from fixture import Domain, kill, wait_for

COST = 8
QUEUE_KB = 65
MANY = 40


def _serve(d):
    p = d.server(7, binary="ctxsv")
    # It has many services, which are published one by one.
    wait_for(lambda: d.row("psc", service="HANG"), "the last one is offered")
    return p


def _held(d, n):
    wait_for(lambda: d.call("HOLDING").urcode == n, f"{n} requests are held")


def _figures(d, name):
    row = d.row("psc", service=name)
    return (row.succeeded, row.failed)


def _blocks(d):
    return int(d.run("holder", "blocks").stdout.split()[1])


def test_a_thread_answers_after_the_service_has_ended():
    with Domain() as d:
        _serve(d)
        r = d.call("LATER", "0 hello")
        equal((r.err, r.data, r.urcode), ("OK", "HELLO", 11))
        r = d.call("LATERFAIL", "x")
        equal((r.err, r.data, r.urcode), ("TPESVCFAIL", "x", 55))
        text = "y" * 20000
        r = d.call("LATER", f"0 {text}")
        equal((r.err, r.len, r.data), ("OK", 20001, text[:4000].upper()))


def test_the_server_serves_others_meanwhile_and_answers_come_in_any_order():
    with Domain() as d:
        _serve(d)
        clients = [d.client() for _ in range(MANY)]
        for i, c in enumerate(clients):
            c.begin("call", "HOLD", "-", f"STRING:{i}")
        _held(d, MANY)
        equal(d.call("LATER", "0 x").data, "X")
        d.call("GO", str(MANY))
        for i, c in enumerate(clients):
            equal(c.end().data, str(i))
        _held(d, 0)


def test_answers_are_counted_as_the_service_s():
    with Domain() as d:
        _serve(d)
        for _ in range(10):
            d.call("LATER", "0 x")
        for _ in range(3):
            d.call("LATERFAIL", "x")
        wait_for(lambda: _figures(d, "LATER") == (10, 0), "ten")
        wait_for(lambda: _figures(d, "LATERFAIL") == (0, 3), "three failed")


def test_a_thread_forwards_and_calls():
    with Domain() as d:
        _serve(d)
        d.server(2, "ECHO", "CLTID", "FAIL")
        c = d.client()
        equal(c.call("LATERFWD", "ECHO x").data, "x")
        equal(c.call("LATERFWD", "CLTID x").data,
              c.call("CLTID", "x").data)
        equal(c.call("LATERFWD", "LATERFWD LATERFWD ECHO y").data, "y")
        equal(c.call("LATERFWD", "NOSUCH x").err, "TPESVCERR")
        equal(c.call("LATERCALL", "ECHO z").data, "z")
        text = "ECHO " + "w" * 20000
        equal(c.call("LATERFWD", text).len, 20001)
        equal(c.call("LATERCALL", text).len, 20001)


def test_a_thread_may_be_quicker_than_the_service():
    with Domain() as d:
        _serve(d)
        for i in range(20):
            equal(d.call("EARLY", f"0 a{i}").data, f"A{i}")
            equal(d.call("TOOLATE", f"0 b{i}").data, f"B{i}")
        contains(d.call("TOLD").data, "TPEPROTO")
        equal(d.call("FALLOFF", "0 c").data, "C")


def test_the_service_may_take_its_request_back():
    with Domain() as d:
        _serve(d)
        d.server(2, "ECHO")
        for size in (3, 20000):
            text = "t" * size
            r = d.call("BACK", text)
            equal((r.err, r.urcode, r.len), ("OK", 12, size + 1))
            equal(d.call("BACKFWD", f"ECHO {text}").len, size + 1)
        wait_for(lambda: _figures(d, "BACK") == (2, 0), "counted once")


def test_a_thread_hands_the_request_to_another_thread():
    with Domain() as d:
        _serve(d)
        for _ in range(10):
            equal(d.call("AGAIN", "0 twice").data, "TWICE")


def test_a_request_has_one_thread():
    with Domain() as d:
        _serve(d)
        r = d.call("TWO", "x")
        equal(r.err, "OK")
        contains(r.data, "TPEPROTO")
        contains(r.data, "another thread has the request")


def test_a_thread_may_keep_the_buffer():
    with Domain() as d:
        _serve(d)
        for size in (5, 20000):
            equal(d.call("KEEP", "k" * size).data, "kept")
        wait_for(lambda: d.call("TOLD").data == "k" * 300, "it was whole")
        wait_for(lambda: d.call("HOLDING").urcode == 0, "thread at its end")
        before = _blocks(d)
        for _ in range(30):
            equal(d.call("KEEP", "k" * 20000).data, "kept")
        wait_for(lambda: d.call("HOLDING").urcode == 0, "threads at the end")
        wait_for(lambda: _blocks(d) <= before + 8, "blocks freed")


def test_the_main_thread_answers_between_two_requests():
    with Domain() as d:
        _serve(d)
        for _ in range(3):
            r = d.call("MAINLOOP", "m")
            equal((r.data, r.urcode), ("m", 13))
        equal(d.call("ADDED").err, "OK")


def test_a_request_that_no_thread_can_answer_is_refused_at_once():
    with Domain() as d:
        _serve(d)
        took = []
        for _ in range(20):
            for svc in ("LOST", "DROP"):
                r = d.call(svc, "x")
                equal(r.err, "TPESVCERR")
                took.append(r.ms)
        promptly(took, 50, 300)


def test_a_request_that_no_thread_takes_ends_with_its_deadline():
    with Domain(env={"NDRX_TOUT": "300ms"}) as d:
        _serve(d)
        r = d.call("NOBODY", "x")
        equal(r.err, "TPETIME")
        near(r.ms, 299, 1300)
        wait_for(lambda: _figures(d, "NOBODY") == (0, 0), "not counted")
        equal(d.call("LATER", "0 x").data, "X")


def test_a_one_way_request_may_be_continued():
    with Domain() as d:
        _serve(d)
        c = d.client()
        for svc in ("LATER", "LOST"):
            equal(c("acall", svc, "TPNOREPLY", "STRING:0 x").ret, 0)
        wait_for(lambda: _figures(d, "LATER")[0] == 1, "done")
        wait_for(lambda: _figures(d, "LOST")[0] == 1, "done")


def test_misuse_is_an_error():
    with Domain() as d:
        _serve(d)
        equal(d.call("ERRORS", "x").data, "x")
        equal(d.call("TOLD").data.split(),
              ["get=TPEPROTO", "continue=TPEPROTO", "return=TPEPROTO",
               "null=TPEINVAL", "garbage=TPEINVAL", "small=TPEINVAL",
               "nolen=TPEINVAL", "inside=TPEPROTO"])


def test_the_callers_of_all_continued_requests_hear_of_the_death():
    with Domain() as d:
        d.boot({"srvid": 7, "name": "ctxsv"}, {"srvid": 8, "appopt": "ECHO"})
        for text in ("x", "x" * 20000):
            pid = d.pid(7)
            clients = [d.client() for _ in range(MANY)]
            for c in clients:
                c.begin("call", "HOLD", "-", "STRING:" + text)
            _held(d, MANY)
            kill(pid)
            for c in clients:
                r = c.end()
                equal((r.err, r.ms < 15000), ("TPESVCERR", True))
                c.close()
            d.clients = [c for c in d.clients if c not in clients]
            wait_for(lambda: d.pid(7) not in (0, pid), "restarted")
            equal(d.call("LATER", "0 x").data, "X")


def test_a_caller_hears_of_the_death_at_once():
    with Domain() as d:
        d.boot({"srvid": 7, "name": "ctxsv"})
        c = d.client()
        took = []
        for _ in range(10):
            pid = wait_for(lambda: d.pid(7), "it runs")
            c.begin("call", "HOLD", "-", "STRING:x")
            _held(d, 1)
            start = time.monotonic()
            kill(pid)
            equal(c.end().err, "TPESVCERR")
            took.append((time.monotonic() - start) * 1000)
            wait_for(lambda: d.pid(7) not in (0, pid), "restarted")
        promptly(took, 100, 300, "ms until the caller knew")


def test_a_server_that_ends_refuses_what_is_left():
    with Domain() as d:
        p = _serve(d)
        clients = [d.client() for _ in range(5)]
        for c in clients:
            c.begin("call", "HOLD", "-", "STRING:x")
        _held(d, 5)
        equal(d.stop_server(p), 0)
        for c in clients:
            equal(c.end().err, "TPESVCERR")


def test_a_one_way_request_that_no_thread_ends_is_named():
    with Domain(env={"NDRX_TOUT": "300ms"}) as d:
        p = _serve(d)
        c = d.client()
        equal(c("acall", "NOBODY", "TPNOREPLY", "STRING:x").ret, 0)
        wait_for(lambda: d.lost_requests() == 1, "none has taken it in time")
        equal(c("acall", "HOLD", "TPNOREPLY", "STRING:x").ret, 0)
        _held(d, 1)
        equal(d.stop_server(p), 0)
        equal(d.lost_requests(), 2, "nor does one answer it")


def test_a_thread_can_end_the_server():
    with Domain() as d:
        for svc, answer in (("LATERSTOP", "TPESVCFAIL"), ("LATEREXIT", "OK")):
            p = _serve(d)
            r = d.call(svc, "x")
            equal((r.err, r.data), (answer, "x"))
            equal(p.wait(10), 0)
            d.procs.pop(p.pid, None)


def test_a_continued_request_does_not_stand_for_the_one_in_service():
    """ndrxd asks for how long the service in hand may last, not for the
    continued one, whose caller waits without a limit."""
    with Domain() as d:
        d.boot({"srvid": 7, "name": "ctxsv", "pingtime": 1, "ping_max": 1})
        c = d.client()
        c.begin("call", "HOLD", "TPNOTIME", "STRING:x")
        _held(d, 1)
        old = d.pid(7)
        hung = d.client()
        hung("tout", 2)
        hung.begin("call", "HANG", "-", "STRING:x")
        equal(hung.end().err, "TPETIME")
        equal(c.end(30).err, "TPESVCERR")
        wait_for(lambda: d.pid(7) not in (0, old), "restarted", 30)
