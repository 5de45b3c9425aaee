#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""web.py - the pictures of ndrxweb, from a real domain in a real browser

    OW_BUILD=build/release python3 doc/pictures/web.py

Needs selenium (PyPI), chromium and chromium-driver, nats-server (the map of nodes),
Pillow (few colours: small files). With names of pictures: only these.
"""
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.dont_write_bytecode = True
sys.path[:0] = [os.path.join(ROOT, "tests", "e2e")]
os.environ["OW_BUILD"] = os.path.abspath(
    os.environ.get("OW_BUILD", os.path.join(ROOT, "build", "release")))

from PIL import Image  # noqa: E402
from selenium import webdriver  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402

from cluster import Cluster  # noqa: E402
from fixture import wait_for  # noqa: E402
from httpgate import free_port  # noqa: E402
from machine import start_guard  # noqa: E402
from trans import Trans, transfer, two  # noqa: E402

SERVERS = (
    {"name": "accountsv", "srvid": 110, "min": 8, "max": 8,
     "appopt": "BALANCE=ECHO STATEMENT=UPPER"},
    {"name": "paymentsv", "srvid": 200, "min": 4, "max": 4,
     "appopt": "DEPOSIT=NAP WITHDRAW=NAP"},
    {"name": "transfersv", "srvid": 300, "appopt": "TRANSFER=CALLON"},
    {"name": "ordersv", "srvid": 350, "appopt": "ORDER=CALLON"},
    {"name": "reportsv", "srvid": 400, "min": 2, "max": 2,
     "appopt": "REPORT=SLEEP", "pingtime": 300, "ping_max": 300},
    {"name": "fraudsv", "srvid": 500, "appopt": "FRAUD=CRASH"},
    {"name": "limitsv", "srvid": 600, "appopt": "REFUSE=FAIL"},
    {"name": "blackboxsv", "srvid": 900, "appopt": "-m 2"},
)
# Name of the picture, key of the screen, width, height, dark, seconds back.
PICTURES = (
    ("overview", "0", 1100, 560, False, 0),
    ("services", "1", 1100, 560, True, 0),
    ("telephone", "1", 390, 760, False, 0),
    ("calls", "c", 1100, 560, False, 0),
    ("black-box", "2", 1100, 700, False, 9),
    ("call", "s", 1100, 700, False, 0),
    ("messages", "m", 1100, 640, True, 0),
    ("configuration", "g", 390, 760, True, 0),
    ("queues", "3", 1100, 560, True, 0),
    ("clients", "4", 1100, 560, False, 0),
    ("events", "5", 1100, 560, True, 0),
    ("wake-ups", "6", 1100, 560, False, 0),
    ("transactions", "7", 1100, 400, True, 0),
    ("durable", "8", 1100, 400, False, 0),
    ("nodes", "9", 1100, 720, True, 0),
    ("http", "h", 1280, 400, False, 0),
    ("logs", "l", 1100, 560, True, 0),
)
# Programs of the stories under the names of a bank's.
NAMES = {"testcl": "branchcl", "xacl": "tellercl", "xasv": "ledgersv"}
ROUTES = (("/balance", "BALANCE"), ("/deposit", "DEPOSIT"), ("/limit", "REFUSE"))
FIELDS = "ACCOUNT 3001 string\nCARD 3002 string\nAMOUNT 3003 double\n"
QUEUES = "PAYMENTS,autoq=y,tries=2,waitretry=50ms,svcnm=REFUSE,errorq=ERRORS\nERRORS\nHOLD\n"


class Bank(Trans):
    def program(self, name):
        path = f"{self.home}/bin/{NAMES.get(name, name)}"
        return path if os.path.exists(path) else super().program(name)


def programs(d):
    os.makedirs(f"{d.home}/bin", exist_ok=True)
    for s in SERVERS[:-1]:
        os.symlink(d.program("testsv"), f"{d.home}/bin/{s['name']}")
    for program, name in NAMES.items():
        os.symlink(d.program(program), f"{d.home}/bin/{name}")
    d.env["PATH"] = f"{d.home}/bin:{d.env['PATH']}"


def ask_gate(port, path):
    while True:
        try:
            urllib.request.urlopen(urllib.request.Request(
                f"http://127.0.0.1:{port}{path}", b'{"ACCOUNT":"LV0117"}',
                {"Content-Type": "application/json"}), timeout=9).close()
        except urllib.error.HTTPError:
            pass  # what was refused
        except OSError:
            return  # the gate has ended
        time.sleep(0.01)


def traced(d):
    """One call through three servers, each with a line on both sides; its trace."""
    d.xadmin("lcf", "logchg", "-A", "trace=y")
    c, path = d.client(), f"{d.logs}/bank.log"

    def lines():
        c.call("ORDER", "TRANSFER BALANCE x")
        with open(path, encoding="utf-8") as f:
            ids = [w[6:] for line in f for w in line.split() if w.startswith("trace=")]
        return next((i for i in ids if ids.count(i) >= 6), None)

    found = wait_for(lines, "traced")
    d.xadmin("lcf", "disable")
    return found


def neighbours(cluster, d):
    """Three other nodes, two of which are called."""
    others = [cluster.domain(n) for n in (2, 3, 4)]
    for n, other in zip((2, 3, 4), others):
        other.server(1, f"RATES{n}=ECHO")
        cluster.bridge(other)
    cluster.bridge(d)
    cluster.sees(d, "RATES2", "RATES3")
    for n, clients in ((2, 2), (3, 1)):
        for _ in range(clients):
            d.client().begin("calls", f"RATES{n}", 100000000, 1, 20)


def load(d):
    for svc, clients in (("BALANCE", 3), ("STATEMENT", 1), ("DEPOSIT", 6)):
        for _ in range(clients):
            d.client().begin("calls", svc, 100000000, 1, 20)
    for i in range(4):
        d.call("BALANCE", "x")
        d.client()("enq", "BANK", "PAYMENTS", "-", "-",
                   f"FIELDS:ACCOUNT=LV0{i}17,CARD=471{i},AMOUNT={i + 1}.5")
    for _ in range(5):
        d.client().begin("call", "REPORT", "-", "STRING:90000")
    d.call("FRAUD", "x")
    for i in range(2):
        transfer(two(d) if i == 0 else d.xaclient(1), 60, 900)
    d.order(2, "commit", "result -7 always")
    stuck = d.xaclient(1)
    transfer(stuck, 60, 900)
    stuck.ok("commit")


def browser():
    o = webdriver.ChromeOptions()
    o.binary_location = "/usr/bin/chromium"
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu",
                 "--disable-dev-shm-usage"):
        o.add_argument(word)
    return webdriver.Chrome(
        options=o, service=webdriver.ChromeService("/usr/bin/chromedriver"))


def look(b, width, height, dark):
    b.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": width, "height": height, "deviceScaleFactor": 1,
        "mobile": False})
    b.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
        {"name": "prefers-color-scheme",
         "value": "dark" if dark else "light"}]})


def call_it(b):
    b.find_element(By.ID, "call-service").send_keys("BALANCE")
    for i, (name, value) in enumerate((("ACCOUNT", "LV0117"),
                                       ("CARD", "4711"))):
        if i > 0:
            b.find_element(By.ID, "call-add").click()
        inputs = b.find_elements(By.CSS_SELECTOR, ".field input")
        inputs[2 * i].send_keys(name)
        inputs[2 * i + 1].send_keys(value)
    inputs[-1].send_keys(Keys.CONTROL, Keys.ENTER)


def read_one(b):
    b.find_element(By.CSS_SELECTOR, "#messages-rows input").click()
    b.find_element(By.CSS_SELECTOR, "#messages-rows button").click()


def ask(b):
    b.find_element(By.ID, "configuration-check").click()


def look_for(b):
    b.find_element(By.ID, "logs-trace").send_keys(TRACE[0], Keys.ENTER)


TRACE = []  # of the call that was traced
ACTS = {"call": call_it, "messages": read_one, "configuration": ask, "logs": look_for}


def shoot(b, name, key, back):
    b.execute_script("document.activeElement.blur()")
    body = b.find_element(By.TAG_NAME, "body")
    body.send_keys(key)
    time.sleep(2.5)
    if name in ACTS:
        ACTS[name](b)
        time.sleep(1.5)
    for _ in range(back):
        body.send_keys("[")
        time.sleep(0.3)
    time.sleep(0.8)
    b.execute_script("document.getElementById('domain').textContent = '/bank'")
    path = f"{HERE}/ndrxweb-{name}.png"
    b.save_screenshot(path)
    with Image.open(path) as picture:
        few = picture.convert("RGB").quantize(128, dither=Image.Dither.NONE)
    few.save(path, optimize=True)


def prepare(d):
    programs(d)
    os.makedirs(f"{d.home}/conf", exist_ok=True)
    for name, text in (("bank.fd", FIELDS), ("q.conf", QUEUES)):
        with open(f"{d.home}/{name}", "w", encoding="ascii") as f:
            f.write(text)
    d.env.update(FLDTBLDIR=d.home, FIELDTBLS="bank.fd", NDRX_NODEID="1",
                 NDRX_DEBUG_STR=f"ndrx=3 ubf=3 tp=3 file={d.logs}/bank.log")
    gate = free_port()
    d.boot(*SERVERS, {"name": "tmqueue", "srvid": 800, "appopt":
                      f"-m BANK -q {d.home}/q.conf"},
           {"name": "httpgate", "srvid": 850}, settings={"mask": "CARD"},
           sections=f'<http port="{gate}">' + "".join(
               f'<route path="{path}" svc="{svc}"/>' for path, svc in ROUTES) + "</http>")
    subprocess.run([d.program("xadmin"), "passwd", "-w", "-r", "admin",
                    "anna"], env=d.env, input="secret\n", text=True,
                   check=True)
    for path, _ in ROUTES:
        threading.Thread(target=ask_gate, args=(gate, path), daemon=True).start()


def main():
    start_guard()
    with Cluster() as cluster, Bank(small=False) as d:
        prepare(d)
        port = free_port()
        d.daemon("ndrxweb", "-p", port)
        TRACE.append(traced(d))
        neighbours(cluster, d)
        load(d)
        with open(d.env["NDRX_CONFIG"], encoding="utf-8") as f:
            text = f.read()
        with open(d.env["NDRX_CONFIG"], "w", encoding="utf-8") as f:
            f.write(text.replace("STATEMENT=UPPER", "STATEMENT=ECHO"))
        b = browser()
        look(b, 1100, 560, False)
        b.get(f"http://127.0.0.1:{port}/")
        wait_for(lambda: b.find_element(By.ID, "user").is_displayed(), "page")
        b.find_element(By.ID, "user").send_keys("anna")
        b.find_element(By.ID, "password").send_keys("secret", Keys.ENTER)
        time.sleep(float(os.environ.get("SECONDS", "20")))
        for name, key, width, height, dark, back in PICTURES:
            if name in (sys.argv[1:] or [name]):
                look(b, width, height, dark)
                shoot(b, name, key, back)
        b.quit()
        for c in d.clients:
            c.kill()
        d.clients.clear()
        d.dirty = True


main()
