# SPDX-License-Identifier: Apache-2.0
"""A view is sent with its name and refused under another definition."""
import os
import tempfile

from checks import contains, equal
from fixture import Domain

MAINLY = "shm"

VIEWS = """VIEW PERSON
long number - 1 - - -1
string name - 2 C 20 -
double rate - 1 - - NONE
END

VIEW PAIR
short number - 1 - - -
char flag - 1 - - -
END

VIEW LARGE
long number - 1 - - -
string text - 1 - 20000 -
END
"""


def _views(folder, text=VIEWS):
    with open(os.path.join(folder, "test.v"), "w", encoding="ascii") as f:
        f.write(text)
    return {"VIEWDIR": folder, "VIEWFILES": "test.v"}


def _domain():
    folder = tempfile.TemporaryDirectory(prefix="ow_e2e_views_")
    d = Domain(env=_views(folder.name))
    d.view_folder = folder
    return d


def test_a_view_is_echoed():
    with _domain() as d:
        d.server(1, "ECHO", "INFO")
        c = d.client()
        r = c("call", "ECHO", "-", "VIEW/PERSON:number=7,name=Ada,rate=1.5")
        equal((r.ret, r.err, r.type, r.subtype),
              (0, "OK", "VIEW", "PERSON"))
        equal(r.data, "number\t7\nname\tAda\nrate\t1.500000\n")
        equal((r.urcode, r.sum), (r.sent, r.sent))
        equal(r.len, 64)
        equal(c("call", "INFO", "-", "VIEW/PERSON:number=1").data,
              "INFO INFO VIEW 64")
        equal(c("call", "INFO", "-", "VIEW/PAIR:number=1").data,
              "INFO INFO VIEW 4")


def test_a_view_larger_than_a_message_is_echoed():
    with _domain() as d:
        d.server(1, "ECHO")
        r = d.client()("call", "ECHO", "-",
                       "VIEW/LARGE:number=1,text=" + 3000 * "x")
        equal((r.ret, r.subtype, r.len), (0, "LARGE", 20008))
        equal(r.sum, r.sent)


def test_views_pass_through_tpforward_and_nested_calls():
    with _domain() as d:
        d.server(1, "VIEW")
        d.server(2, "CALLON", "FORWARD")
        for svc in ("CALLON", "FORWARD"):
            r = d.call(svc, "VIEW PERSON")
            equal((r.ret, r.type, r.subtype), (0, "VIEW", "PERSON"), svc)
            equal(r.data, "number\t42\nrate\t0.000000\n", svc)


def test_the_reply_may_be_another_view_unless_tpnochange():
    with _domain() as d:
        d.server(1, "VIEW")
        c = d.client()
        for into in ("STRING", "VIEW/PAIR", "VIEW/PERSON"):
            r = c("callto", into, "VIEW", "-", "STRING:PAIR")
            equal((r.ret, r.subtype, r.data),
                  (0, "PAIR", "number\t42\nflag\t\\00\n"))
        r = c("callto", "VIEW/PAIR", "VIEW", "TPNOCHANGE", "STRING:PAIR")
        equal((r.ret, r.subtype), (0, "PAIR"))
        for into in ("STRING", "VIEW/PERSON"):
            r = c("callto", into, "VIEW", "TPNOCHANGE", "STRING:PAIR")
            equal((r.ret, r.err), (-1, "TPEOTYPE"), into)


def test_a_view_with_another_definition_is_refused():
    other = VIEWS.replace("string name - 2", "string name - 3")
    with tempfile.TemporaryDirectory() as folder, _domain() as d:
        d.server(1, "ECHO", "VIEW", env=_views(folder, other))
        c = d.client()
        equal(c("call", "ECHO", "-", "VIEW/PERSON:number=1").err, "TPEITYPE")
        equal(c("call", "ECHO", "-", "VIEW/PAIR:number=1").err, "OK")
        equal(c("call", "VIEW", "-", "STRING:PERSON").err, "TPEOTYPE")
        equal(c("call", "VIEW", "-", "STRING:PAIR").err, "OK")


def test_a_server_without_view_files_refuses_views_and_goes_on():
    with _domain() as d:
        d.server(1, "ECHO", "VIEW", env={"VIEWDIR": "/nowhere"})
        c = d.client()
        equal(c("call", "ECHO", "-", "VIEW/PAIR:number=1").err, "TPEITYPE")
        r = c("call", "VIEW", "-", "STRING:PAIR")
        equal(r.err, "TPESVCFAIL")
        contains(r.data, "TPENOENT")
        equal(c("call", "ECHO", "-", "STRING:hi").data, "hi")
