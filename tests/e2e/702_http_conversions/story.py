# SPDX-License-Identifier: Apache-2.0
"""Each conversion with each way to say errors, as configurations of restincl have them; and ours."""
import base64
import itertools
import json
import os

from checks import contains, equal, lacks
from covers import covers
from fixture import wait_for
from httpgate import RestinclDomain, gate

COST = 6
MAINLY = "shm"

CONVS = ("json2ubf", "json2view", "json", "text", "raw")
ERRORS = ("http", "json", "json2ubf", "json2view", "text")
SERVER = {"srvid": 1, "min": 2, "max": 2, "appopt": "ECHO FAIL SLEEP CRASH UPPER"}
SENT = {
    "json2ubf": {"F_NAME": "Zo\u00eb \"x\"", "F_COUNT": 7},
    "json2view": {"HTTPV": {"number": 7, "name": "a", "code": 0, "msg": ""}},
    "json": {"a": [1, {"b": None}]},
    "text": "some text \u20ac",
    "raw": b"\0\1\xff",
}
VIEW_KEYS = {"errfmt_view_msg": "msg", "errfmt_view_code": "code", "errfmt_view_rsp": "HTTPV"}


def _bytes(value):
    if isinstance(value, bytes):
        return value
    return (value if isinstance(value, str) else json.dumps(value)).encode()


def _is_error(answer, errors, code):
    """The answer says the tperrno in the way of the route."""
    if errors == "http":
        equal(answer.status, {6: 404, 11: 500}[code])
        return
    equal(answer.status, 200)
    if errors == "json":
        equal(answer.json["error_code"], code)
        equal(bool(answer.json["error_message"]), True)
    elif errors == "json2ubf":
        equal(answer.json["EX_IF_ECODE"], code)
    elif errors == "json2view":
        (view,) = answer.json.values()
        equal(view["code"], code)
    else:
        equal(answer.body.startswith(b"%d: " % code), True)


def _is_success(answer, conv, errors):
    equal(answer.status, 200)
    equal(answer.kind.split(";")[0], {"text": "text/plain", "raw": "application/octet-stream"}.get(
        conv, "application/json"))
    if conv in ("text", "raw"):
        equal(answer.body, _bytes(SENT[conv]))
        return
    got = answer.json
    if errors == "json":
        equal((got.pop("error_code"), got.pop("error_message")), (0, "SUCCEED"))
    elif errors == "json2ubf":
        equal((got.pop("EX_IF_ECODE"), got.pop("EX_IF_EMSG")), (0, "SUCCEED"))
    elif errors == "json2view" and conv == "json2view":
        equal((got["HTTPV"]["code"], got["HTTPV"]["msg"]), (0, "SUCCEED"))
        got["HTTPV"].update(code=0, msg="")
    equal(got, SENT[conv])


def test_each_conversion_with_each_form_of_errors():
    routes = {}
    for (c, e), svc in itertools.product(itertools.product(CONVS, ERRORS), ("ECHO", "FAIL", "NONE")):
        routes[f"/{c}/{e}/{svc}"] = {"svc": svc, "conv": c, "errors": e, **VIEW_KEYS}
    with RestinclDomain(routes, SERVER, keys="workers=10\ngencore=0") as d:
        with open(os.path.join(d.logs, "ndrxd.log"), encoding="utf-8", errors="replace") as f:
            contains(f.read(), "have no effect here: gencore, workers")
        for c, e in itertools.product(CONVS, ERRORS):
            body = _bytes(SENT[c])
            _is_error(d.post(f"/{c}/{e}/NONE", body), e, 6)
            _is_error(d.post(f"/{c}/{e}/FAIL", body), e, 11)
            _is_success(d.post(f"/{c}/{e}/ECHO", body), c, e)


def test_what_else_routes_of_restincl_say():
    routes = {
        "/async": {"svc": "ECHO", "async": True, "conv": "text", "errors": "http"},
        "/asyncecho": {"svc": "ECHO", "async": True, "asyncecho": True, "conv": "text", "errors": "http"},
        "/echo": {"echo": True, "conv": "text"},
        "/url/.*": {"svc": "ECHO", "format": "r", "errors": "http", "parsecookies": True},
        "/patient": {"svc": "SLEEP", "conv": "text", "errors": "http", "notime": True},
        "/re/.*": {"svc": "ECHO", "conv": "text", "errors": "text", "format": "r"},
        "/quiet": {"svc": "ECHO", "errfmt_json_onsucc": False},
        "/mine": {"svc": "FAIL", "errors": "json", "errfmt_json_msg": '"m":"%s"',
                  "errfmt_json_code": '"c":%d'},
        "/mapped": {"svc": "NONE", "conv": "text", "errors": "http", "errors_fmt_http_map": "6:410,*:418"},
        "/ext": {"svc": "ECHO", "conv": "ext", "errors": "ext", "parseheaders": True, "parseform": True},
        "/none": {"svc": "NONE", "conv": "ext", "errors": "ext"},
        "/full/.*": {"svc": "ECHO", "conv": "ext", "errors": "ext", "format": "r"},
    }
    with RestinclDomain(routes, SERVER, tag="A") as d:
        equal(d.post("/async", "x").body, b"")
        equal(d.post("/asyncecho", "x").body, b"x")
        equal(d.get("/echo").status, 200)
        equal(d.post("/re/any/thing", "x").body, b"x")
        equal(d.post("/url/a%20b", {"EX_IF_URL": "mine"}, {"Cookie": "k=v"}).json,
              {"EX_IF_URL": "/url/a b", "EX_IF_REQCN": "k", "EX_IF_REQCV": "v"})
        equal(d.post("/patient", "10").status, 200)
        equal(d.post("/quiet", {"F_NAME": "a"}).json, {"F_NAME": "a"})
        a = d.post("/mine", {"F_NAME": 'say "a"'})
        equal((a.json["c"], a.json["F_NAME"]), (11, 'say "a"'))
        equal(d.post("/mapped", "x").status, 410)
        equal(d.post("/nowhere", "x").status, 404)
        a = d.post("/ext?a=1&a=2", "x", {"X-One": "1"})
        equal((a.status, a.body), (200, b""))
        equal(d.post("/none", "x").status, 500)
        equal(d.post("/full/a", "x").status, 200)
        a = d.post("/full/a%00b", "x")
        equal((a.status, a.headers["Onewake-Work"]), (400, "not done"))


@covers("restin")
def test_a_gate_of_ours_has_routes_of_restincl_beside_its_own():
    d = gate('<route path="/ours" svc="ECHO"/>', SERVER, http='restin="@old"')
    with open(os.path.join(d.home, "app.ini"), "w", encoding="utf-8") as f:
        f.write('[@old]\nport=1\n/theirs={"svc":"ECHO",\n  "conv":"text"}\n')
    d.env["NDRX_CCONFIG"] = os.path.join(d.home, "app.ini")
    with d:
        equal(d.post("/ours", {"F_COUNT": 1}).json, {"F_COUNT": 1})
        equal(d.post("/theirs", "x").body, b"x")


ROUTES = """
<route path="/problem" svc="FAIL"/><route path="/none" svc="NONE"/>
<route path="/late" svc="SLEEP" conv="text" timeout="0.2" timeout_max="10"/>
<route path="/crash" svc="CRASH" conv="text" timeout="5"/>
<route path="/mapped" svc="FAIL" status="U77:409,6:404"/>
<route path="/async" svc="ECHO" async="Y"/>
<route method="GET" path="/name/{name}/{rest...}" svc="ECHO"
  fields="path.name=F_NAME query.n=F_COUNT header.X-Account=F_ACCOUNT path.rest=F_NAME"/>
<route path="/own/{name}" svc="ECHO" fields="path.name=F_NAME query.n=F_COUNT"/>
<route path="/form" svc="ECHO" conv="multipart" fields="form.name=F_NAME file.up=F_BYTES"/>
<route path="/filters" svc="ECHO" conv="text" finman="UPPER" foutman="ECHO"/>
<route path="/refused" svc="ECHO" conv="text" finman="FAIL"/>
<route path="/after" svc="ECHO" conv="text" foutman="FAIL"/>
<route path="/text" svc="FAIL" conv="text" errors="text"/>
<route path="/echo" echo="Y" conv="json"/>
"""


@covers("conv", "errors", "async", "status", "finman", "foutman", "timeout", "timeout_max")
def test_problems_say_what_became_of_the_work():
    with gate(ROUTES, SERVER) as d:
        def says(path, status, work, **more):
            a = d.post(path, more.get("body", {"F_NAME": "x"}), more.get("headers"))
            equal((a.status, a.kind, a.json["work"]), (status, "application/problem+json", work), path)
            return a
        a = says("/problem", 422, "failed")
        equal((a.json["error"], a.json["urcode"], a.json["data"]), ("TPESVCFAIL", 77, {"F_NAME": "x"}))
        equal(says("/none", 503, "not done").headers["Retry-After"], "1")
        says("/late", 504, "unknown", body="1000")
        equal(d.post("/late", "300", {"Request-Timeout": "9"}).status, 200)
        says("/late", 400, "not done", headers={"Request-Timeout": "soon"})
        says("/crash", 502, "unknown", body="")
        says("/mapped", 409, "failed")
        says("/refused", 422, "failed", body="x")
        says("/after", 422, "done", body="x")
        equal(d.post("/filters", "abc").body, b"ABC")
        equal(d.post("/text", "abc").body.startswith(b"11: "), True)
        a = d.post("/async", {"F_NAME": "x"})
        equal((a.status, a.body), (202, b""))


@covers("method", "path", "fields", "echo")
def test_paths_queries_headers_and_forms_go_to_fields():
    with gate(ROUTES, SERVER) as d:
        a = d.get("/name/anna%2Fb/x/y?n=5", {"X-Account": "A1"})
        equal(a.json, {"F_NAME": ["anna/b", "x/y"], "F_COUNT": 5, "F_ACCOUNT": "A1"})
        # The path wins over a body that names its field; without a parameter there is none.
        a = d.post("/own/anna", {"F_NAME": "bert", "F_COUNT": 9})
        equal(a.json, {"F_NAME": "anna"})
        equal(d.post("/own/anna", {"F_NAME": ["bert", "carl"], "F_COUNT": [1, 2]}).json, {"F_NAME": "anna"})
        for names in ("carl", ["bert", "carl"]):
            a = d.post("/own/anna", {"((BFLDID32)167774163)": names})
            equal((a.status, a.json["work"]), (400, "not done"), "F_NAME by its number")
        for query in ("n=five", "n=", "n=1.5", "n=99999999999999999999", "n=5;m=6", "n=%zz"):
            a = d.post(f"/own/x?{query}", {})
            equal((a.status, a.json["work"]), (400, "not done"), query)
        body = (b'--b\r\nContent-Disposition: form-data; name="name"\r\n\r\nanna\r\n'
                b'--b\r\nContent-Disposition: form-data; name="up"; filename="../x"\r\n\r\n\0\1\r\n--b--\r\n')
        a = d.post("/form", body.replace(b"--b--", b"--b"), {"Content-Type": "multipart/form-data; boundary=b"})
        equal((a.status, a.json["work"]), (400, "not done"), "a form without its end")
        a = d.post("/form", body, {"Content-Type": "multipart/form-data; boundary=b"})
        equal(a.json, {"F_NAME": "anna", "F_BYTES": base64.b64encode(b"\0\1").decode()})
        equal(d.post("/form", "x", {"Content-Type": "text/plain"}).status, 400)
        equal(d.post("/echo", [1, 2]).json, [1, 2])
        equal(d.post("/echo", "[1").status, 400)


@covers("unknown")
def test_a_name_that_is_no_field_is_refused_and_left_out_where_the_route_says_so():
    with gate('<route path="/refuse" svc="ECHO"/><route path="/ignore" svc="ECHO" unknown="ignore"/>', SERVER) as d:
        for body in ({"NOFIELD": 1}, {"F_NAME": "x", "NOFIELD": {"F_NAME": 1}}, {"F_SUB": [{"F_NAME": "x"}, {"NOFIELD": 1}]},
                     {"((BFLDID32)x)": 1}):
            a = d.post("/refuse", body)
            equal((a.status, a.json["work"]), (400, "not done"), body)
            contains(a.json["detail"], "NOFIELD" if "NOFIELD" in json.dumps(body) else "((BFLDID32)x)")
            equal(d.post("/ignore", body).status, 200, body)
        equal(d.post("/ignore", {"NOFIELD": 1}).json, {})
        for body in ({"F_NAME": "x"}, {"F_SUB": {"F_SUB": {"F_NAME": "x"}}}, {}):
            equal(d.post("/refuse", body).json, body)
        equal(d.post("/refuse", '{"F\\u005fNAME": "x"}').json, {"F_NAME": "x"})
        equal(d.post("/refuse", {"((BFLDID32)167774163)": "x"}).json, {"F_NAME": "x"})
        view = {"F_VIEW": {"HTTPV": {"number": 1, "name": "x", "code": 2, "msg": "y"}}}
        equal(d.post("/refuse", view).json, view)


@covers("unknown")
def test_what_a_field_cannot_take_is_refused_and_not_cut_off():
    with gate('<route path="/refuse" svc="ECHO"/><route path="/ignore" svc="ECHO" unknown="ignore"/>'
              '<route path="/json" svc="ECHO" conv="json"/><route path="/text" svc="ECHO" conv="text"/>'
              '<route path="/view" svc="ECHO" conv="json2view"/><route path="/any" svc="ECHO" conv="json2view" unknown="ignore"/>',
              SERVER) as d:
        for text, cut in (('"F_SHORT": 99999', None), ('"F_SHORT": 1.5', {"F_SHORT": 1}), ('"F_SHORT": "12x"', {"F_SHORT": 12}),
                          ('"F_COUNT": 9223372036854775808', {"F_COUNT": 2**63 - 1}), ('"F_CHAR": "ab"', {"F_CHAR": "a"}),
                          ('"F_NAME": 0.0000001', {"F_NAME": "0.000000"}), ('"F_NAME": "\\ud800"', {"F_NAME": "?"}),
                          ('"F_FLOAT": 1e39', None), ('"F_SUB": {"F_AMOUNT": 1e400}', None)):
            a = d.post("/refuse", "{" + text + "}")
            equal((a.status, a.json["work"]), (400, "not done"), text)
            contains(a.json["detail"], "half a character" if "ud800" in text else text.rsplit('":', 1)[0].rsplit('"', 1)[1])
            if cut:
                equal(d.post("/ignore", "{" + text + "}").json, cut, "as the library has it")
        whole = {"F_SHORT": -32768, "F_COUNT": -2**63, "F_CHAR": "a", "F_NAME": "\U0001f600", "F_AMOUNT": 1e300}
        equal(d.post("/refuse", whole).json, {**whole, "F_AMOUNT": 1.0000000000000001e+300})
        null = {"number": 0, "name": "", "code": 0, "msg": ""}
        for members, cut in (({"number": 1.5}, {"number": 1}), ({"number": "12x"}, {"number": 12}), ({"nomember": 1}, {})):
            for path, body in (("/view", {"HTTPV": members}), ("/refuse", {"F_VIEW": {"HTTPV": members}})):
                a = d.post(path, body)
                equal((a.status, a.json["work"]), (400, "not done"), body)
                contains(a.json["detail"], next(iter(members)))
            equal(d.post("/any", {"HTTPV": members}).json, {"HTTPV": {**null, **cut}}, "as the library has it")
        equal(d.post("/view", {"HTTPV": {"number": 7, "name": "a"}}).json, {"HTTPV": {**null, "number": 7, "name": "a"}})
        latin = {"Content-Type": "text/plain; charset=iso-8859-1"}
        equal([d.post("/text", "caf\u00e9".encode(), latin).status, d.post("/text", "cafe", latin).status], [400, 200])
        equal(d.post("/json", b'["\xff"]').status, 400)


@covers("fields")
def test_a_field_that_no_table_has_is_said_when_the_route_is_read():
    with gate('<route path="/a/{id}" svc="ECHO" fields="path.id=F_NAME"/>', SERVER) as d:
        d.write('<route path="/a/{id}" svc="ECHO" fields="identity=NOFIELD"/>')
        d.xadmin("reload")
        with open(os.path.join(d.logs, "ndrxd.log"), encoding="utf-8", errors="replace") as f:
            wait_for(lambda: "no field table has NOFIELD" in f.read(), "it is said")
        equal(d.post("/a/x").json, {"F_NAME": "x"})


@covers("staticdir")
def test_files_are_those_of_the_folder_only():
    with gate("", SERVER) as d:
        files = os.path.join(d.home, "files")
        os.makedirs(os.path.join(files, "sub"))
        for name in ("index.html", "a.txt", ".secret"):
            with open(os.path.join(files, name), "w", encoding="utf-8") as f:
                f.write("content")
        os.symlink("/etc/passwd", os.path.join(files, "link"))
        d.write(f'<route path="/files" staticdir="{files}"/>')
        d.xadmin("reload")
        wait_for(lambda: d.get("/files/a.txt").status == 200, "files are served")
        equal(d.get("/files/a.txt").kind, "text/plain; charset=utf-8")
        equal(d.get("/files/").body, b"content")
        for path in ("/files/.secret", "/files/link", "/files/sub/", "/files/../ndrxconfig.xml",
                     "/files/%2e%2e/ndrxconfig.xml", "/files/..%2fndrxconfig.xml", "/files/none"):
            equal(d.get(path).status in (400, 404), True, path)
        equal(d.get("/files/none").json["work"], "not done")
        a = d.get("/files/a.txt", {"Range": "bytes=1-3"})
        equal((a.status, a.body), (206, b"ont"))
        equal(d.post("/files/a.txt", "x").status, 405)
        contains(d.ask("HEAD", "/files/a.txt").headers["Content-Type"], "text/plain")


@covers("notime")
def test_a_route_without_time_out_waits_longer_than_the_default():
    routes = ('<route path="/short" svc="SLEEP" conv="text"/>'
              '<route path="/long" svc="SLEEP" conv="text" notime="Y"/>')
    with gate(routes, SERVER, gate={"xml": '<envs><env name="NDRX_TOUT">1</env></envs>'}) as d:
        equal(d.post("/short", "1500").status, 504)
        equal(d.post("/long", "1500").status, 200)


def test_a_reply_without_data_shows_nothing_of_an_earlier_one():
    routes = ('<route path="/echo" svc="ECHO" conv="text"/>'
              '<route path="/fields" svc="ECHO"/>'
              '<route path="/seen" svc="SEEN" conv="text"/>')
    with gate(routes, {"srvid": 1, "appopt": "ECHO SEEN"},
              env={"NDRX_COMPAT": "strict-tuxedo"}) as d:
        for _ in range(10):
            equal(d.post("/echo", "mine").body, b"mine")
            lacks(d.post("/seen", "x").body.decode(), "mine")
            equal(d.post("/fields", {"F_NAME": "mine"}).json, {"F_NAME": "mine"})
            lacks(d.post("/seen", "x").body.decode(), "mine")
