# SPDX-License-Identifier: Apache-2.0
"""Events reach those who have subscribed, and nobody else."""
import os
import signal

from checks import equal, soon
from fixture import Domain, kill, wait_for

TABLES = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                      "../../../conf/ubftab")
SERVICES = "SUBSCRIBE", "UNSUBSCRIBE", "LOG", "GETLOG"


def _broker(d, srvid=90):
    return d.server(srvid, binary="tpevsrv")


def _subscribe(d, expr, filter_="-", svc="LOG", flags=1, by="SUBSCRIBE"):
    r = d.call(by, f"{expr} {filter_} {svc} {flags}")
    return int(r.data) if r.err == "OK" else r.urcode


def _post(c, name, data="STRING:x", flags="-"):
    r = c("post", name, flags, data)
    equal(r.err, "OK", r.text)
    if "TPNOREPLY" not in flags:
        equal(r.urcode, r.ret)
    return r.ret


def _logged(d, n):
    """What service LOG got, once there are n."""
    got = []
    wait_for(lambda: got.extend(d.call("GETLOG").data.split())
             or len(got) >= n, f"{n} events")
    return got


def test_a_subscribed_service_gets_the_event_and_ids_start_at_0():
    with Domain() as d:
        _broker(d)
        d.server(1, *SERVICES)
        c = d.client()
        equal(_post(c, "NEWS"), 0)
        equal((_subscribe(d, "NEWS"), _subscribe(d, "NEWS$")), (0, 1))
        equal(_post(c, "NEWS", "STRING:a"), 2)
        equal(_logged(d, 2), ["a", "a"])
        equal(_post(c, "OTHER"), 0)
        equal(d.call("UNSUBSCRIBE", "0").data, "1")
        equal(d.call("UNSUBSCRIBE", "0").data, "0")
        equal(_post(c, "NEWS", "STRING:b"), 1)
        equal(_logged(d, 1), ["b"])
        equal(d.call("UNSUBSCRIBE", "-1").data, "1")
        equal(_post(c, "NEWS"), 0)


def test_equal_subscriptions_are_one():
    """The copies of a server subscribe their service: it runs once."""
    with Domain(env={"NDRX_WAKE": "even"}) as d:
        _broker(d)
        p = d.server(1, *SERVICES)
        d.server(2, *SERVICES)
        c = d.client()
        for _ in range(6):  # both servers take some of these calls
            _subscribe(d, "NEWS")
        equal((_subscribe(d, "^NEWS"), _post(c, "NEWS")), (6, 2))
        equal(_post(c, "XNEWS"), 1)
        d.stop_server(p)
        equal(_post(c, "XNEWS"), 1)  # as long as one of them is there


def test_patterns_are_regular_expressions():
    with Domain() as d:
        _broker(d)
        d.server(1, *SERVICES)
        c = d.client()
        cases = {
            "NEWS": ("NEWS", "XNEWS", "NEWSX", "XNEWSX", "NEWSNEWS"),
            "^NEWS": ("NEWS", "NEWSX", "NEWSNEWS"),
            "NEWS$": ("NEWS", "XNEWS", "NEWSNEWS"),
            "^NEWS$": ("NEWS",),
            "^(NEWS|OLD)$": ("NEWS", "OLD"),
            "N[EO]WX?": ("NEWS", "XNEWS", "NEWSX", "XNEWSX", "NEWSNEWS",
                         "NOW"),
            r"\.SysX": (".SysX",),
            ".SysX": (".SysX", "aSysX"),
            ".*": None,
        }
        names = sorted({n for v in cases.values() for n in v or ()})
        for expr, want in cases.items():
            for name in names:
                n = _subscribe(d, expr)
                matches = _post(c, name)
                equal((expr, name, matches),
                      (expr, name, int(want is None or name in want)))
                equal(d.call("UNSUBSCRIBE", str(n)).data, "1")


def test_many_patterns_and_words_are_all_found():
    with Domain() as d:
        _broker(d)
        d.server(1, *SERVICES)
        c = d.client()
        for i in range(40):
            _subscribe(d, f"^E[{i % 10}]" + "V{1," + str(i + 1) + "}")
            _subscribe(d, f"WORD{i}$")
        equal([_post(c, "E7V"), _post(c, "E"), _post(c, "WORD7"),
               _post(c, "WORD39"), _post(c, "XWORD3"), _post(c, "WORD40")],
              [4, 0, 1, 1, 1, 0])


def test_filters_look_at_the_data():
    with Domain() as d:
        _broker(d)
        d.server(1, *SERVICES)
        c = d.client()
        _subscribe(d, "E", "^ab+c$")
        equal([_post(c, "E", "STRING:abbc"), _post(c, "E", "STRING:ac"),
               _post(c, "E", "JSON:abc"), _post(c, "E", "CARRAY:abc"),
               _post(c, "E", "-"), _post(c, "E", "UBF:#10")],
              [1, 0, 1, 0, 0, 0])
        equal(d.call("UNSUBSCRIBE", "-1").data, "1")
        _subscribe(d, "E", "1==1")
        _subscribe(d, "E", "1==2")
        _subscribe(d, "E", "((")  # accepts nothing
        equal([_post(c, "E", "UBF:#10"), _post(c, "E", "UBF:#10"),
               _post(c, "E", "-")], [1, 1, 0])


def test_data_of_all_types_and_sizes_reach_a_client():
    with Domain() as d:
        _broker(d)
        c, s = d.client(), d.client()
        c("unsol", "record")
        equal(c("subscribe", "^E$", "-", "-").ret, 0)
        for data in ("STRING:hello", "JSON:{}", "-", "CARRAY:#50000",
                     "UBF:#3000", "STRING:#2000000"):
            equal(_post(s, "E", data), 1)
            equal(c("chkunsol").ret, 1)
            got = c("got").data
            want = data.split(":")[0] + ":"
            assert got.startswith(want), (data, got[:50])
            if "#" in data:
                assert data.split(":")[1] + "=" in got, (data, got[:50])
        equal(c("unsubscribe", 0).ret, 1)
        equal(_post(s, "E"), 0)


def test_flags_of_a_post():
    with Domain() as d:
        _broker(d)
        d.server(1, *SERVICES)
        _subscribe(d, "E")
        c = d.client()
        equal(_post(c, "E", "STRING:1", "TPNOREPLY"), 0)
        equal(_logged(d, 1), ["1"])
        equal(_post(c, "E", "STRING:2", "TPNOBLOCK,TPNOTIME,TPSIGRSTRT"), 1)
        equal(_logged(d, 1), ["2"])


def test_errors():
    with Domain() as d:
        d.server(1, *SERVICES)
        c = d.client()
        equal(c("post", "E", "-", "STRING:x").err, "TPENOENT")
        equal(_subscribe(d, "E"), 6)  # TPENOENT
        equal(c("subscribe", "E", "-", "-").err, "TPENOENT")
        equal(c("unsubscribe", 0).err, "TPENOENT")
        _broker(d)
        equal(c("post", "-", "-", "-").err, "TPEINVAL")
        equal(c("post", "E" * 41, "-", "-").err, "OK")
        equal(c("post", "E" * 42, "-", "-").err, "TPEINVAL")
        for words in (("-", "-", "LOG"), ("(", "-", "LOG"),
                      ("E" * 256, "-", "LOG"), ("E", "f" * 256, "LOG"),
                      ("E", "-", "LOG", 0), ("E", "-", "LOG", 2),
                      ("E", "-", "LOG", 5)):
            equal((words, c("subscribe", *words).err), (words, "TPEINVAL"))
        equal(_subscribe(d, "E", svc="-"), 4)  # TPEINVAL: a server
        equal(c("unsubscribe", -2).err, "TPEINVAL")
        equal((c("unsubscribe", 77).ret, c("unsubscribe", -1).ret), (0, 0))
        equal(c("subscribe", "E" * 255, "-", "LOG").ret, 0)


def test_a_call_to_a_stopped_tpevsrv_times_out():
    with Domain() as d:
        p = _broker(d)
        d.server(1, *SERVICES)
        _subscribe(d, "E")
        c = d.client()
        c("tout", 1)
        kill(p.pid, signal.SIGSTOP)
        equal(c("post", "E", "-", "-").err, "TPETIME")
        equal(c("subscribe", "E", "-", "LOG").err, "TPETIME")
        equal(c("unsubscribe", 0).err, "TPETIME")
        equal(c("post", "NOBODY", "-", "-").ret, 0)  # needs no tpevsrv
        kill(p.pid, signal.SIGCONT)


def test_a_client_that_does_not_look_misses_events_and_delays_none():
    with Domain() as d:
        _broker(d)
        c, s = d.client(), d.client()
        other = d.client()
        for x in (c, other):
            x("unsol", "record")
            x("subscribe", "E", "-", "-")
        got = 0
        for _ in range(3):
            r = s("postmany", "E", 150)
            equal(r.err, "OK")
            got += other("chkunsol").ret
        equal(got, 450)
        equal(c("chkunsol").ret, 256)


def test_a_service_with_a_full_queue_is_waited_for_after_the_others():
    with Domain() as d:
        _broker(d)
        slow = d.server(2, "SLOW=LOG", "GETSLOW=GETLOG")
        d.server(1, *SERVICES)
        _subscribe(d, "E", svc="SLOW")
        _subscribe(d, "E")
        c, s = d.client(), d.client()
        kill(slow.pid, signal.SIGSTOP)
        while c("acall", "SLOW", "TPNOREPLY,TPNOBLOCK",
                "STRING:x").err == "OK":
            pass
        equal(_post(c, "E", "STRING:x", "TPNOBLOCK"), 1)
        equal(_logged(d, 1), ["x"])
        s.begin("post", "E", "-", "STRING:y")
        equal(_logged(d, 1), ["y"])  # SLOW still has no room
        kill(slow.pid, signal.SIGCONT)
        r = s.end()
        equal((r.ret, r.err), (2, "OK"))
        equal(d.call("GETSLOW").err, "OK")


def test_the_poster_learns_that_tpevsrv_was_killed_meanwhile():
    with Domain() as d:
        p = _broker(d)
        slow = d.server(2, "SLOW=LOG")
        d.server(1, *SERVICES)
        _subscribe(d, "E", svc="SLOW")
        _subscribe(d, "E")
        c, s = d.client(), d.client()
        kill(slow.pid, signal.SIGSTOP)
        while c("acall", "SLOW", "TPNOREPLY,TPNOBLOCK",
                "STRING:x").err == "OK":
            pass
        s.begin("post", "E", "-", "STRING:y")
        equal(_logged(d, 1), ["y"])  # now tpevsrv waits for SLOW
        kill(p.pid)
        p.wait()
        d.procs.pop(p.pid)
        _broker(d)
        equal(s.end().err, "TPESVCERR")
        kill(slow.pid, signal.SIGCONT)
        equal(_post(c, "E", "STRING:z"), 2)
        equal(_logged(d, 1), ["z"])


def test_there_are_262144_subscriptions_at_most():
    with Domain() as d:
        _broker(d)
        c = d.client()
        equal(c("subscribe", "E", "-", "LOG").ret, 0)
        with open(d.segment("subs"), "r+b") as f:
            f.seek(20)  # `high` of struct subs_head: as if all were in use
            f.write((262144).to_bytes(4, "little"))
        r = c("subscribe", "F", "-", "LOG")
        equal((r.ret, r.err), (-1, "TPELIMIT"))
        equal(c("unsubscribe", 0).ret, 1)
        equal(c("subscribe", "F", "-", "LOG").err, "OK", "one is free")


def test_subscriptions_of_a_dead_server_are_removed():
    with Domain() as d:
        _broker(d)
        p = d.server(1, *SERVICES)
        d.server(2, "LOG", "GETLOG")
        _subscribe(d, "E")
        _subscribe(d, "P", flags=9)  # TPEVPERSIST
        c = d.client()
        equal((_post(c, "E"), _post(c, "P")), (1, 1))
        p.kill()
        p.wait()
        d.procs.pop(p.pid)
        d.server(1, *SERVICES)  # takes the slot of the dead one
        equal((_post(c, "E"), _post(c, "P")), (0, 1))
        # The same server says it again: it has one, not two.
        equal(_subscribe(d, "P", flags=9), 1)
        equal(_post(c, "P"), 1)
        equal(d.call("UNSUBSCRIBE", "-1").data, "1")
        equal(_post(c, "P"), 0)


def test_subscriptions_to_a_service_that_left_end_unless_they_persist():
    with Domain() as d:
        _broker(d)
        d.server(1, *SERVICES)
        p = d.server(2, "GONE=LOG")
        _subscribe(d, "E", svc="GONE")
        _subscribe(d, "^E", svc="GONE", flags=9)
        c = d.client()
        equal(_post(c, "E"), 2)
        equal(d.stop_server(p), 0)
        equal(_post(c, "E"), 0)
        d.server(2, "GONE=LOG")
        equal(_post(c, "E"), 1)


def test_subscriptions_to_a_suspended_service_stay():
    with Domain() as d:
        d.boot({"srvid": 90, "name": "tpevsrv"},
               {"srvid": 1, "name": "testsv", "appopt": " ".join(SERVICES)})
        _subscribe(d, "E")
        c = d.client()
        equal(_post(c, "E", "STRING:a"), 1)
        d.xadmin("suspend", "-s", "LOG")
        equal(_post(c, "E", "STRING:b"), 0)
        d.xadmin("resume", "-s", "LOG")
        equal(_post(c, "E", "STRING:c"), 1)
        equal(_logged(d, 2), ["a", "c"])


def test_a_client_that_left_gets_nothing_nor_does_the_next_of_its_slot():
    with Domain() as d:
        _broker(d)
        s = d.client()
        c = d.client()
        c("unsol", "record")
        c("subscribe", "E", "-", "-")
        equal(_post(s, "E"), 1)
        c.close()
        c = d.client()
        c("unsol", "record")
        equal(_post(s, "E"), 0)
        equal(c("chkunsol").ret, 0)


def test_subscriptions_survive_every_tpevsrv():
    with Domain() as d:
        brokers = [_broker(d, 90), _broker(d, 91)]
        d.server(1, *SERVICES)
        _subscribe(d, "E")
        c = d.client()
        equal(_post(c, "E", "STRING:1"), 1)
        for p in brokers:
            p.kill()
            p.wait()
            d.procs.pop(p.pid)
        d.xadmin("psc", ok=False)
        _broker(d, 90)
        equal(_post(c, "E", "STRING:2"), 1)
        equal(_logged(d, 2), ["1", "2"])


def test_system_events_tell_of_dead_servers_once():
    with Domain() as d:
        d.env.update(FLDTBLDIR=TABLES, FIELDTBLS="Excompat")
        d.boot({"srvid": 1, "appopt": "ECHO"},
               {"name": "tpevsrv", "srvid": 90, "min": 2, "max": 2})
        c = d.client()
        c("unsol", "record")
        for srvid in (1, 2):
            equal(c("subscribe", r"^\.SysServerDied$",
                    f"TA_SRVID=={srvid}&&TA_CLASS=='T_SERVER'",
                    "-").ret, srvid - 1)
        for _ in range(2):
            pid = d.pid(1)
            kill(pid)
            wait_for(lambda: c("chkunsol").ret > 0, "the event", 10)
            wait_for(lambda: d.pid(1) not in (0, pid), "server 1", 10)
        # Another event, after which no other of these can come.
        equal(_post(d.client(), ".SysServerDied", "-"), 0)
        equal((c("chkunsol").ret, c("got").n), (0, 2))


def test_a_post_without_subscribers_ends_in_the_posters_process():
    with Domain() as d:
        _broker(d)
        d.server(1, *SERVICES)
        c = d.client()
        equal(c("subscribemany", "NAME", 1000, "LOG").ret, 1000)
        before = d.row("psc", service="@TPEVPOST").succeeded
        r = c("postmany", "SOMETHING", 100000)
        equal((r.ret, r.err), (0, "OK"))
        equal(d.row("psc", service="@TPEVPOST").succeeded, before)
        soon(r.ms, 20000)
        equal(_post(c, "NAME999"), 1)
        equal(c("unsubscribe", -1).ret, 1000)
