# SPDX-License-Identifier: Apache-2.0
"""A queue that grows long is an event, and so is that it is short again."""
import os
import signal

from checks import at_least, contains, equal
from covers import covers
from fixture import Domain, kill, wait_for

COST = 9

TABLES = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                      "../../../conf/ubftab")
ROOM = {"NDRX_MSGMAX": "10"}


def _configure(d, limits, *more):
    """Server 1 offers ECHO, 2 UPPER. Stopped servers are not killed."""
    d.configure({"srvid": 1, "appopt": "ECHO"},
                {"srvid": 2, "appopt": "UPPER"}, *more,
                settings={"pingtime": "0"},
                sections="<services>" + "".join(
                    f'<service svcnm="{name}" {limit}/>'
                    for name, limit in limits.items()) + "</services>")


def _boot(d, limits, *more):
    _configure(d, limits, *more)
    d.boot()


def _words(d):
    """Events about queues, the oldest first."""
    rows = sorted(d.rows("events"), key=lambda r: r.time_ns)
    return [(r.event, r.who) for r in rows if r.event.startswith("queue")]


def _state(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as f:
        return f.read().rpartition(")")[2].split()[0]


def _fill(d, srvid, svc, n):
    """A server is stopped, and n requests come; its pid."""
    pid = d.pid(srvid)
    kill(pid, signal.SIGSTOP)
    wait_for(lambda: _state(pid) == "T", "stopped")
    c = d.client()
    for _ in range(n):
        equal(c("acall", svc, "TPNOREPLY", "STRING:x").err, "OK")
    return pid


@covers("queuehigh", "queuelow")
def test_once_when_it_is_long_and_once_when_it_is_short():
    both = [("queue high", "ECHO"), ("queue low", "ECHO")]
    with Domain(env=ROOM) as d:
        _boot(d, {"ECHO": 'queuehigh="4" queuelow="1"'})
        for n in range(2):
            pid = _fill(d, 1, "ECHO", 6)
            wait_for(lambda m=n: _words(d) == both * m + both[:1], "long")
            at_least(d.row("pq", service="ECHO").queued, 5)
            kill(pid, signal.SIGCONT)
            wait_for(lambda m=n: _words(d) == both * (m + 1), "short")
        for event, limit in (("high", 4), ("low", 1)):
            row = next(r for r in d.rows("events")
                       if r.event == f"queue {event}")
            contains(row.text, f"requests wait; queue{event} is {limit}")


def test_fewer_requests_are_no_event():
    with Domain(env=ROOM) as d:
        _boot(d, {"ECHO": 'queuehigh="9"', "UPPER": 'queuehigh="2"'})
        one = _fill(d, 1, "ECHO", 5)
        two = _fill(d, 2, "UPPER", 5)
        wait_for(lambda: _words(d) == [("queue high", "UPPER")], "UPPER")
        kill(one, signal.SIGCONT)
        kill(two, signal.SIGCONT)
        wait_for(lambda: _words(d)[1:] == [("queue low", "UPPER")], "both")


def test_a_reload_begins_it():
    with Domain(env=ROOM) as d:
        _boot(d, {"ECHO": ""})
        pid = _fill(d, 1, "ECHO", 5)
        _configure(d, {"ECHO": 'queuehigh="5"'})
        d.xadmin("reload")
        wait_for(lambda: _words(d) == [("queue high", "ECHO")], "long")
        kill(pid, signal.SIGCONT)
        wait_for(lambda: _words(d)[1:] == [("queue low", "ECHO")], "short")


def test_subscribers_get_both():
    with Domain(env=ROOM) as d:
        d.env.update(FLDTBLDIR=TABLES, FIELDTBLS="Excompat")
        _boot(d, {"ECHO": 'queuehigh="3"'}, {"name": "tpevsrv", "srvid": 90})
        c = d.client()
        c("unsol", "record")
        for event, depth in (("High", ">=3"), ("Low", "<=1")):
            equal(c("subscribe", rf"^\.SysServiceQueue{event}$",
                    f"TA_NQUEUED{depth}&&TA_SERVICENAME=='ECHO'&&"
                    "TA_CLASS=='T_SERVICE'", "-").err, "OK")
        pid = _fill(d, 1, "ECHO", 5)
        wait_for(lambda: c("chkunsol").ret > 0, "long", 10)
        kill(pid, signal.SIGCONT)
        wait_for(lambda: c("chkunsol").ret > 0, "short", 10)
        equal(c("got").n, 2)


def test_wrong_limits_are_refused():
    with Domain() as d:
        d.configure({"srvid": 1, "appopt": "ECHO"}, sections='<services>'
                    '<service svcnm="ECHO" queuehigh="5" queuelow="5"/>'
                    "</services>")
        r = d.xadmin("testcfg", ok=False)
        contains(r.stdout + r.stderr, "give less than queuehigh, 5")
