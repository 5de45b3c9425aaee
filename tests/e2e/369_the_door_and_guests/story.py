# SPDX-License-Identifier: Apache-2.0
"""Programs of other users are served what lists let their user, groups and
login have; what they say about themselves does not count."""
import contextlib
import os
import socket
import struct

from checks import at_least, at_most, check, contains, equal
from fixture import Domain, Skip, kill, wait_for

OWNER, GUEST, OTHER, STRANGER = 62001, 62002, 62003, 62004
TELLERS, CLERKS = 62100, 62101
MAINLY = "shm"
COST = 14
ASKED = {"NDRX_OWNER": str(OWNER)}
SERVICES = {"srvid": 1, "min": 2, "max": 2, "appopt":
            "ECHO PAY=ECHO BOOK=ECHO OWN=ECHO HER=ECHO LETIN APPKEY CALLON "
            "FORWARD COUNT"}
LISTS = (f'<access group="{TELLERS}" clients="Y"/>'
         '<services>'
         f'<service svcnm="PAY" acl="group:{CLERKS}"/>'
         f'<service svcnm="BOOK" acl="user:{GUEST}"/>'
         f'<service svcnm="OWN" acl="user:{OWNER}"/>'
         '<service svcnm="HER" acl="login:anna"/>'
         '</services>')


@contextlib.contextmanager
def _domain(more=""):
    if os.geteuid() != 0:
        raise Skip("only root can run programs as other users")
    with Domain(user=OWNER) as d:
        d.groups = {GUEST: [TELLERS], OTHER: [TELLERS, CLERKS],
                    STRANGER: [CLERKS]}
        try:
            d.run("mqput", user=GUEST)
        except PermissionError:
            raise Skip(f"other users cannot read {d.program('mqput')}"
                       ) from None
        r = d.run("xadmin", "passwd", "-f", _file(d), "anna", text="secret\n")
        equal(r.returncode, 0, r.stderr)
        d.boot(SERVICES, sections=LISTS + more.replace("FILE", _file(d)))
        wait_for(lambda: d.run("testcl", "chkauth", user=GUEST,
                               env=ASKED).stdout.count('"err":"OK"'),
                 "the gate", 15)
        yield d


def _file(d):
    return os.path.join(d.home, "passwords")


def _guest(d, user=GUEST):
    return d.client(user=user, **ASKED)


def _may(c, *services):
    """What of these it may call; the rest is refused."""
    found = []
    for svc in services:
        r = c.call(svc, "x")
        if r.err == "OK":
            found.append(svc)
        else:
            equal((r.ret, r.err), (-1, "TPEPERM"), f"{svc}: {r.text}")
    return found

ALL = "ECHO", "PAY", "BOOK", "OWN", "HER"


def test_lists_go_by_the_user_and_groups_that_the_kernel_names():
    with _domain() as d:
        guest, other, owner = _guest(d), _guest(d, OTHER), d.client()
        for _ in range(3):
            equal(_may(guest, *ALL), ["ECHO", "BOOK"])
            equal(_may(other, *ALL), ["ECHO", "PAY"])
            equal(_may(owner, *ALL), ["ECHO", "OWN"])
        # A list lets nobody into a domain that does not let him in.
        r = _guest(d, STRANGER).call("PAY", "x")
        equal(r.err, "TPEPERM", r.text)
        # One-way requests and those of which the reply is fetched later.
        cd = guest("acall", "PAY", "-", "STRING:x").ret
        equal(guest("getrply", cd, "-").err, "TPEPERM")
        before = int(d.call("COUNT").data)
        equal(guest("acall", "HER", "TPNOREPLY", "STRING:x").ret, 0)
        equal(guest.call("CALLON", "OWN x").data, "x", "a server asks")
        check(before >= 0, "it served on")


def test_a_reload_counts_for_guests_at_once():
    with _domain() as d:
        guest = _guest(d)
        equal(_may(guest, *ALL), ["ECHO", "BOOK"])
        d.configure(SERVICES, sections=LISTS.replace(
            f"user:{GUEST}", f"user:{OTHER}").replace(
            f"group:{CLERKS}", f"group:{TELLERS}"))
        d.xadmin("reload", "-y")
        equal(_may(guest, *ALL), ["ECHO", "PAY"])


def test_guests_log_in_and_lose_it_with_their_connection():
    with _domain('<security auth="SYS" passwords="FILE"/>') as d:
        guest = _guest(d)
        equal(guest("chkauth").ret, 1)
        equal(_may(guest, *ALL), [])
        equal(guest("acall", "ECHO", "TPNOREPLY", "STRING:x").ret, 0)
        r = guest("login", "anna", "wrong")
        equal(r.err, "TPEPERM", r.text)
        at_least(r.ms, 1000)
        equal(_may(guest, *ALL), [])
        equal(guest("login", "anna", "secret").err, "OK")
        equal(_may(guest, *ALL), ["ECHO", "BOOK", "HER"])
        equal([r.login for r in d.rows("clients")
               if r.program == f"{GUEST}.{guest.pid}"], ["anna"])
        equal(_may(_guest(d, OTHER), *ALL), [], "nobody else has her name")
        gate = next(r.pid for r in d.rows("pc") if r.tag == "NDRXGATE")
        kill(gate)
        wait_for(lambda: guest.call("ECHO", "x").err == "TPEPERM",
                 "a new connection is a stranger's")
        equal(guest("login", "anna", "secret").err, "OK")
        equal(_may(guest, *ALL), ["ECHO", "BOOK", "HER"])


def test_a_service_that_lets_guests_in_is_asked_by_the_gate_alone():
    with _domain('<security auth="APP" authsvc="LETIN"/>') as d:
        guest = _guest(d)
        equal(guest("chkauth").ret, 2)
        equal(guest("login", "anna", "-", 6).err, "TPEPERM")
        equal(guest("login", "anna", "-", 7).err, "OK")
        equal(guest.call("APPKEY").data, "4")
        equal(guest.call("LETIN", "x").err, "TPEPERM")


# ---- a hostile guest ----

FRAME = struct.Struct("<IHBBIIIIQiiQQQQq16s8sBBBBBBBB8xIiII256s")
LOGIN = struct.Struct("<32s32s32sqq")
CALL, SEND, DONE, REPLY, FAILED, LOG_IN = 1, 2, 7, 8, 9, 10
TPEPERM = 8


def _frame(op, text=b"ECHO", buftype=3, slot=0, gen=0, length=0, vouched=0,
           continued=0, flags=0):
    return FRAME.pack(0x474d574f, 1, 1, buftype, flags, 0, slot, gen, 0, 0, 0,
                      0, 0, length, 0, 0, b"", b"", 0, 0, 0, 0, 0, continued,
                      0, vouched, op, 0, 0, 0, text)


def _raw(d, user=GUEST):
    """A connected socket, as of a guest: connected by a child of that user."""
    parent, child = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    pid = os.fork()
    if pid == 0:
        try:
            os.setgroups([TELLERS])
            os.setgid(user)
            os.setuid(user)
            s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            s.connect(f"{d.shm}/{d.prefix},gate/call")
            socket.send_fds(child, [b"x"], [s.fileno()])
        finally:
            os._exit(0)
    os.waitpid(pid, 0)
    child.close()
    _, fds, _, _ = socket.recv_fds(parent, 1, 1)
    parent.close()
    s = socket.socket(fileno=fds[0])
    s.settimeout(30)
    s.recv(FRAME.size, socket.MSG_WAITALL)
    return s


def _ask(s, frame, payload=b""):
    """(operation, tperrno, reason) of the answer."""
    s.sendall(frame + payload)
    m = FRAME.unpack(s.recv(FRAME.size, socket.MSG_WAITALL))
    if m[13]:
        s.recv(m[13], socket.MSG_WAITALL)
    return m[26], m[10], m[30].split(b"\0")[0]


def test_what_a_guest_writes_into_its_frames_opens_nothing():
    with _domain('<security auth="SYS" passwords="FILE"/>') as d:
        good = _guest(d, OTHER)
        equal(good("login", "anna", "secret").err, "OK")
        own = d.client()
        equal(own("login", "anna", "secret").err, "OK")
        slots = [(r.program, r.pid) for r in d.rows("clients")]
        at_least(len(slots), 2)
        with _raw(d) as s:
            # The slots, the generations of others, and the byte by which
            # servers vouch for a request.
            for slot in range(8):
                for gen in (0, 1, 3, 5):
                    for byte in ({"vouched": 1}, {"continued": 1}, {}):
                        for svc in (b"ECHO", b"HER"):
                            got = _ask(s, _frame(CALL, svc, slot=slot,
                                                 gen=gen, **byte))
                            equal(got[1], TPEPERM, got)
            # Its own slot gets a name by its password only.
            wrong = LOGIN.pack(b"guess", b"", b"", 0, 0)
            for slot, gen in ((0, 0), (0, 1), (1, 1), (65535, 1)):
                got = _ask(s, _frame(LOG_IN, b"anna", 5, slot, gen,
                                     LOGIN.size), wrong)
                equal(got[:2], (FAILED, TPEPERM), got)
            for text in (b"", b"a:b", b"x" * 200, b" anna", b"anna "):
                got = _ask(s, _frame(LOG_IN, text, 5, 0, 0, LOGIN.size),
                           LOGIN.pack(b"secret", b"", b"", 0, 0))
                equal(got[:2], (FAILED, TPEPERM), got)
            equal(_ask(s, _frame(CALL, b"ECHO"))[1], TPEPERM)
            # With her password, but the slot of somebody else in the frame.
            right = LOGIN.pack(b"secret" + bytes(26), b"\xff" * 32,
                               b"\xff" * 32, -1, -1)
            equal(_ask(s, _frame(LOG_IN, b"anna", 5, 1, 1, LOGIN.size),
                       right)[0], DONE)
            equal(_ask(s, _frame(CALL, b"HER"))[:2], (REPLY, 0))
        for c in (good, own):
            equal(c.call("HER", "x").data, "x", "the others stay who they are")
        for length in (0, 1, LOGIN.size - 1, LOGIN.size + 65537):
            with _raw(d) as s:
                s.sendall(_frame(LOG_IN, b"anna", 5, 0, 0, length)
                          + bytes(min(length, 300)))
                with contextlib.suppress(ConnectionResetError):
                    equal(s.recv(1), b"", "hang-up")


def test_a_guest_that_guesses_holds_up_nobody_for_long():
    with _domain('<security auth="SYS" passwords="FILE"/>') as d:
        good = _guest(d, OTHER)
        equal(good("login", "anna", "secret").err, "OK")
        wrong = LOGIN.pack(b"guess", b"", b"", 0, 0)
        alone = d.client(NDRX_TOUT="60")("login", "anna", "secret").ms
        hostile = [_raw(d) for _ in range(4)]
        for s in hostile:
            s.sendall((_frame(LOG_IN, b"anna", 5, 0, 0, LOGIN.size) + wrong)
                      * 20)
        times = sorted(good.call("ECHO", "x").ms for _ in range(200))
        at_most(times[190], 1000, "ms of a call of somebody else meanwhile")
        r = d.client(NDRX_TOUT="60")("login", "anna", "secret")
        equal(r.err, "OK", r.text)
        at_most(r.ms, 3 * (len(hostile) + 1) * alone + 5000,
                "ms of a login meanwhile: each has one hash in the queue")
        for s in hostile:
            s.close()


def _reached(paths):
    """Which of the files a guest can do anything with."""
    def attempts(path):
        yield lambda: open(path, "rb").close()
        yield lambda: open(path, "ab").close()
        yield lambda: os.truncate(path, 0)
        yield lambda: os.unlink(path)
        yield lambda: os.rename(path, path + "x")
        yield lambda: os.link(path, "/dev/shm/linked")
        yield lambda: os.chmod(path, 0o666)

    ours, theirs = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.setgroups([TELLERS])
        os.setgid(GUEST)
        os.setuid(GUEST)
        for path in paths:
            for attempt in attempts(path):
                with contextlib.suppress(OSError):
                    attempt()
                    os.write(theirs, path.encode() + b"\n")
        os._exit(0)
    os.close(theirs)
    os.waitpid(pid, 0)
    with os.fdopen(ours, "rb") as f:
        return f.read().decode().splitlines()


def test_files_of_the_door_are_closed_to_other_users():
    with _domain('<security auth="SYS" passwords="FILE"/>') as d:
        folder = f"{d.shm}/{d.prefix},shm"
        names = os.listdir(folder)
        check(any(n.startswith("rules,") for n in names), names)
        contains(names, "callers")
        for n in names:
            equal(os.stat(f"{folder}/{n}").st_mode & 0o077, 0, n)
        paths = [_file(d), *(f"{folder}/{n}" for n in names)]
        equal(_reached(paths), [])
        equal(_guest(d).call("ECHO", "x").err, "TPEPERM")
