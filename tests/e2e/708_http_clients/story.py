# SPDX-License-Identifier: Apache-2.0
"""What standard tools make of the description of a gate: schemathesis (PyPI) tries each
operation and finds no 5xx of the gate and no status that is not described; generators
make clients in Python (openapi-python-client, PyPI) and TypeScript (openapi-typescript
and openapi-fetch, npm), which call.

In the long form, where these tools are in PATH; OW_NODE_MODULES names the folder of
those of npm.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

from checks import contains, ended, equal
from fixture import Skip
from httpgate import BANK, gate
from machine import LONG

COST = 1
MAINLY = "shm"

BANKING = ('<route path="/balance" svc="BALANCE" summary="how much"/>'
           '<route method="GET" path="/accounts/{id}" svc="BALANCE" fields="path.id=T_ACCNUM query.currency=T_ACCCUR"/>')
TEXTS = ('<route path="/echo" svc="ECHO" conv="text"/><route path="/raw" svc="ECHO" conv="raw"/>'
         '<route path="/fail" svc="FAIL" conv="text"/><route path="/nobody" svc="NOBODY" conv="text"/>')
GUARDED = ('<auth name="k" kind="apikey" file="HOME/keys"/>'
           '<route path="/pay" svc="ECHO" conv="json" auth="k" idempotency="60"/>'
           '<route path="/often" svc="ECHO" conv="text" rate="5"/>')


def _tool(name):
    if not LONG:
        raise Skip("the long form")
    path = shutil.which(name)
    if path is None:
        raise Skip(f"there is no {name}")
    return path


def _app(routes, *servers):
    d = gate("", *servers, http='openapi="Y"')
    with open(os.path.join(d.home, "keys"), "w", encoding="utf-8",
              opener=lambda p, f: os.open(p, f, 0o600)) as f:
        f.write("shop:" + "0" * 64 + "\n")
    d.write(routes.replace("HOME", d.home))
    return d


def _described(d):
    path = os.path.join(d.home, "openapi.json")
    with open(path, "wb") as f:
        f.write(d.get("/openapi.json").body)
    return path


def _try(routes, *servers):
    tool = _tool("schemathesis")
    with _app(routes, *servers) as d:
        r = subprocess.run([tool, "run", f"http://127.0.0.1:{d.port}/openapi.json", "--no-color", "-n", "20",
                            "--checks", "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance",
                            "--exclude-checks", "unsupported_method", "--phases", "examples,coverage,fuzzing"],
                           cwd=d.home, capture_output=True, text=True, check=False, timeout=300)
        equal(r.returncode, 0, r.stdout[-6000:] + r.stderr[-2000:])


def test_a_bank_keeps_to_its_description():
    _try(BANKING, BANK)


def test_texts_keep_to_their_description():
    _try(TEXTS.replace('<route path="/nobody" svc="NOBODY" conv="text"/>', ""), {"srvid": 1, "appopt": "ECHO FAIL"})


def test_views_forms_and_files_keep_to_their_description():
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "a.txt"), "w", encoding="utf-8") as f:
            f.write("content")
        _try('<route path="/view" svc="ECHO" conv="json2view"/><route path="/form" svc="ECHO" conv="multipart" '
             'fields="form.name=F_NAME file.up=F_BYTES query.n=F_COUNT"/><route path="/ubf" svc="ECHO"/>'
             f'<route method="GET" path="/files/{{name}}" staticdir="{folder}"/>', {"srvid": 1, "appopt": "ECHO"})


def test_bodies_in_pieces_keep_to_their_description():
    _try('<route path="/take" svc="TAKE" conv="raw" stream="Y"/>',
         {"name": "piecesv", "srvid": 1, "min": 2, "max": 2})


def test_guarded_routes_keep_to_their_description():
    _try(GUARDED, {"srvid": 1, "appopt": "ECHO"})


PYTHON = """
import sys
sys.path.insert(0, "bank_client")
from services_client import Client
from services_client.api.balance import post_balance
from services_client.models import Fields
f = Fields.from_dict({"T_ACCNUM": "ACC000000001", "T_ACCCUR": "EUR"})
r = post_balance.sync_detailed(client=Client(base_url=sys.argv[1]), body=f)
print(r.status_code.value, r.parsed.to_dict()["T_ACCNUM"])
"""


def test_a_client_in_python_is_made_and_calls():
    tool = _tool("openapi-python-client")
    with _app(BANKING, BANK) as d:
        r = subprocess.run([tool, "generate", "--path", _described(d), "--output-path", "bank_client", "--meta", "setup"],
                           cwd=d.home, capture_output=True, text=True, check=False)
        ended(r, 0)
        python = os.path.join(os.path.dirname(tool), "python3")
        r = subprocess.run([python if os.path.exists(python) else sys.executable, "-c", PYTHON,
                            f"http://127.0.0.1:{d.port}"], cwd=d.home, capture_output=True, text=True, check=False)
        equal(r.stdout, "200 ACC000000001\n", r.stderr)


TYPESCRIPT = """
import createClient from "openapi-fetch";
import type { paths } from "./bank";
const client = createClient<paths>({ baseUrl: process.argv[2] });
client.POST("/balance", { body: { T_ACCNUM: "ACC000000001", T_ACCCUR: "EUR" } })
	.then(({ data, response }) => console.log(response.status, data?.T_ACCNUM));
"""


def test_a_client_in_typescript_is_made_and_calls():
    node, modules = _tool("node"), os.environ.get("OW_NODE_MODULES", "")
    if not os.path.isdir(os.path.join(modules, "openapi-fetch")):
        raise Skip("OW_NODE_MODULES has no openapi-typescript, openapi-fetch and typescript")
    with _app(BANKING, BANK) as d:
        os.symlink(modules, os.path.join(d.home, "node_modules"))
        bin_ = os.path.join(modules, ".bin")
        with open(os.path.join(d.home, "call.ts"), "w", encoding="utf-8") as f:
            f.write(TYPESCRIPT)
        with open(os.path.join(d.home, "tsconfig.json"), "w", encoding="utf-8") as f:
            json.dump({"compilerOptions": {"module": "nodenext", "target": "es2022", "strict": True, "skipLibCheck": True,
                                           "types": []}, "files": ["call.ts"]}, f)
        with open(os.path.join(d.home, "package.json"), "w", encoding="utf-8") as f:
            f.write('{"type":"commonjs"}')
        for words in ([os.path.join(bin_, "openapi-typescript"), _described(d), "-o", "bank.ts"],
                      [os.path.join(bin_, "tsc"), "-p", ".", "--noCheck"]):
            r = subprocess.run(words, cwd=d.home, capture_output=True, text=True, check=False)
            ended(r, 0)
        r = subprocess.run([node, "call.js", f"http://127.0.0.1:{d.port}"], cwd=d.home, capture_output=True,
                           text=True, check=False)
        contains(r.stdout + r.stderr, "200 ACC000000001")
