# SPDX-License-Identifier: Apache-2.0
"""Conversations: time-outs, TPNOBLOCK, signals, the window, many at once."""
from checks import at_most, between, equal, near
from fixture import Domain, holds, kill, wait_for
from machine import asleep
from conversations import block_bytes, connect, go_on, convs

COST = 12
QUEUE_KB = 100

WINDOW = 32  # messages, libatmi/converse/ends/conversation.h
BYTES = 1 << 20


def test_wrong_arguments_have_their_errors():
    with Domain() as d:
        convs(d, 1, "CONV")
        c = d.client()
        equal(c("connect", "CONV", "TPSENDONLY,TPRECVONLY", "-").err,
              "TPEINVAL")
        equal(c("connect", "NOBODY", "TPSENDONLY", "-").err, "TPENOENT")
        for cd in (-1, 0, 7, 16384):
            equal(c("send", cd, "-", "STRING:a").err, "TPEINVAL", cd)
            equal(c("recv", cd).err, "TPEINVAL", cd)
            equal(c("discon", cd).err, "TPEINVAL", cd)


def test_tpconnect_waits_for_a_server_until_its_deadline():
    with Domain() as d:
        convs(d, 1, "CONV")
        a, b = d.client(), d.client(NDRX_TOUT="1")
        cd = connect(a, "all return:-")
        r = b("connect", "CONV", "TPSENDONLY", "STRING:return:-")
        equal(r.err, "TPETIME")
        near(r.ms, 950, 2500)
        equal(a("send", cd, "TPRECVONLY", "STRING:x").err, "OK")
        equal(a("recv", cd).event, "SVCSUCC")
        equal(connect(b, "return:-"), 0, "its server is free")


def test_the_last_server_leaves_and_queued_connections_are_refused():
    with Domain() as d:
        d.boot({"srvid": 1, "name": "conversesv", "appopt": "CONV"})
        a, b = d.client(), d.client()
        cd = connect(a, "all return:-")
        b.begin("connect", "CONV", "TPSENDONLY", "-")
        wait_for(lambda: any("svc,CONV" in r.queue and r.queued == 1
                             for r in d.rows("pqa")), "queued")
        d.xadmin("stop", "-i", 1)
        equal(b.end().err, "TPENOENT")
        r = a("recv", cd)
        equal(r.err, "TPEPROTO", "it is to send")
        wait_for(lambda: a("send", cd, "-", "STRING:x").event == "SVCERR",
                 "the server was killed for its conversation")


def test_tpconnect_tells_why_no_server_began():
    with Domain() as d:
        d.boot({"srvid": 1, "name": "conversesv", "appopt": "CONV"})
        a, b = d.client(), d.client()
        cd = connect(a, "all return:-")
        b.begin("connect", "CONV", "TPSENDONLY", "-")
        wait_for(lambda: any("svc,CONV" in r.queue and r.queued == 1
                             for r in d.rows("pqa")), "queued")
        kill(d.pid(1))
        r = b.end()
        equal(r.err, "OK", "it waits for the server that is started again")
        equal(b("discon", r.ret).ret, 0)
        wait_for(lambda: a("send", cd, "-", "STRING:x").event == "SVCERR",
                 "the server that had begun is dead")
        d.server(2, "JTALK", binary="conversesv",
                 opts=("-x", "CONV:JSON2UBF"))
        r = b("connect", "JTALK", "TPSENDONLY", "JSON:{no json")
        equal(r.err, "TPEITYPE")


def test_tpconnect_is_told_of_the_death_where_a_service_does_not_wait():
    with Domain() as d:
        d.boot({"srvid": 1, "name": "conversesv", "appopt": "CONV"},
               sections="<services><service svcnm=\"CONV\" "
                        "restart=\"refuse\"/></services>")
        a, b = d.client(), d.client()
        connect(a, "all return:-")
        b.begin("connect", "CONV", "TPSENDONLY", "-")
        wait_for(lambda: any("svc,CONV" in r.queue and r.queued == 1
                             for r in d.rows("pqa")), "queued")
        kill(d.pid(1))
        equal(b.end().err, "TPESVCERR")


def test_tprecv_and_tpsend_end_at_their_deadlines_and_can_be_repeated():
    with Domain() as d:
        convs(d, 1, "CONV")
        convs(d, 2, "CONV")
        c = d.client(NDRX_TOUT="1")
        cd = connect(c, "await:one send:late await:two all return:x",
                     "TPRECVONLY")
        r = c("recv", cd)
        equal(r.err, "TPETIME")
        near(r.ms, 950, 2000)
        go_on(d, "one")
        equal(c("recv", cd, "TPNOTIME").data, "late")
        c("discon", cd)
        cd = connect(c, "await:three all return:x", "TPSENDONLY")
        r = c("stream", cd, 1000, 100)
        equal(r.err, "TPETIME")
        between(r.sent, 4, WINDOW, "messages until it waits")
        near(r.ms, 950, 2500)
        go_on(d, "two", "three")
        equal(c("send", cd, "TPRECVONLY,TPNOTIME", "STRING:x").err, "OK")
        equal(c("recv", cd, "TPNOTIME").event, "SVCSUCC")


def test_tpnoblock_is_tpeblock_instead_of_waiting():
    with Domain() as d:
        convs(d, 1, "CONV")
        c = d.client()
        cd = connect(c, "await:one send:a give:b all return:x", "TPRECVONLY")
        r = c("recv", cd, "TPNOBLOCK")
        equal(r.err, "TPEBLOCK")
        near(r.ms, 0, 300)
        go_on(d, "one")
        equal(c("recv", cd).data, "a")
        equal(c("recv", cd).data, "b")
        equal(c("send", cd, "TPNOBLOCK,TPRECVONLY", "STRING:c").err, "OK")
        equal(c("recv", cd).event, "SVCSUCC")
        cd = connect(c, "await:two all return:x")
        r = c("stream", cd, 1000, 10, "TPNOBLOCK")
        equal(r.err, "TPEBLOCK")
        between(r.sent, 4, WINDOW, "messages until it would wait")
        go_on(d, "two")
        equal(c("send", cd, "TPRECVONLY", "STRING:c").err, "OK")
        equal(c("recv", cd).event, "SVCSUCC")


def test_a_signal_is_tpgotsig_and_the_conversation_goes_on():
    with Domain() as d:
        convs(d, 1, "CONV")
        c = d.client()
        cd = connect(c, "await:one return:x", "TPRECVONLY")
        c("alarm", 100, 30)
        equal(c("recv", cd).err, "TPGOTSIG")
        c.begin("recv", cd, "TPSIGRSTRT")
        wait_for(lambda: asleep(c.pid), "it waits")
        go_on(d, "one")
        equal(c.end().event, "SVCSUCC")
        c("alarm", 0, 0)


def test_a_stream_arrives_in_order_and_once():
    with Domain() as d:
        convs(d, 1, "CONV")
        c = d.client()
        for n, size in ((3000, 8), (1000, 300), (200, 20000), (30, 900000)):
            cd = connect(c, f"stream:{n}:{size} return:-", "TPRECVONLY")
            r = c("drain", cd)
            equal((r.got, r.right, r.err, r.event),
                  (n, n, "TPEEVENT", "SVCSUCC"), (n, size))


def test_a_fast_sender_waits_and_does_not_fill_the_store():
    with Domain() as d:
        convs(d, 1, "CONV")
        convs(d, 2, "CONV")
        c = d.client(NDRX_TOUT="1")
        cd = connect(c, "await:one all return:-")
        before = block_bytes(d)
        r = c("stream", cd, 1000, 100000)
        equal(r.err, "TPETIME")
        at_most(r.sent * 100000, BYTES + 100000, "bytes under way")
        at_most(block_bytes(d) - before, 4 * BYTES, "bytes of shared memory")
        c("discon", cd)
        go_on(d, "one")
        cd = connect(c, "stream:2000:100000 return:-", "TPRECVONLY")
        wait_for(lambda: block_bytes(d) - before > BYTES / 2, "it has begun")
        at_most(block_bytes(d) - before, 4 * BYTES, "bytes of shared memory")
        r = c("drain", cd)
        equal((r.got, r.right, r.event), (2000, 2000, "SVCSUCC"))


def test_two_programs_that_send_at_each_other_do_not_block_for_ever():
    with Domain() as d:
        convs(d, 1, "CONV")
        c = d.client()
        cd = connect(c, "stream:20:200 recv recv recv all return:-", "-")
        r = c("stream", cd, 20, 200)
        equal((r.sent, r.err), (20, "OK"))
        equal(c("send", cd, "TPRECVONLY", "STRING:x").err, "OK")
        r = c("drain", cd)
        equal((r.got, r.right, r.event), (20, 20, "SVCSUCC"))


def test_forty_conversations_at_once():
    n = 40
    with Domain() as d:
        d.boot(*({"srvid": i + 1, "name": "conversesv", "appopt": f"T{i}"}
                 for i in range(n)))
        r = d.client()("convs", "T", n)
        equal(r.good, 2 * n)


def test_calls_and_conversations_do_not_mix_up():
    with Domain() as d:
        convs(d, 1, "CONV")
        d.server(2, "ECHO")
        c = d.client()
        cd = connect(c, "stream:100:8 return:-", "TPRECVONLY")
        calls = [c("acall", "ECHO", "-", f"STRING:{i}").ret for i in range(9)]
        for i in range(30):
            equal(c.call("ECHO", str(i)).data, str(i))
        r = c("drain", cd)
        equal((r.got, r.right, r.event), (100, 100, "SVCSUCC"))
        for i, call in enumerate(calls):
            equal(c("getrply", call).data, str(i))
        equal(c("getrply", 0, "TPGETANY").err, "TPEBADDESC")


def test_a_server_that_waits_in_a_conversation_answers_pings():
    with Domain() as d:
        d.boot({"srvid": 1, "name": "conversesv", "appopt": "CONV",
                "pingtime": "1", "ping_max": "2"})
        c = d.client()
        cd = connect(c, "all return:x")
        pid = d.pid(1)
        holds(lambda: d.pid(1) == pid, "it runs", 4)
        equal(c("send", cd, "TPRECVONLY", "STRING:x").err, "OK")
        equal(c("recv", cd).event, "SVCSUCC")
