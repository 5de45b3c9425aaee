# SPDX-License-Identifier: Apache-2.0
"""What standard tools make of the description of a gate: schemathesis (PyPI) tries each
operation and finds no 5xx of the gate and no status that is not described; generators
make clients in Python (openapi-python-client, PyPI) and TypeScript (openapi-typescript
and openapi-fetch, npm), which call.

In the long form, where these tools are in PATH; those of npm are fetched once for a
build folder.
"""
import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile

from checks import contains, ended, equal
from fixture import Skip
from httpgate import BANK, gate
from machine import BUILD, LONG

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


NPM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "npm")
TYPESCRIPT = """
import createClient from "openapi-fetch";
import type { paths } from "./bank";
declare const process: { argv: string[] };
const client = createClient<paths>({ baseUrl: process.argv[2] });
async function main() {
	const { data, response } = await client.POST("/balance", { body: { T_ACCNUM: "ACC000000001", T_ACCCUR: "EUR" } });
	console.log(response.status, data?.T_ACCNUM);
	const by = { params: { path: { id: "ACC000000001" }, query: { currency: "EUR" } } };
	console.log((await client.GET("/accounts/{id}", by)).data?.T_ACCCUR);
	const { error } = await client.POST("/balance", { body: { T_ACCNUM: "NOBODY" } });
	console.log(error?.status, error?.title);
}
main();
"""
SAID = "200 ACC000000001\nEUR\n422 Unprocessable Entity\n"
# What the compiler must not take: a path that is not there, a parameter that is missing, a
# field of another type.
WRONG = ('client.POST("/balances", { body: {} })', 'client.GET("/accounts/{id}", {})',
         'client.POST("/balance", { body: { T_ACCNUM: [{}] } })')


def _modules():
    """The folder of the tools of npm: package-lock.json says which, to the byte."""
    npm, total = _tool("npm"), hashlib.sha256()
    for name in ("package.json", "package-lock.json"):
        with open(os.path.join(NPM, name), "rb") as f:
            total.update(f.read())
    folder = os.path.join(BUILD, "npm", total.hexdigest()[:16])
    made = os.path.join(folder, "node_modules")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "lock"), "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if os.path.exists(os.path.join(folder, "whole")):
            return made
        shutil.copytree(NPM, folder, dirs_exist_ok=True)
        r = subprocess.run([npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=folder,
                           capture_output=True, text=True, check=False, timeout=300)
        if r.returncode != 0:
            raise Skip("no tools of npm: npm ci: " + (r.stderr.strip().splitlines() or ["?"])[0][:200])
        with open(os.path.join(folder, "whole"), "w", encoding="ascii"):
            pass
    return made


def _write(folder, name, text):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
        f.write(text)


def test_a_client_in_typescript_is_made_and_calls():
    node, modules = _tool("node"), _modules()
    with _app(BANKING, BANK) as d:
        os.symlink(modules, os.path.join(d.home, "node_modules"))

        def tool(name, *words):
            return subprocess.run([os.path.join(modules, ".bin", name), *words], cwd=d.home, capture_output=True,
                                  text=True, check=False)

        _write(d.home, "call.ts", TYPESCRIPT)
        _write(d.home, "tsconfig.json", json.dumps({
            "compilerOptions": {"module": "nodenext", "target": "es2022", "strict": True, "skipLibCheck": True,
                                "types": []}, "files": ["call.ts"]}))
        _write(d.home, "package.json", '{"type":"commonjs"}')
        ended(tool("openapi-typescript", _described(d), "-o", "bank.ts"), 0)
        r = tool("tsc", "-p", ".")
        equal((r.returncode, r.stdout), (0, ""))
        r = subprocess.run([node, "call.js", f"http://127.0.0.1:{d.port}"], cwd=d.home, capture_output=True,
                           text=True, check=False)
        equal(r.stdout, SAID, r.stderr)
        for wrong in WRONG:
            _write(d.home, "call.ts", TYPESCRIPT.replace("main();\n", f"main();\n{wrong};\n"))
            contains(tool("tsc", "-p", ".", "--noEmit").stdout, "error TS", wrong)
