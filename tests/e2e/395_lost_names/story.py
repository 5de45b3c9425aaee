# SPDX-License-Identifier: Apache-2.0
"""The names of a running domain are removed, as systemd-logind does at logout
(RemoveIPC=yes): ndrxd says so, and there is no second domain."""
import os
import shutil

from checks import check, contains, differs, ended, equal
from events import read_events
from fixture import Domain, alive, kill, only_on, wait_for
from machine import queues, segments, unlink_queue


def _log(d):
    with open(os.path.join(d.logs, "ndrxd.log"), encoding="utf-8") as f:
        return f.read()


def _remove_queues(d):
    d._note_queues()  # pylint: disable=protected-access
    for name in queues(d.prefix, d.known):
        check(unlink_queue(name), name)


def _log_out(d):
    """What logind removes."""
    _remove_queues(d)
    shutil.rmtree(os.path.dirname(d.segment("tables")))


def _kill_ndrxd(d):
    """Listings do not show its process any more."""
    with open(os.path.join(d.home, "run", "ndrxd.pid"),
              encoding="ascii") as f:
        pid = int(f.read())
    kill(pid)
    wait_for(lambda: not alive(pid), "ndrxd is dead")


def _lost(d):
    wait_for(lambda: "has lost its names" in _log(d), "ndrxd says so", 10)


def _stop_and_start(d):
    d.xadmin("stop", "-y")
    equal(segments(d.prefix), [])
    d.xadmin("start", "-y")


def test_ndrxd_says_that_the_names_are_gone_and_a_new_start_makes_new_ones():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"})
        c = d.client()
        equal(c.call("ECHO", "before").data, "before")
        _log_out(d)
        _lost(d)
        contains(_log(d), d.segment("tables"))
        equal(d.client().call("ECHO", "x").err, "TPENOENT")
        _stop_and_start(d)
        equal(c.call("ECHO", "again").data, "again")  # in the new domain


def test_doctor_and_listings_tell_a_domain_without_names_from_none():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"})
        pid = d.ndrxd_pid()
        _log_out(d)
        r = d.xadmin("doctor", ok=False)
        equal(r.returncode, 1)
        line = [x for x in r.stdout.splitlines() if "names of the" in x][0]
        for word in ("FAIL", f"process {pid}", "RemoveIPC", "xadmin stop -y"):
            contains(line, word)
        contains(d.xadmin("psc", ok=False).stderr, f"process {pid}")
        _stop_and_start(d)
        check("names of the" not in d.xadmin("doctor", ok=False).stdout,
              "the finding is gone")


def test_a_server_that_ndrxd_restarts_makes_no_second_domain():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"})
        pid = d.pid(1)
        _log_out(d)
        kill(pid)
        wait_for(lambda: "runs (process" in _log(d),
                 "the restarted server says why it cannot join")
        equal(segments(d.prefix), [], "a second domain")
        _stop_and_start(d)
        equal(d.call("ECHO", "again").data, "again")


def test_lost_queues_are_noticed_although_the_memory_is_there():
    only_on("posix", "queues of shm are files beside the tables")
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO UPPER"})
        _remove_queues(d)
        _lost(d)
        contains(_log(d), "the queue of service ")
        text = [e.text for e in read_events(d) if e.word == "lost"]
        equal(len(text), 1, f"events: {text}")
        contains(text[0], "was removed")
        _stop_and_start(d)
        equal(d.call("ECHO", "again").data, "again")


def test_a_server_or_ndrxd_started_by_hand_makes_no_second_domain():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"})
        pid = d.pid(1)
        _log_out(d)
        ended(d.run("testsv", "-i", "7", "--", "UPPER"), 1, "RemoveIPC")
        _kill_ndrxd(d)
        r = d.xadmin("idle", ok=False)
        differs(r.returncode, 0)
        contains(r.stderr, f"process {pid}")
        contains(r.stderr, "xadmin down -y")
        equal(segments(d.prefix), [], "a second domain")
        d.xadmin("down", "-y")
        check(not alive(pid), "the server has ended")
        d.xadmin("start", "-y")
        equal(d.call("ECHO", "again").data, "again")


def test_a_name_that_leads_elsewhere_is_noticed():
    with Domain() as d:
        d.damaged = True
        d.boot({"srvid": 1, "appopt": "ECHO"})
        os.rename(d.segment("tables"), d.segment("old"))
        with open(d.segment("tables"), "wb") as f:
            f.write(b"another")
        os.chmod(d.segment("tables"), 0o600)
        _lost(d)
        contains(_log(d), "leads elsewhere")
        d.xadmin("stop", "-y")
        with open(d.segment("tables"), "rb") as f:
            equal(f.read(), b"another", "what took the name is left alone")
        d.xadmin("down", "-y", ok=False)  # it cannot read that file
