# SPDX-License-Identifier: Apache-2.0
"""xadmin call: a request in JSON, a reply in JSON, what an error says of the work."""
import json
import os

from checks import contains, ended, equal, lacks
from covers import covers
from fixture import Domain

MAINLY = "shm"
TABLE = "AMOUNT 2001 double\nCARD 2002 string\nNAME 2003 string\nCOUNT 2004 long\n"


def _domain():
    d = Domain()
    with open(os.path.join(d.home, "t.fd"), "w", encoding="utf-8") as f:
        f.write(TABLE)
    d.env.update(FLDTBLDIR=d.home, FIELDTBLS="t.fd")
    return d


def _call(d, *words, data="", status=0):
    r = d.run("xadmin", "call", *words, text=data)
    ended(r, status)
    return json.loads(r.stdout)


@covers("xadmin call")
def test_request_and_reply_are_json():
    with _domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"}, settings={"mask": "CARD"})
        r = _call(d, "ECHO", data=json.dumps(
            {"NAME": ["Ann", "Bob"], "AMOUNT": "1.5", "COUNT": 2 ** 40,
             "CARD": "4711"}))
        equal((r["work"], r["error"]), ("done", ""))
        equal(r["reply"]["buftype"], "UBF")
        equal(r["reply"]["data"],
              {"AMOUNT": 1.5, "CARD": "4711", "NAME": ["Ann", "Bob"],
               "COUNT": 2 ** 40})
        r = _call(d, "-m", "ECHO", data='{"CARD": "4711", "NAME": "Ann"}')
        equal(r["reply"]["data"], {"CARD": "***", "NAME": "Ann"})
        r = _call(d, "-b", "STRING", "ECHO", data='"a \\" b"')
        equal((r["reply"]["buftype"], r["reply"]["data"]),
              ("STRING", 'a " b'))
        r = _call(d, "-b", "JSON", "ECHO", data='{"a": [1, 2]}')
        equal(r["reply"]["data"], {"a": [1, 2]})
        r = _call(d, "-b", "CARRAY", "ECHO", data='"AAEC"')
        equal(r["reply"]["data"], "AAEC")
        equal(_call(d, "ECHO")["reply"], None, "no data")
        for words, data in ((["ECHO"], "{"), (["ECHO"], '{"NOSUCH": 1}'),
                            (["-b", "NOSUCH", "ECHO"], "1")):
            r = d.run("xadmin", "call", *words, text=data)
            ended(r, 1)
            equal(r.stdout, "")
            contains(r.stderr, "the request is no")
        contains(d.run("xadmin", "call", "ECHO", text='{"NOSUCH": 1}').stderr,
                 "no field table has NOSUCH")
        # what cannot be masked is not shown, and not asked for
        ended(d.run("xadmin", "call", "-b", 'X"', "ECHO"), 2)


def test_a_reply_that_json_cannot_show_is_not_none():
    with _domain() as d:
        d.boot({"srvid": 1, "appopt": "ANSWER"})
        r = _call(d, "ANSWER")
        equal((r["work"], r["reply"]), ("done", None))
        contains(r["why"], "there is a reply")


@covers("xadmin call")
def test_a_request_that_is_not_read_to_its_end_is_not_sent():
    with _domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"})
        for text, why in (('"' + "x" * (16 << 20) + '"', "more than 16 MiB"),
                          ('"x"\0"y"', "a NUL in it")):
            r = d.run("xadmin", "call", "-b", "STRING", "ECHO", text=text)
            ended(r, 1)
            equal(r.stdout, "")
            contains(r.stderr, why)


@covers("xadmin call")
def test_an_error_says_what_became_of_the_work():
    with _domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO FAIL SLEEP CRASH SOFTERR"})

        def work(*words, data=""):
            r = _call(d, *words, data=data, status=1)
            return r["work"], r["error"], r["reply"]
        equal(work("NOSUCH"), ("not done", "TPENOENT", None))
        equal(work("FAIL")[:2], ("refused", "TPESVCFAIL"))
        equal(work("-t", "1", "-b", "STRING", "SLEEP", data='"3000"'),
              ("unknown", "TPETIME", None))
        equal(work("CRASH")[:2], ("unknown", "TPESVCERR"))
        # A service gives itself any of them, when it has worked.
        for number, name in ((6, "TPENOENT"), (5, "TPELIMIT"), (8, "TPEPERM")):
            equal(work("-b", "STRING", "SOFTERR", data=f'"{number}"'),
                  ("unknown", name, None))


@covers("xadmin call")
def test_lists_hold_for_the_name_of_a_call():
    with _domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO WHOCALLS PAY=ECHO"},
               sections='<services><service svcnm="PAY" acl="login:anna"/>'
                        '</services>')
        equal(_call(d, "PAY")["work"], "done", "the domain's own call")
        equal(_call(d, "-u", "anna", "PAY")["work"], "done")
        r = _call(d, "-u", "otto", "PAY", status=1)
        equal((r["work"], r["error"]), ("not done", "TPEPERM"))
        contains(d.xadmin("call", "-u", "", "PAY", ok=False).stderr,
                 "-u has an empty value")
        contains(_call(d, "-u", "anna", "WHOCALLS")["reply"]["data"], "anna ")
        r = _call(d, "-u", "a:b", "PAY", status=1)
        equal((r["work"], r["error"]), ("not done", "TPEINVAL"))


@covers("xadmin pubfdb")
def test_the_fields_of_the_tables_are_listed():
    with _domain() as d:
        rows = d.rows("pubfdb", "-t")
        equal([(r.field, r.number, r.type) for r in rows],
              [("AMOUNT", 2001, "double"), ("CARD", 2002, "string"),
               ("NAME", 2003, "string"), ("COUNT", 2004, "long")])
        contains(d.xadmin("pubfdb", "-t").stdout, "AMOUNT")
        with open(os.path.join(d.home, "t.fd"), "a", encoding="utf-8") as f:
            f.write("wrong\n")
        r = d.xadmin("pubfdb", "-t", ok=False)
        equal(r.returncode, 1)
        lacks(r.stdout, "AMOUNT")
