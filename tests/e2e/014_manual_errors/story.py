# SPDX-License-Identifier: Apache-2.0
"""Each error that a manual page of section 3 promises can be had.

The programs of tests/man/errors make the calls, and print a line for each
error that they got: "tpcall TPEINVAL". Every error of a page must come from
one of its functions. The head of a program says how it runs:

    domain: NAME    in which domain: bare, guarded (callers log in) or damaged;
                    without this line in one with all servers
    manager: N      with resource manager N
    serves: SVC     it is a server, and SVC makes the calls
"""
import os
import re
import shutil

from checks import ended, equal
from fixture import SLOW, Domain, wait_for
from trans import Trans

MAINLY = "shm"
COST = 23

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..")
PAGES = os.path.join(ROOT, "doc/man/man3")
PROGRAMS = os.path.join(ROOT, "tests/man/errors")
SANITIZED = bool(os.environ.get("OW_SANITIZE"))

# Errors that need a failure, or another user, and the codes for which that
# may be said. Those that pages share are provoked for one page at least.
NEEDS = {
    "a machine without memory or other resources": {"BMALLOC", "NEMALLOC",
                                                    "TPEOS"},
    "another user of the machine": {"TPEPERM"},
}

# What no program here provokes, but a test does that names the error.
ELSEWHERE = {
    ("tpadvertise", "TPESYSTEM"): (
        "tests/e2e/335_stopped_processes/story.py",
        "test_advertising_and_subscribing_fail_while_the_lock_is_kept"),
    ("tppost", "TPESVCFAIL"): (
        "tests/e2e/335_stopped_processes/story.py",
        "test_advertising_and_subscribing_fail_while_the_lock_is_kept"),
    ("tppost", "TPESVCERR"): (
        "tests/e2e/167_events/story.py",
        "test_the_poster_learns_that_tpevsrv_was_killed_meanwhile"),
    ("tppost", "TPELIMIT"): (
        "tests/e2e/167_events/story.py",
        "test_there_are_262144_subscriptions_at_most"),
    ("tpenqueue", "TPESVCERR"): (
        "tests/e2e/168_durable_queues/story.py",
        "test_who_waits_learns_that_tmqueue_was_killed"),
    ("Bflddbload", "BNOSPACE"): (
        "tests/unit/libubf/tables/test_flddb.c",
        "a_cursor_lists_fields_in_both_tables"),
    ("tpbegin", "TPESVCERR"): (
        "tests/e2e/675_killed_transactions/story.py",
        "test_killed_when_it_rolls_back"),
    ("tpconnect", "TPESVCERR"): (
        "tests/e2e/067_conversation_limits/story.py",
        "test_tpconnect_is_told_of_the_death_where_a_service_does_not_wait"),
    ("tpconnect", "TPETRAN"): (
        "tests/e2e/673_conversations_in_transactions/story.py",
        "test_tpconnect_fails_when_the_transaction_cannot_be_joined"),
    ("tpsrvgetctxdata", "TPETRAN"): (
        "tests/e2e/674_continued_transactions/story.py",
        "test_a_thread_cannot_take_a_request_whose_transaction_has_ended"),
}


def _errors(name):
    with open(os.path.join(PAGES, name), encoding="utf-8") as f:
        text = f.read()
    return (re.findall(r"^\.Nm (\w+)", text, re.M),
            re.findall(r"^\.It Er (\w+)", text, re.M))


def _promised():
    """{(page, error)}, and the page of each function."""
    pairs, pages = set(), {}
    for name in sorted(os.listdir(PAGES)):
        functions, errors = _errors(name)
        pages.update({function: name[:-2] for function in functions})
        pairs |= {(name[:-2], error) for error in errors}
    return pairs, pages


def _word(subject, word):
    """What the head of a program says after a word, or None."""
    with open(os.path.join(PROGRAMS, f"{subject}.c"), encoding="utf-8") as f:
        found = re.search(rf"^ \* {word}: (.*)$", f.read(), re.M)
    return found and found[1]


def _subjects(domain=None):
    """The programs that run in this domain."""
    names = sorted(n[:-2] for n in os.listdir(PROGRAMS) if n.endswith(".c"))
    return [n for n in names if _word(n, "domain") == domain]


def _write(d, name, text):
    with open(os.path.join(d.home, name), "w", encoding="ascii") as f:
        f.write(text)


def _tables(d):
    """Files of fields and views: good ones, and some that are not."""
    for name in ("tests/man/fields.fld", "tests/man/views.v",
                 "conf/ubftab/Excompat"):
        shutil.copy(os.path.join(ROOT, name), d.home)
    _write(d, "bad.fld", "*base is no number\n")
    _write(d, "bad.v", "VIEW CUSTOMER\n")
    _write(d, "other.v", "VIEW CUSTOMER\nlong account T_COUNT 2 FS - -1\n"
                         "string name NAME 1 FS 30 -\nEND\n")
    os.mkdir(os.path.join(d.home, "folder.v"))
    d.env.update({
        "FLDTBLDIR": d.home, "FIELDTBLS": "fields.fld,Excompat",
        "VIEWDIR": d.home, "VIEWFILES": "views.v",
        "NDRX_TOUT": str(int(4 * SLOW)),  # calls to what is stopped wait so long
        "NDRX_UBFDB": os.path.join(d.home, "fields"),
        "NDRX_DEBUG_STR": f"ndrx=3 ubf=3 tp=3 file={d.logs}/errors.log"})


def _partners(t):
    t.boot({"srvid": 1, "appopt": "ECHO FAIL NOTRETURN CLTID"},
           {"srvid": 2, "appopt": "STUCK=ECHO STUCKTALK=ECHO",
            "pingtime": 0})
    t.server(3, "CONV", binary="conversesv")
    t.server(90, binary="tpevsrv")
    _write(t, "q.conf", "@\n")
    t.server(80, "-q", os.path.join(t.home, "q.conf"), binary="tmqueue", env={
        "NDRX_XA_OPEN_STR": f'datadir="{t.home}/qdata",qspace="ORDERS"'})
    t.tm(1)
    t.tm(2)
    t.sv(11, 1, "A")
    t.sv(12, 2, "B")
    pids = {r.srvid: str(r.pid) for r in t.rows("psrv")}
    t.env.update({"STUCK_PID": pids[2], "TPEVSRV_PID": pids[90],
                  "TMQUEUE_PID": pids[80], "TMSRV_PID": pids[101],
                  "RM1": t.rm(1), "RM2": t.rm(2)})


def _lines(text):
    """(function, error) of each line; a program prints other lines, too."""
    return {tuple(line.split()) for line in text.splitlines()
            if re.fullmatch(r"\w+ (B|TP|TX_|NE)[A-Z_]+", line)}


def _run(d, subject, wrong):
    """The lines of a program; what it did not get goes to `wrong`."""
    number = _word(subject, "manager")
    r = d.run(f"errors_{subject}", seconds=60,
              env=d.xa(int(number)) if number else None)
    if r.returncode != 0 or r.stderr:
        wrong.append(f"{subject}: exit status {r.returncode}: {r.stderr}")
    return _lines(r.stdout)


def _serve(d, subject, srvid, wrong):
    """The same of a server: the service answers how many were not had."""
    d.spawn(srvid, binary=f"errors_{subject}")
    service = _word(subject, "serves")
    wait_for(lambda: d.row("psc", service=service), service)
    r = d.call(service)
    with open(os.path.join(d.logs, f"errors_{subject}.{srvid}.log"),
              encoding="utf-8") as f:
        text = f.read()
    if (r.err, r.urcode) != ("OK", 0):
        wrong.append(f"{subject}: {r.err}: {text}")
    return _lines(text)


def _in_the_domain(wrong):
    with Trans() as t:
        _tables(t)
        _partners(t)
        lines = set()
        for i, subject in enumerate(_subjects()):
            lines |= _serve(t, subject, 200 + i, wrong) \
                if _word(subject, "serves") else _run(t, subject, wrong)
    return lines


def _in_a_guarded_domain(wrong):
    with Domain() as d:
        _tables(d)
        path = os.path.join(d.home, "passwords")
        ended(d.run("xadmin", "passwd", "-f", path, "anna", text="secret\n"),
              0)
        d.boot({"srvid": 1, "appopt": "ECHO"},
               {"name": "tpevsrv", "srvid": 90},
               sections=f'<security auth="SYS" passwords="{path}"/>'
               '<event name="^NEWS$" post="none"/>')
        d.env["GATE_PID"] = str(next(
            r.pid for r in d.rows("pc") if r.tag == "NDRXGATE"))
        return {line for subject in _subjects("guarded")
                for line in _run(d, subject, wrong)}


def _in_a_bare_domain(wrong):
    with Domain() as d:
        _tables(d)
        d.server(1, "ECHO")
        return {line for subject in _subjects("bare")
                for line in _run(d, subject, wrong)}


def _in_a_damaged_domain(wrong):
    with Domain() as d:
        _tables(d)
        d.server(1, "ECHO")
        path = d.segment("tables")
        with open(path, "r+b") as f:
            good = f.read(4096)
            f.seek(0)
            f.write(b"\xee" * 4096)
        try:
            return {line for subject in _subjects("damaged")
                    for line in _run(d, subject, wrong)}
        finally:
            with open(path, "r+b") as f:
                f.write(good)


def _body(path, name):
    """The text of a test."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        found = re.search(rf"^(?:def |static void ){name}\(.*?"
                          rf"(?=^(?:def |static |@|int )|\Z)", f.read(),
                          re.M | re.S)
    return found[0] if found else ""


def _unfounded(got):
    """Entries of the tables that are not, or no longer, true."""
    for pair, (path, name) in ELSEWHERE.items():
        if pair[1] not in _body(path, name):
            yield f"{name} does not name {pair[1]}"
    for pair in sorted(got & ELSEWHERE.keys()):
        yield f"{pair} is provoked: remove it from the table"
    if not SANITIZED:  # no program takes their memory away
        for code in sorted(set().union(*NEEDS.values())):
            if code not in {error for _, error in got}:
                yield f"no program provokes {code}"


def test_every_error_is_provoked_by_a_function_of_its_page():
    promised, pages = _promised()
    wrong = []
    lines = {*_in_the_domain(wrong), *_in_a_guarded_domain(wrong),
             *_in_a_bare_domain(wrong), *_in_a_damaged_domain(wrong)}
    equal(wrong, [], "programs of tests/man/errors")
    got = {(pages[function], error) for function, error in lines}
    needs = set().union(*NEEDS.values())
    missing = promised - got - ELSEWHERE.keys()
    equal(sorted(p for p in missing if p[1] not in needs), [],
          "no program provokes what a page promises")
    equal(sorted(got - promised), [], "no page promises it")
    equal(sorted(ELSEWHERE.keys() - promised), [], "tables")
    equal(list(_unfounded(got)), [], "tables")
