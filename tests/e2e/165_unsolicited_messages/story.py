# SPDX-License-Identifier: Apache-2.0
"""Clients get unsolicited messages; those that do not look harm nobody."""
import os
import signal

from checks import equal
from fixture import SLOW, Domain, kill, wait_for

COST = 10

ROOM = 256  # messages in an inbox


def _listener(d, **env):
    """A client with a handler, and its id."""
    c = d.client(**env)
    equal((c("unsol", "record").ret, c("unsol", "record").ret), (0, 1))
    return c, c.call("CLTID").data


def _got(c):
    r = c("got")
    return r.data.split("|")[:-1]


def _numbers(got):
    return [int(g.split(":")[1]) for g in got]


def test_a_client_gets_what_is_sent_to_its_id_when_it_looks():
    with Domain() as d:
        d.server(1, "CLTID")
        c, me = _listener(d)
        s = d.client()
        equal(s("notify", me, "-", "STRING:hello").err, "OK")
        equal(s("notify", me, "-", "JSON:{}").err, "OK")
        equal(s("notify", me, "-", "-").err, "OK")
        equal(_got(c), [])
        equal(c("chkunsol").ret, 3)
        equal(_got(c), ["STRING:hello", "JSON:{}", "-:"])
        equal(c("chkunsol").ret, 0)


def test_large_messages_arrive_whole():
    with Domain() as d:
        d.server(1, "CLTID")
        c, me = _listener(d)
        for size in (200, 5000, 70000, 3000000):
            for kind in ("STRING", "CARRAY", "UBF"):
                equal(c("notify", me, "-", f"{kind}:#{size}").err, "OK")
                equal(c("chkunsol").ret, 1)
                got = _got(c)[0]
                assert got.startswith(f"{kind}:#{size}="), got


def test_messages_come_while_a_call_waits():
    with Domain() as d:
        d.server(1, "CLTID", "SLEEP")
        c, me = _listener(d)
        s = d.client()
        c.begin("call", "SLEEP", "-", f"STRING:{int(1500 * SLOW)}")
        wait_for(lambda: d.row("psc", service="SLEEP").status == "BUSY",
                 "the call under way")
        sent = [s("notify", me, "-", f"STRING:{i}").err for i in range(3)]
        equal(sent, ["OK"] * 3)
        # Room comes only while the client looks: it does, during its call.
        r = s("notifymany", me, "-", 3 * ROOM)
        equal((r.ret, r.err), (3 * ROOM, "OK"))
        equal(d.row("psc", service="SLEEP").status, "BUSY")
        equal(c.end().err, "OK")
        c("chkunsol")
        equal(_numbers(_got(c)), [0, 1, 2, *range(1, 3 * ROOM + 1)])


def test_a_service_notifies_its_caller_during_the_call():
    with Domain() as d:
        d.server(1, "NOTIFY", "CLTID")
        c, _ = _listener(d)
        r = c.call("NOTIFY", "1000")
        equal((r.err, r.data), ("OK", "1000"))
        c("chkunsol")
        equal(_numbers(_got(c)), list(range(1, 1001)))


def test_a_client_without_a_handler_gets_nothing_and_keeps_nobody_waiting():
    with Domain() as d:
        d.server(1, "CLTID", "ECHO")
        c, s = d.client(), d.client()
        me = c.call("CLTID").data
        r = s("notifymany", me, "-", 2 * ROOM)
        equal((r.ret, r.err), (2 * ROOM, "OK"))
        equal((c("chkunsol").ret, c.call("ECHO", "x").data), (0, "x"))


def test_a_client_that_never_looks_delays_no_reply_and_no_other_client():
    with Domain() as d:
        d.server(1, "CLTID", "ECHO")
        c, me = _listener(d)
        other, it = _listener(d)
        s = d.client()
        r = s("notifymany", me, "TPNOBLOCK", 2 * ROOM)
        equal((r.ret, r.err), (ROOM, "TPEBLOCK"))
        s("tout", 1)
        r = s("notify", me, "-", "STRING:x")
        equal(r.err, "TPETIME")
        assert 900 < r.ms < 1000 + 2000 * SLOW, r.ms
        equal(s("broadcast", "-", "-", "-", "STRING:all").err, "OK")
        equal((other("chkunsol").ret, _got(other)), (1, ["STRING:all"]))
        # Its replies are not delayed.
        cds = [c("acall", "ECHO", "-", f"STRING:{i}").ret for i in range(4)]
        equal([s.call("ECHO", "z").data for _ in range(4)], ["z"] * 4)
        equal([c("getrply", cd, "-").data for cd in cds],
              ["0", "1", "2", "3"])


def test_an_inbox_with_room_again_takes_the_message_of_a_waiting_sender():
    with Domain() as d:
        d.server(1, "CLTID")
        c, me = _listener(d)
        s = d.client()
        s("notifymany", me, "TPNOBLOCK", 2 * ROOM)
        s.begin("notify", me, "-", "STRING:0")
        equal(c("chkunsol").ret >= ROOM, True)
        equal(s.end().err, "OK")
        c("chkunsol")
        equal(_numbers(_got(c)), [*range(1, ROOM + 1), 0])


def test_the_messages_of_each_sender_come_in_order():
    with Domain() as d:
        d.server(1, "CLTID")
        c, me = _listener(d)
        senders = [d.client() for _ in range(4)]
        for s in senders:
            s.begin("notifymany", me, "-", 2000)
        got = []
        wait_for(lambda: got.extend(_numbers(_got(c)))
                 or c("chkunsol").ret >= 0 and len(got) >= 8000,
                 "all messages", 60)
        for s in senders:
            equal(s.end().ret, 2000)
        at = {}
        for n in range(1, 2001):
            at[n] = [i for i, g in enumerate(got) if g == n]
            equal(len(at[n]), 4)
        # The k-th message n+1 of some sender follows the k-th message n.
        for n in range(1, 2000):
            assert all(a < b for a, b in zip(at[n], at[n + 1])), n


def test_errors_of_tpnotify():
    with Domain() as d:
        d.server(1, "CLTID")
        c, me = _listener(d)
        s = d.client()
        equal(s("notify", "-", "-", "STRING:x").err, "TPEINVAL")
        for bad in ("x", "clt,", "clt,a,b,c,d,e,f", me + "x", me + ",",
                    "clt" * 40):
            equal((bad, s("notify", bad, "-", "STRING:x").err),
                  (bad, "TPEINVAL"))
        equal(s("notifybad", me).err, "TPEINVAL")
        node = me.split(",")
        node[4] = "77"
        equal(s("notify", ",".join(node), "-", "STRING:x").err, "TPENOENT")
        c.close()
        equal(s("notify", me, "-", "STRING:x").err, "TPENOENT")


def test_a_signal_ends_the_wait_for_room_unless_tpsigrstrt():
    with Domain() as d:
        d.server(1, "CLTID")
        _, me = _listener(d)
        s = d.client()
        s("notifymany", me, "TPNOBLOCK", 2 * ROOM)
        s("tout", 1)
        s("alarm", 100, 100)
        equal(s("notify", me, "-", "STRING:x").err, "TPGOTSIG")
        equal(s("notify", me, "TPSIGRSTRT", "STRING:x").err, "TPETIME")
        s("alarm", 0)


def test_the_next_client_of_a_slot_gets_no_message_of_the_last_one():
    with Domain() as d:
        d.server(1, "CLTID", "KEEPID", "TELL")
        s = d.client()
        s.call("CLTID")
        for _ in range(5):
            c, me = _listener(d)
            equal(c.call("KEEPID").data, me)
            equal(s.call("TELL", "mine").data, "0")
            equal(s("notify", me, "-", "STRING:mine").err, "OK")
            c.close()
            c, it = _listener(d)  # in the same slot
            equal(s.call("TELL", "his").data, "6")  # TPENOENT
            equal(s("notify", me, "-", "STRING:his").err, "TPENOENT")
            equal((c("chkunsol").ret, _got(c)), (0, []))
            equal(s("notify", it, "-", "STRING:hers").err, "OK")
            equal((c("chkunsol").ret, _got(c)), (1, ["STRING:hers"]))
            c.close()


def test_a_broadcast_reaches_clients_by_program_and_node():
    with Domain() as d:
        d.server(1, "CLTID")
        c, _ = _listener(d)
        s = d.client()
        s("unsol", "record")

        def reached(node, name, flags="-"):
            equal(s("broadcast", node, name, flags, "STRING:x").err, "OK")
            r = c("chkunsol").ret
            equal(s("chkunsol").ret, r)  # itself, too
            return r
        equal([reached("-", "-"), reached("-", "testcl"),
               reached("1", "-"), reached("1", "testcl")], [1] * 4)
        equal([reached("2", "-"), reached("-", "test"),
               reached("-", "test.*")], [0] * 3)
        re = "TPREGEXMATCH"
        equal([reached("-", "^test", re), reached("[12]", "cl$", re),
               reached("-", "^(a|testcl)$", re)], [1] * 3)
        equal([reached("[2]", "-", re), reached("-", "^estcl", re)], [0] * 2)
        equal(s("broadcast", "-", "(", re, "STRING:x").err, "TPEINVAL")
        equal(s("broadcast", "[", "-", re, "STRING:x").err, "TPEINVAL")


def test_a_node_has_a_number_and_a_name():
    with Domain(env={"NDRX_LMID": "SITE1"}) as d:
        d.server(1, "CLTID")
        c, _ = _listener(d)
        s = d.client()

        def reached(node, flags="-"):
            equal(s("broadcast", node, "-", flags, "STRING:x").err, "OK")
            return c("chkunsol").ret
        equal([reached("SITE1"), reached("1"),
               reached("^SITE", "TPREGEXMATCH")], [1] * 3)
        equal([reached("SITE"), reached("SITE2"), reached("2")], [0] * 3)


def test_a_handler_may_not_call_or_leave():
    with Domain() as d:
        d.server(1, "CLTID", "ECHO", "SLEEP")
        c, me = _listener(d)
        equal(c("unsol", "misbehave").ret, 1)
        s = d.client()
        s("notify", me, "-", "STRING:x")
        equal((c("chkunsol").ret, _got(c)), (1, ["STRING:x", "refused"]))
        c.begin("call", "SLEEP", "-", f"STRING:{int(1500 * SLOW)}")
        wait_for(lambda: d.row("psc", service="SLEEP").status == "BUSY",
                 "the call under way")
        s("notify", me, "-", "STRING:y")
        r = c.end()
        equal((r.err, r.ret), ("OK", 0))
        c("chkunsol")
        equal(_got(c), ["STRING:y", "refused"])
        equal(c.call("ECHO", "still there").data, "still there")


def test_a_server_may_set_a_handler_and_gets_nothing():
    with Domain() as d:
        d.server(1, "LISTEN")
        equal(d.call("LISTEN").data, "1")


def test_a_server_has_no_handler_in_strict_tuxedo():
    with Domain() as d:
        d.server(1, "LISTEN", env={"NDRX_COMPAT": "strict-tuxedo"})
        equal(d.call("LISTEN").data, "0")


def test_tpu_ign_and_a_handler_taken_away_end_the_messages():
    with Domain() as d:
        d.server(1, "CLTID")
        s = d.client()
        c, me = _listener(d)
        s("notify", me, "-", "STRING:x")
        equal(c("initflags", 4).err, "OK")  # TPU_IGN
        equal(s("notify", me, "-", "STRING:x").err, "OK")
        equal((c("chkunsol").ret, _got(c)), (0, []))
        equal(c("initflags", 2).err, "OK")  # TPU_DIP
        s("notify", me, "-", "STRING:y")
        equal((c("chkunsol").ret, _got(c)), (1, ["STRING:y"]))
        equal(c("unsol", "none").ret, 1)
        equal(s("notify", me, "-", "STRING:z").err, "OK")
        equal((c("chkunsol").ret, _got(c)), (0, []))
        equal(c("unsol", "record").ret, 0)
        equal((c("chkunsol").ret, _got(c)), (0, []))

TPU_THREAD = 0x20


def _threaded(d):
    """A client whose handler runs in a thread, and its id."""
    c = d.client()
    equal(c("initflags", TPU_THREAD).err, "OK")
    equal(c("unsol", "record").ret, 0)
    return c, c.call("CLTID").data


def _await(c, n):
    """What the handler got, when it has got `n` messages."""
    got = []
    wait_for(lambda: got.extend(_got(c)) or len(got) >= n, "the messages")
    return got


def test_a_thread_hands_messages_over_while_the_program_does_not_look():
    with Domain() as d:
        d.server(1, "CLTID")
        c, me = _threaded(d)
        s = d.client()
        for text in ("a", "b"):
            equal(s("notify", me, "-", f"STRING:{text}").err, "OK")
            equal(_await(c, 1), [f"STRING:{text}"])
        # More than an inbox holds: the sender finds room without a look.
        r = s("notifymany", me, "-", 4 * ROOM)
        equal((r.ret, r.err), (4 * ROOM, "OK"))
        equal(_numbers(_await(c, 4 * ROOM)), [*range(1, 4 * ROOM + 1)])
        equal(c("chkunsol").ret, 0)


def test_the_handler_of_a_thread_has_no_context():
    with Domain() as d:
        d.server(1, "CLTID", "ECHO")
        c, me = _threaded(d)
        equal(c("unsol", "misbehave").ret, 1)
        s = d.client()
        equal(s("notify", me, "-", "STRING:x").err, "OK")
        equal(_await(c, 2), ["STRING:x", "refused"])
        equal(c.call("ECHO", "y").data, "y")


def test_a_thread_ends_with_its_context_and_with_its_handler():
    with Domain() as d:
        d.server(1, "CLTID")
        c, me = _threaded(d)
        threads = f"/proc/{c.pid}/task"
        many = len(os.listdir(threads))
        equal(c("unsol", "none").ret, 1)
        # A joined thread leaves its folder a moment later.
        wait_for(lambda: len(os.listdir(threads)) == many - 1, "no thread")
        equal(c("unsol", "record").ret, 0)
        equal(len(os.listdir(threads)), many)
        equal(c("initflags", 2).err, "OK")  # TPU_DIP
        wait_for(lambda: len(os.listdir(threads)) == many - 1, "no thread")
        equal(d.client()("notify", me, "-", "STRING:z").err, "OK")
        equal((c("chkunsol").ret, _got(c)), (1, ["STRING:z"]))
        equal(c("initflags", TPU_THREAD | 2).err, "TPEINVAL")
        equal(c("initflags", TPU_THREAD).err, "OK")
        equal(len(os.listdir(threads)), many)
        equal(c("term").err, "OK")
        equal(len(os.listdir(threads)), many - 1)


def test_a_stopped_thread_gets_what_its_inbox_holds():
    with Domain() as d:
        d.server(1, "CLTID", "ECHO")
        c, me = _threaded(d)
        kill(c.pid, signal.SIGSTOP)
        s = d.client()
        r = s("notifymany", me, "TPNOBLOCK", 2 * ROOM)
        equal((r.ret, r.err), (ROOM, "TPEBLOCK"))
        kill(c.pid, signal.SIGCONT)
        equal(_numbers(_await(c, ROOM)), [*range(1, ROOM + 1)])


def test_a_killed_client_with_a_thread_is_gone_for_its_senders():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "CLTID"})
        c, me = _threaded(d)
        c.kill()
        s = d.client()
        wait_for(lambda: s("notify", me, "-", "STRING:x").err == "TPENOENT",
                 "its end", 3)


def test_a_handler_may_be_set_before_the_domain_runs():
    with Domain() as d:
        c = d.client()
        equal(c("unsol", "record").ret, 0)
        equal(c("chkunsol").ret, 0)
        d.server(1, "CLTID")
        me = c.call("CLTID").data
        s = d.client()
        s("notify", me, "-", "STRING:x")
        equal((c("chkunsol").ret, _got(c)), (1, ["STRING:x"]))


def test_a_stopped_client_keeps_no_sender_past_its_time_out():
    with Domain() as d:
        d.server(1, "CLTID", "ECHO")
        c, me = _listener(d)
        kill(c.pid, signal.SIGSTOP)
        s = d.client()
        s("tout", 1)
        r = s("notifymany", me, "-", ROOM + 1)
        equal((r.ret, r.err), (ROOM, "TPETIME"))
        equal(s.call("ECHO", "x").data, "x")
        kill(c.pid, signal.SIGCONT)
        equal(c("chkunsol").ret, ROOM)
