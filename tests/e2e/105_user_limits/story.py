# SPDX-License-Identifier: Apache-2.0
"""A domain that does not fit into the limits on queues steps to shared memory;
domains of one user count together."""
from checks import at_least, contains, equal, lacks
from fixture import Domain, Skip, lone_user, only_on

HEAVY = True
QUEUE_KB = 730
AUTO = {"NDRX_TRANSPORT": "auto"}

# Under stock limits 256; a process that may exceed them needs more.
MANY = 300


def _stock():
    """Skip where limits are not those of a stock kernel."""
    import resource
    with open("/proc/self/status", encoding="utf-8") as f:
        caps = [int(x.split()[1], 16) for x in f if x.startswith("CapEff")]
    if caps[0] >> 24 & 1:
        raise Skip("this user is not bound by queues_max")
    if resource.getrlimit(resource.RLIMIT_MSGQUEUE)[0] != 819200:
        raise Skip("RLIMIT_MSGQUEUE is not 819200")


def _entries(n, each):
    """Entries that name n services together."""
    return [{"srvid": 1 + i, "appopt": "ECHO",
             "sysopt": "-s " + "/".join(f"S{i}_{k}" for k in range(each))
                       + ":ECHO"}
            for i in range(n // each)]


def _transport(d):
    return d.rows("stat")[0].transport


def test_300_services_start_on_shm_and_the_answers_say_so():
    only_on("posix", "it is the step away from posix")
    _stock()
    with Domain(env=AUTO, small=False) as d:
        d.configure(*_entries(MANY, 30), settings={"transport": "auto"})
        r = d.xadmin("start", "-y", seconds=40)
        contains(r.stderr, "transport shm, not posix: up to ")
        contains(r.stderr, "services 300")
        equal(_transport(d), "shm")
        equal(d.call("S9_29", "x").data, "x")
        contains(d.xadmin("ppm").stderr, "transport shm, not posix")
        doctor = {x.what: x for x in d.rows("doctor")}
        contains(doctor["transport"].meaning, "services 300")
        with open(f"{d.logs}/ndrxd.log", encoding="utf-8") as f:
            contains(f.read(), "transport shm, not posix")


def test_without_a_transport_the_domain_takes_the_step_by_itself():
    """Neither NDRX_TRANSPORT nor <transport>: auto."""
    only_on("posix", "it is the step away from posix")
    _stock()
    with Domain(env={"NDRX_TRANSPORT": None}, small=False) as d:
        r = d.boot({"srvid": 1, "appopt": "ECHO"})
        equal(_transport(d), "posix")
        d.xadmin("stop", "-y")
        d.configure(*_entries(MANY, 30))
        r = d.xadmin("start", "-y", seconds=40)
        contains(r.stderr, "transport shm, not posix: up to ")
        equal(_transport(d), "shm")
        equal(d.call("S9_29", "x").data, "x")


def test_a_small_domain_stays_on_posix():
    only_on("posix", "it is the step away from posix")
    with Domain(env=AUTO, small=False) as d:
        r = d.boot({"srvid": 1, "appopt": "ECHO"})
        lacks(r.stderr, "transport shm")
        equal(_transport(d), "posix")


def test_a_transport_that_is_named_wins_over_auto():
    with Domain(small=False) as d:
        d.configure({"srvid": 1, "appopt": "ECHO"},
                    settings={"transport": "auto"})
        d.xadmin("start", "-y")
        equal(_transport(d), d.env["NDRX_TRANSPORT"])


def test_two_domains_of_one_user():
    """The second finds too little left, and takes the other transport; a
    doctor of either counts both."""
    only_on("posix", "it is the step away from posix")
    _stock()
    user = lone_user()
    with Domain(env={"NDRX_MSGMAX": "10", "NDRX_MSGSIZEMAX": "8192"},
                user=user) as a:
        a.server(1, "many=80")
        with Domain(env=AUTO, small=False, user=user) as b:
            b.configure(*_entries(120, 30))
            contains(b.xadmin("start", "-y").stderr, "not posix")
            equal(b.call("S1_29", "x").data, "x")
            doctor = {x.what: x for x in b.rows("doctor")}
            used = doctor["RLIMIT_MSGQUEUE"]
            equal(used.result, "warn")
            at_least(int(used.found.split()[1]), 690000)


def test_195_services_fit_and_each_gets_its_share():
    only_on("posix", "the kernel counts no queue")
    _stock()
    with Domain(small=False, user=lone_user()) as d:
        d.configure(*_entries(195, 15))
        d.xadmin("start", "-y", seconds=40)
        for i in range(13):
            for k in (0, 14):
                equal(d.call(f"S{i}_{k}", "x" * 900).data, "x" * 900)
        r = d.client()("contexts", "S0_0", 10)
        equal((r.ok, r.wrong, r.errors), (20, 0, {}))
