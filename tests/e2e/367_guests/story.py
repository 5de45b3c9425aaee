# SPDX-License-Identifier: Apache-2.0
"""Other users, let in on purpose: they call through the gate, and a hostile one
harms only itself."""
import contextlib
import os
import random
import signal
import socket
import struct
import tempfile
import time

from checks import between, check, contains, differs, equal, soon
from covers import covers
from fixture import alive, kill, wait_for
from guests import (ASKED, CALLERS, GUEST, OTHER, OWNER, SERVICES, STRANGER, TELLERS,
                    gate_lets_in, gate_socket, guest_domain)

MAINLY = "shm"
COST = 27
VIEWS = """VIEW PERSON
long number - 1 - - -1
string name - 2 C 20 -
END

VIEW LARGE
long number - 1 - - -
string text - 1 - 20000 -
END
"""


def _guest(d, user=GUEST, **env):
    return d.client(user=user, **{**ASKED, **env})


def _gate(d):
    """The process of the gate."""
    return next((r.pid for r in d.rows("pc")
                 if r.tag == "NDRXGATE" and r.state == "runok"), 0)


# ---- calls ----

@covers("access", "group", "clients")
def test_a_guest_calls_and_gets_its_replies():
    with tempfile.TemporaryDirectory(prefix="ow_e2e_views_") as folder, \
            guest_domain(env={"VIEWDIR": folder, "VIEWFILES": "test.v"}) as d:
        os.chmod(folder, 0o755)
        with open(os.path.join(folder, "test.v"), "w", encoding="ascii") as f:
            f.write(VIEWS)
        c = _guest(d)
        equal(c.call("ECHO", "from next door").data, "from next door")
        contains(d.xadmin("clients").stdout, f"{GUEST}.{c.pid}")
        for data in ("CARRAY:#24", "CARRAY:#65536", "CARRAY:#2097152",
                     "UBF:#300000", "JSON:{\"a\":1}", "XML:#300000", "XML:#1",
                     "MBSTRING:#70000"):
            r = c("call", "ECHO", "-", data)
            equal((r.err, r["sum"], r.type), ("OK", r.sent, data.split(":")[0]),
                  data)
        equal(c("call", "ECHO", "-", "-").err, "OK", "no data")
        for view in ("VIEW/PERSON:number=-7,name=Ann", "VIEW/LARGE:text="
                     + "x" * 3000):
            r = c("call", "ECHO", "-", view)
            equal((r.err, r["sum"]), ("OK", r.sent), r.text)
        equal(r.subtype, "LARGE")
        r = c.call("FAIL", "7")
        equal(r.err, "TPESVCFAIL", r.text)
        equal(c.call("NOSUCH", "x").err, "TPENOENT")
        for own in ".TMIB", "@TPEVSUBS", "@TPEVUNSUBS", "@TM-1-1", "@QSPX":
            equal((own, c.call(own, "x").err), (own, "TPEPERM"))
        equal(c("connect", "ECHO", "TPRECVONLY", "-").err, "TPEPROTO")
        equal(c("term").err, "OK")
        equal(c.call("ECHO", "again").data, "again")
        # What is the owner's is closed as before.
        folder = f"{d.shm}/{d.prefix},shm"
        equal(os.stat(folder).st_mode & 0o777, 0o700)
        r = d.client(user=GUEST).call("ECHO", "x")
        equal(r.err, "TPEPERM", "without NDRX_OWNER")
        contains(r.text, str(OWNER))


def test_a_guest_has_many_calls_out_and_takes_them_in_any_order():
    with guest_domain() as d:
        c = _guest(d)
        cds = [c("acall", "ECHO", "-", f"STRING:{i}").ret for i in range(60)]
        equal(len(set(cds)), 60)
        equal(c("getrply", cds[30], "-").data, "30")
        got = {c("getrply", 0, "TPGETANY").data for _ in range(59)}
        equal(got, {str(i) for i in range(60)} - {"30"})
        equal(c("getrply", 0, "TPGETANY").err, "TPEBADDESC")
        slow = c("acall", "SLEEP", "-", "STRING:600").ret
        equal(c("getrply", slow, "TPNOBLOCK").err, "TPEBLOCK")
        equal(c("cancel", slow).err, "OK")
        equal(c("getrply", slow, "-").err, "TPEBADDESC")
        equal(c("acall", "ECHO", "TPNOREPLY", "STRING:x").ret, 0)


def test_times_of_a_guest_end_as_those_of_any_client():
    with guest_domain() as d:
        c = _guest(d, NDRX_TOUT="300ms")
        r = c.call("SLEEP", "1500")
        equal(r.err, "TPETIME", r.text)
        between(r.ms, 290, 1200, "ms of a time-out")
        r = c.call("SLEEP", "1200", "TPNOTIME")
        equal(r.err, "OK", r.text)
        cd = c("acall", "SLEEP", "-", "STRING:900").ret
        equal(c("getrply", cd, "-").err, "TPETIME")
        equal(c("getrply", cd, "TPNOTIME").err, "OK", "it comes later")


def test_a_guest_that_only_looks_sees_the_time_out_of_its_call():
    with guest_domain() as d:
        c = _guest(d, NDRX_TOUT="500ms")
        cd = c("acall", "SLEEP", "-", "STRING:2000").ret
        equal(c("getrply", cd, "TPNOBLOCK").err, "TPEBLOCK")
        wait_for(lambda: c("getrply", cd, "TPNOBLOCK").err == "TPETIME",
                 "its time-out")
        equal(c("getrply", cd, "TPNOBLOCK").err, "TPEBADDESC")
        equal(c.call("ECHO", "x", "TPNOTIME").data, "x")


def test_a_signal_ends_the_wait_of_a_guest():
    with guest_domain() as d:
        c = _guest(d)
        c("alarm", 200, 200)  # again and again: the first may be too early
        r = c.call("SLEEP", "3000")
        equal(r.err, "TPGOTSIG", r.text)
        soon(r.ms, 2000)
        equal(c.call("SLEEP", "700", "TPSIGRSTRT").err, "OK")
        equal(c("setsig", 1).ret, 0, "TPSIG_RESTART")
        equal(c.call("SLEEP", "700").err, "OK")
        c("alarm", 0, 0)
        equal(c.call("ECHO", "x").data, "x")


def test_a_guest_has_no_descriptor_to_wait_for():
    with guest_domain() as d:
        c = _guest(d)
        r = c("replyfd")
        equal((r.ret, r.err), (-1, "TPEPROTO"))
        contains(r.text, "gate")
        equal(c("looptime").err, "TPEPROTO")
        equal(c.call("ECHO", "x").data, "x")


# ---- who gets in ----

def test_a_stranger_is_refused_by_name():
    with guest_domain() as d:
        for user in (STRANGER, 0):
            r = _guest(d, user=user).call("ECHO", "x")
            equal((r.ret, r.err), (-1, "TPEPERM"), r.text)
            contains(r.text, f"{user}")
        r = d.client(user=GUEST, NDRX_OWNER=str(STRANGER)).call("ECHO", "x")
        equal(r.err, "TPEPERM", r.text)
        contains(r.text, str(OWNER), "the gate of somebody else")


def test_the_kernel_refuses_strangers_where_the_owner_is_in_the_group():
    with guest_domain() as d:
        equal(os.stat(gate_socket(d)).st_mode & 0o777, 0o666)
        d.xadmin("stop", "-y")
        d.groups[OWNER] = [TELLERS]
        d.boot()
        wait_for(lambda: os.path.exists(gate_socket(d)), "the gate", 15)
        st = os.stat(gate_socket(d))
        equal((st.st_mode & 0o777, st.st_gid), (0o660, TELLERS))
        r = _guest(d, user=STRANGER).call("ECHO", "x")
        equal(r.err, "TPEPERM", r.text)
        contains(r.text, str(STRANGER))
        equal(_guest(d).call("ECHO", "x").data, "x")


def test_without_access_there_is_no_gate():
    with guest_domain(access="") as d:
        check(not os.path.exists(f"{d.shm}/{d.prefix},gate"), "no folder")
        r = _guest(d).call("ECHO", "x")
        equal(r.err, "TPENOENT", r.text)
        contains(r.text, "<access>")
        # A reload makes one, and takes it away.
        d.configure(SERVICES, sections=CALLERS)
        d.xadmin("reload", "-y")
        wait_for(lambda: gate_lets_in(d), "the gate", 15)
        d.configure(SERVICES)
        if d.xadmin("reload", "-y", ok=False).returncode != 0:
            d.xadmin("sc", "-t", "NDRXGATE")
            d.xadmin("reload", "-y")
        wait_for(lambda: not os.path.exists(f"{d.shm}/{d.prefix},gate"),
                 "the folder is gone")


def test_the_guests_of_a_user_share_a_budget_of_bytes():
    """However many connections: one-way requests and cancelled ones, too, until
    they are served."""
    with guest_domain(small=False) as d:
        owner = d.client()
        for _ in range(2):  # both servers are busy
            equal(owner("acall", "SLEEP", "TPNOREPLY",
                        "STRING:100000").err, "OK")
        wait_for(lambda: d.rows("stat")[0].servers_busy == 2, "they are")
        big = f"CARRAY:#{62 << 20}"
        clients = [_guest(d) for _ in range(5)]
        got = [c("acall", "ECHO", flags, big, seconds=60) for c, flags in
               zip(clients, ["TPNOREPLY", "-", "TPNOREPLY", "-", "-"])]
        equal([r.err for r in got], ["OK"] * 4 + ["TPELIMIT"])
        contains(got[4].text, "256 MiB")
        equal(clients[1]("cancel", got[1].ret).err, "OK")
        r = clients[4]("acall", "ECHO", "TPNOREPLY", big, seconds=60)
        equal(r.err, "TPELIMIT", "a cancelled call is still in the queue")
        equal(clients[4]("acall", "ECHO", "TPNOREPLY", "STRING:x").err, "OK",
              "what is small is bounded by the queue")
        equal(d.row("psc", service="ECHO").succeeded, 0, "none was served")
        for c in (owner, _guest(d, OTHER)):
            r = c("acall", "ECHO", "TPNOREPLY", big, seconds=60)
            equal(r.err, "OK", "others have their own budget")
        for srvid in (1, 2):  # the next ones are not busy
            kill(d.pid(srvid))
        wait_for(lambda: clients[4]("acall", "ECHO", "TPNOREPLY", big,
                                    seconds=60).err == "OK",
                 "served requests do not count", 60)


# ---- a hostile guest ----

FRAME = struct.Struct("<IHBBIIIIQiiQQQQq16s8sBBBB4x8xIiII256s")


def _frame(op=2, text=b"ECHO", magic=0x474d574f, version=1, kind=1,
           buftype=3, flags=0, cd=0, deadline=0, length=0, block=0, sub=0):
    return FRAME.pack(magic, version, kind, buftype, flags, 0, 0, 0, 0, cd, 0,
                      deadline, 0, length, block, 0, b"", b"", 0, 0, sub, 0,
                      op, 0, 0, 0, text)


def _raw(d, user=GUEST):
    """A connected socket, as of a guest: connected by a child of that user,
    so that the kernel notes its rights."""
    parent, child = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    pid = os.fork()
    if pid == 0:
        try:
            os.setgroups([TELLERS])
            os.setgid(user)
            os.setuid(user)
            s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            s.connect(gate_socket(d))
            socket.send_fds(child, [b"x"], [s.fileno()])
        finally:
            os._exit(0)
    os.waitpid(pid, 0)
    child.close()
    parent.settimeout(10)
    _, fds, _, _ = socket.recv_fds(parent, 1, 1)
    parent.close()
    check(fds, "a connection")
    s = socket.socket(fileno=fds[0])
    s.settimeout(20)
    hello = s.recv(FRAME.size, socket.MSG_WAITALL)
    equal(FRAME.unpack(hello)[22], 6, "the gate's welcome")
    return s


def _hung_up(s):
    with contextlib.suppress(ConnectionResetError):
        equal(s.recv(1), b"", "end of file")
    s.close()


def test_a_hostile_guest_harms_only_itself():
    with guest_domain() as d:
        gate = _gate(d)
        good = _guest(d, user=OTHER)
        bad = [bytes(FRAME.size), b"\xff" * FRAME.size, _frame(magic=1),
               _frame(version=9), _frame(kind=2), _frame(op=0),
               _frame(op=7), _frame(op=77), _frame(buftype=1),
               _frame(buftype=2), _frame(buftype=200), _frame(cd=-1),
               _frame(cd=16384), _frame(length=5), _frame(block=99),
               _frame(buftype=5, length=1 << 62),
               _frame(buftype=5, length=(1 << 26) + 1),
               _frame(buftype=5, length=(1 << 64) - 112),
               _frame(text=b"x" * 256), _frame(text=b"\x1b[2J"),
               _frame(buftype=7, length=4, sub=200),
               _frame(op=3, buftype=5, length=4)]
        for frame in bad:
            s = _raw(d)
            s.sendall(frame)
            _hung_up(s)
        seed = random.randrange(1 << 30)
        rnd = random.Random(seed)
        for _ in range(60):
            raw = bytearray(_frame())
            for _ in range(rnd.randrange(1, 9)):
                raw[rnd.randrange(len(raw))] = rnd.randrange(256)
            with _raw(d) as s:
                s.sendall(raw)
        # Half a frame, a payload that never comes, replies never read.
        stuck = [_raw(d) for _ in range(4)]
        stuck[0].sendall(_frame()[:100])
        stuck[1].sendall(_frame(buftype=5, length=1 << 26) + b"x" * 1000)
        with contextlib.suppress(TimeoutError):
            stuck[2].settimeout(1)
            for _ in range(3000):
                stuck[2].sendall(_frame(op=1, buftype=5, length=60000)
                                 + bytes(60000))
        with contextlib.suppress(TimeoutError):
            stuck[3].settimeout(1)
            for _ in range(300):
                stuck[3].sendall(_frame(op=2, buftype=5, length=1000)
                                 + bytes(1000))
        # A damaged UBF buffer, a STRING without end: the server refuses.
        for kind in (0, 4):
            s = _raw(d)
            s.sendall(_frame(op=1, buftype=kind, length=64) + b"\x7f" * 64)
            answer = FRAME.unpack(s.recv(FRAME.size, socket.MSG_WAITALL))
            differs(answer[10], 0, f"seed {seed}: error of type {kind}")
            s.close()
        for i in range(50):
            r = good.call("ECHO", f"{i}")
            equal(r.data, f"{i}", r.text)
            soon(r.ms, 2000, "beside a hostile guest")
        for s in stuck:
            s.close()
        equal(_gate(d), gate, f"seed {seed}: the gate is the same process")
        equal(d.call("ECHO", "owner").data, "owner")


def test_outstanding_calls_and_connections_of_a_guest_are_bounded():
    with guest_domain() as d:
        c = _guest(d)
        errors = [c("acall", "SLEEP", "-", "STRING:1").err
                  for _ in range(257)]
        equal(errors[:256], ["OK"] * 256)
        equal(errors[256], "TPELIMIT")
        before = len(d.rows("clients"))
        c.kill()
        many = []
        try:
            wait_for(lambda: len(d.rows("clients")) == before - 1,
                     "its context has ended")
            for _ in range(64):
                many.append(_raw(d))
            r = _guest(d)("init")
            equal(r.err, "TPELIMIT", r.text)
            contains(r.text, "64")
            equal(_guest(d, user=OTHER).call("ECHO", "x").data, "x")
        finally:
            for s in many:
                s.close()


# ---- deaths ----

def test_the_gate_dies_and_comes_back():
    with guest_domain() as d:
        c = _guest(d)
        cds = [c("acall", "SLEEP", "-", "STRING:2000").ret for _ in range(2)]
        c.begin("call", "SLEEP", "-", "STRING:3000")
        time.sleep(0.3)
        gate = _gate(d)
        kill(gate)
        r = c.end()
        equal(r.err, "TPESYSTEM", r.text)
        soon(r.ms, 2000)
        equal({c("getrply", 0, "TPGETANY").err for _ in cds}, {"TPESYSTEM"})
        equal(c("getrply", 0, "TPGETANY").err, "TPEBADDESC")
        wait_for(lambda: _gate(d) not in (0, gate), "a new gate", 15)
        wait_for(lambda: c.call("ECHO", "back").err == "OK", "calls", 15)
        equal(c.call("ECHO", "x").data, "x")


def test_a_stopped_gate_ends_calls_at_their_time():
    with guest_domain() as d:
        c = _guest(d, NDRX_TOUT="500ms")
        equal(c.call("ECHO", "x").data, "x")
        gate = _gate(d)
        kill(gate, signal.SIGSTOP)
        try:
            r = c.call("ECHO", "x")
            equal(r.err, "TPETIME", r.text)
            soon(r.ms, 6000)
        finally:
            os.kill(gate, signal.SIGCONT)
        wait_for(lambda: c.call("ECHO", "x").err == "OK", "it goes on", 15)


def test_a_guest_that_dies_leaves_nothing():
    with guest_domain() as d:
        c = _guest(d)
        before = len(d.rows("clients"))
        c.begin("call", "SLEEP", "TPNOTIME", "STRING:4000")
        wait_for(lambda: len(d.rows("clients")) == before + 1, "it is here")
        c.kill()
        wait_for(lambda: len(d.rows("clients")) == before,
                 "its context has ended")
        check(alive(_gate(d)), "the gate")


def test_ndrxd_dies_and_guests_go_on():
    with guest_domain() as d:
        c = _guest(d)
        gate = _gate(d)
        d.kill_ndrxd()
        equal(c.call("ECHO", "x").data, "x")
        d.xadmin("idle")
        wait_for(lambda: _gate(d) == gate, "the same gate", 15)
        equal(c.call("ECHO", "y").data, "y")


def test_everything_killed_leaves_nothing_after_down():
    with guest_domain() as d:
        gate = _gate(d)
        d.kill_ndrxd()
        kill(gate)
        wait_for(lambda: not alive(gate), "the gate is dead")
        check(os.path.exists(gate_socket(d)), "its socket is left")
        r = _guest(d).call("ECHO", "x")
        equal(r.err, "TPESYSTEM", r.text)
        contains(d.xadmin("doctor", ok=False).stdout, "ndrxd")
        d.xadmin("down", "-y")
        check(not os.path.exists(os.path.dirname(gate_socket(d))), "folder")
