# SPDX-License-Identifier: Apache-2.0
"""The page of ndrxweb in a real browser: what a user does with it."""
import contextlib
import functools
import os
import site
import socket
import subprocess
import sysconfig
import time

from checks import at_least, at_most, check, contains, equal, lacks
from cluster import Cluster
from fixture import Domain, kill, only_on, wait_for
from machine import LONG, Skip
from trans import Trans, transfer, two

site.addsitedir(sysconfig.get_path("purelib"))  # stories run without it
try:
    from selenium import webdriver
    from selenium.common.exceptions import StaleElementReferenceException
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
except ImportError:
    webdriver = None

MAINLY = "shm"
COST = 1

BROWSER, DRIVER = "/usr/bin/chromium", "/usr/bin/chromedriver"
PASSWORD = "correct horse"
SCREENS = ("services", "servers", "queues", "clients", "events", "wake-ups",
           "transactions", "durable", "nodes")


class Page:
    def __init__(self, browser, port):
        self.b = browser
        self.url = f"http://127.0.0.1:{port}/"

    def __getitem__(self, key):
        return self.b.find_element(By.ID, key)

    def all(self, selector):
        return self.b.find_elements(By.CSS_SELECTOR, selector)

    def texts(self, selector):
        with contextlib.suppress(StaleElementReferenceException):
            return [e.text for e in self.all(selector)]
        return []

    def keys(self, *keys):
        self.b.find_element(By.TAG_NAME, "body").send_keys(*keys)

    def log_in(self, user):
        time.sleep(0.6)  # two tries a second are looked at
        self.b.get(self.url)
        wait_for(lambda: self["user"].is_displayed(), "the form")
        self["user"].send_keys(user)
        self["password"].send_keys(PASSWORD, Keys.ENTER)
        wait_for(lambda: self.texts("#tiles div"), "the overview", 20)

    def see(self, selector, word):
        wait_for(lambda: any(word in t for t in self.texts(selector)),
                 f"{word} in {selector}", 20)

    def shot(self, name):
        """A picture, if somebody wants to look at it."""
        folder = os.environ.get("OW_SHOTS")
        for width, dark in ((1280, False), (1280, True), (390, False),
                            (390, True)) if folder else ():
            self.width(width)
            self.dark(dark)
            time.sleep(0.3)
            self.b.save_screenshot(
                f"{folder}/{name}-{width}{'-dark' if dark else ''}.png")
        self.width(1280)

    def width(self, n):
        self.b.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": n, "height": 844, "deviceScaleFactor": 1,
            "mobile": False})

    def dark(self, on):
        self.b.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme",
             "value": "dark" if on else "light"}]})

    def colour(self, selector, what):
        return self.all(selector)[0].value_of_css_property(what)

    def complaints(self):
        """What the browser has logged, but that nobody was logged in yet."""
        return [e["message"] for e in self.b.get_log("browser")
                if "status of 401" not in e["message"]]


@contextlib.contextmanager
def _page(messages=None, kind=Domain, servers=()):
    """`messages`: so many fit a queue. `servers`: further ones."""
    if not LONG:
        raise Skip("in the long form: a browser")
    if webdriver is None or not os.path.exists(DRIVER):
        raise Skip("selenium (PyPI), chromium and chromium-driver are needed")
    with kind(small=messages is None) as d:
        if messages is not None:
            d.env["NDRX_MSGMAX"] = str(messages)
        os.makedirs(f"{d.home}/conf")
        with open(f"{d.home}/t.fd", "w", encoding="ascii") as f:
            f.write("CARD 2002 string\nNAME 2003 string\nCOUNT 2004 long\n")
        d.env.update(FLDTBLDIR=d.home, FIELDTBLS="t.fd")
        d.boot({"srvid": 1, "min": 2, "max": 2, "appopt": "ECHO FAIL"},
               {"srvid": 10, "appopt": "SLEEP"}, *servers,
               settings={"mask": "CARD"})
        for role, user in (("look", "anna"), ("operate", "otto"),
                           ("admin", "adam")):
            subprocess.run([d.program("xadmin"), "passwd", "-w", "-r", role,
                            user], env=d.env, input=PASSWORD + "\n",
                           text=True, check=True)
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        d.daemon("ndrxweb", "-p", port)
        o = webdriver.ChromeOptions()
        o.binary_location = BROWSER
        for word in ("--headless=new", "--no-sandbox", "--disable-gpu",
                     "--disable-dev-shm-usage"):
            o.add_argument(word)
        o.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        b = webdriver.Chrome(options=o,
                             service=webdriver.ChromeService(DRIVER))
        try:
            p = Page(b, port)
            p.width(1280)
            yield d, p
        finally:
            b.quit()


def test_what_an_operator_does():
    with _page() as (d, p):
        p.b.get(p.url)
        wait_for(lambda: p["user"].is_displayed(), "the form")
        p["user"].send_keys("anna")
        p["password"].send_keys("wrong", Keys.ENTER)
        p.see("#login-error", "another password")
        p.log_in("anna")
        p.see("#problem-list", "Nothing is wrong")
        # each screen by its key
        for i, name in enumerate(SCREENS, 1):
            p.keys(str(i))
            equal(p.all("nav [aria-current]")[0].get_attribute(
                "data-screen"), name)
        p.keys("c")
        p.width(390)
        tab = p.all("nav [aria-current]")[0]
        wait_for(lambda: 0 <= tab.rect["x"] <= 390 - tab.rect["width"], "its tab is in sight")
        p.width(1280)
        for key, name in (("c", "calls"), ("h", "http")):
            p.keys(key)
            equal(p.all("nav [aria-current]")[0].get_attribute(
                "data-screen"), name)
        d.call("ECHO", "x")
        p.keys("1")
        p.see("#rows tr", "ECHO")
        # filter, row, details, down to servers, back
        p.keys("/")
        p["filter"].send_keys("ec")
        wait_for(lambda: len(p.texts("#rows tr")) == 1, "filtered")
        p["filter"].send_keys(Keys.ESCAPE)
        wait_for(lambda: len(p.texts("#rows tr")) == 3, "all")
        p.keys("/")
        p["filter"].send_keys("echo")
        wait_for(lambda: len(p.texts("#rows tr")) == 1, "filtered")
        p.b.execute_script("document.getElementById('filter').blur()")
        p.keys("j", Keys.ENTER)
        p.see("#card-title", "ECHO")
        check(not p["orders"].is_displayed(), "anna gives no orders")
        # a slow press, while new rows come
        p["card-close"].click()
        hold = webdriver.ActionChains(p.b)
        hold.click_and_hold(p.all("#rows tr")[0]).pause(2.5).release().perform()
        p.see("#card-title", "ECHO")
        p["card-down"].click()
        p.see("#screen-title", "ECHO, by server")
        wait_for(lambda: len(p.texts("#rows tr")) == 2, "its servers")
        p.keys(Keys.ESCAPE)
        p.see("#rows tr", "SLEEP")
        # what is wrong comes first
        p.keys("0")
        d.kill_ndrxd()
        p.see("#problem-list li.bad", "ndrxd is not running")
        p.see("#state", "ndrxd does not run")
        d.boot()
        p.see("#problem-list", "Nothing is wrong")
        equal(p.complaints(), [])


def test_of_many_calls_the_page_gets_those_that_it_shows():
    """500 of them: the first ones in its order, of those with its words."""
    only_on("shm", "kernel queues cannot be looked into")
    with _page(messages=16384) as (d, p):
        d.client()("acall", "SLEEP", "TPNOREPLY", "STRING:1000000")
        wait_for(lambda: [r.state for r in d.rows("calls")] == ["served"], "at work")
        equal(d.client()("flood", "SLEEP", "TPNOREPLY", "STRING:0", 2000).ret, 2000)
        p.log_in("anna")
        p.keys("c")
        p.see("#count", "500 of 2001 rows")
        rows = functools.partial(p.b.execute_script,  # they are made anew each second
                                 "return [...document.querySelectorAll('#rows tr')]"
                                 ".map((r) => r.textContent)")
        check("served" in rows()[0], "the oldest one comes first")
        next(e for e in p.all("#heads button") if e.text.startswith("AGE")).click()
        wait_for(lambda: len(rows()) == 500 and not any("served" in t for t in rows()),
                 "the youngest ones", 20)
        p.keys("/")
        p["filter"].send_keys("Served")
        wait_for(lambda: p["count"].text == "1 row", "found among all", 20)
        check("served" in rows()[0], "the one in hand")
        p["filter"].send_keys(Keys.ESCAPE)
        p.see("#count", "500 of 2001 rows")
        equal(p.complaints(), [])
        kill(d.pid(10))
        d.dirty = True


def test_rows_in_trouble_come_first():
    """Whatever the column, as in ndrxtop."""
    with _page() as (d, p):
        p.log_in("anna")
        p.keys("1")
        names = functools.partial(p.b.execute_script,  # they are made anew each second
                                  "return [...document.querySelectorAll('#rows tr')]"
                                  ".map((r) => r.cells[0].textContent)")
        wait_for(lambda: len(names()) == 3, "all services")
        p.all("#heads button")[0].click()
        wait_for(lambda: names() == ["ECHO", "FAIL", "SLEEP"], "by name", 20)
        d.xadmin("suspend", "-s", "SLEEP")
        wait_for(lambda: names() == ["SLEEP", "ECHO", "FAIL"], "the suspended one", 20)
        p.all("#heads button")[0].click()
        wait_for(lambda: names() == ["SLEEP", "FAIL", "ECHO"], "the other way round", 20)
        d.xadmin("resume", "-s", "SLEEP")
        wait_for(lambda: names() == ["SLEEP", "FAIL", "ECHO"], "falling", 20)
        p.all("#heads button")[0].click()
        wait_for(lambda: names() == ["ECHO", "FAIL", "SLEEP"], "it goes on", 20)


def _column(p, title):
    """What each row has there; the rows are made anew each second."""
    return p.b.execute_script(
        "const at = [...document.querySelectorAll('#heads th')]"
        ".findIndex((h) => h.textContent === arguments[0]);"
        "return [...document.querySelectorAll('#rows tr')]"
        ".map((r) => r.cells[at].textContent)", title)


def test_a_service_is_seen_down_to_the_thread():
    """Each dispatch thread of its server is a row: its requests are its own."""
    with _page(servers=[{"srvid": 20, "name": "thrsv", "mindispatchthreads": 3,
                         "maxdispatchthreads": 3}]) as (d, p):
        wait_for(lambda: len([r for r in d.rows("psc") if r.service == "TECHO"]) == 3,
                 "its threads")
        sleeps, go = d.client(), f"{d.home}/go"
        sleeps.begin("call", "TSLEEP", "TPNOTIME", f"STRING:{go}")
        p.log_in("anna")
        _row(p, "1", "tsleep")
        p["card-down"].click()
        p.see("#screen-title", "TSLEEP, by server")
        shown = functools.partial(_column, p)
        wait_for(lambda: len(shown("STATE")) == 3, "a row of each", 20)
        equal(sorted(shown("PROGRAM")), ["thrsv", "thrsv/2", "thrsv/3"])
        wait_for(lambda: sorted(shown("STATE")) == ["busy", "idle", "idle"],
                 "one is at work", 20)
        p.shot("threads")
        open(go, "w", encoding="utf-8").close()
        equal(sleeps.end().err, "OK")
        wait_for(lambda: shown("STATE") == ["idle"] * 3, "none", 20)
        wait_for(lambda: sorted(shown("CALLS")) == ["0", "0", "1"], "who has served", 20)
        equal(p.complaints(), [])


def test_an_admin_stops_and_starts_a_server():
    with _page() as (d, p):
        p.log_in("adam")
        p.keys("2")
        p.see("#rows tr", "testsv")
        p.keys("j", Keys.ENTER)
        p.see("#orders button", "Stop")
        stop = next(b for b in p.all("#orders button") if b.text == "Stop")
        stop.click()
        contains(stop.text, "sure?")
        check(d.pid(1) != 0, "nothing yet")
        stop.click()
        p.see("#outcome", "Done.")
        equal(d.pid(1), 0)
        # the log level of its process
        p.all("#card-close")[0].click()
        p.keys("j", Keys.ENTER)
        p["level"].send_keys("5")
        for word in ("Set level", "sure"):
            next(b for b in p.all("#orders button") if word in b.text).click()
        p.see("#outcome", "Done.")
        equal([(r.who, r.text) for r in d.rows("lcf")],
              [(f"pid:{d.pid(2)}", "ndrx=5 tp=5")])
        p.shot("level")
        p.all("#card-close")[0].click()
        p.keys("k", Keys.ENTER)
        next(b for b in p.all("#orders button") if b.text == "Start").click()
        next(b for b in p.all("#orders button") if "sure" in b.text).click()
        wait_for(lambda: d.pid(1) != 0, "started")
        contains("\n".join(e.text for e in d.rows("events")),
                 "xadmin for adam, by ndrxweb: stop")
        p.all("#card-close")[0].click()
        p["logout"].click()
        p.see("#login-error", "logged out")
        equal(p.complaints(), [])


def test_an_order_by_keyboard_alone():
    """From the login on."""
    with _page() as (d, p):
        def press(*keys):
            webdriver.ActionChains(p.b).send_keys(*keys).perform()

        def active(what):
            return p.b.switch_to.active_element.get_attribute(what)

        p.b.get(p.url)
        wait_for(lambda: active("id") == "user", "the form has the keys")
        press("adam", Keys.TAB, PASSWORD, Keys.ENTER)
        wait_for(lambda: p.texts("#tiles div"), "the overview", 20)
        press("2")
        p.see("#rows tr", "testsv")
        press("j", Keys.ENTER)
        p.see("#orders button", "Stop")
        for _ in range(30):
            if active("textContent") == "Stop":
                break
            press(Keys.TAB)
        equal(active("textContent"), "Stop", "found by Tab")
        press(Keys.ENTER)
        contains(active("textContent"), "sure?")
        check(d.pid(1) != 0, "nothing yet")
        press(Keys.ENTER)
        p.see("#outcome", "Done.")
        equal(d.pid(1), 0)
        press(Keys.ESCAPE)
        wait_for(lambda: not p["card"].is_displayed(), "closed")
        press("/", "10", Keys.ENTER)
        wait_for(lambda: len(p.texts("#rows tr")) == 1, "filtered")
        equal(p.complaints(), [])


def test_a_service_is_called_from_the_page():
    with _page() as (_, p):
        p.log_in("anna")
        equal([t for t in p.texts("nav button") if t == "Call a service"], [])
        p["logout"].click()
        p.see("#login-error", "logged out")
        p.log_in("otto")
        p.keys("s")
        wait_for(lambda: p["call"].is_displayed(), "the form")
        wait_for(lambda: len(p.all("#call-names option")) == 3, "names")
        p["call-service"].send_keys("ECHO")
        for i, (name, value) in enumerate((("NAME", "Ann"), ("NAME", "1234"),
                                           ("CARD", "4711"),
                                           ("COUNT", "12345678901234567"))):
            if i > 0:
                p["call-add"].click()
            p.all(".field")[i].find_elements(By.TAG_NAME, "input")[0]\
                .send_keys(name)
            p.all(".field")[i].find_elements(By.TAG_NAME, "input")[1]\
                .send_keys(value, *([Keys.CONTROL, Keys.ENTER]
                                    if i == 3 else []))
        p.see("#call-outcome", "Done in")
        reply = p["call-reply"].text
        contains(reply, "12345678901234567")
        contains(reply, '"CARD": "***"')
        contains(reply, '"1234"')
        p.shot("call")
        # as JSON, and what is wrong is said
        p["call-json"].click()
        contains(p["call-text"].get_attribute("value"), '"COUNT"')
        p["call-text"].clear()
        p["call-text"].send_keys('{"NOSUCH": 1}')
        p["call-go"].click()
        p.see("#call-outcome", "NOSUCH")
        p["call-service"].clear()
        p["call-service"].send_keys("NOTHING")
        p["call-text"].clear()
        p["call-go"].click()
        p.see("#call-outcome", "Not done, TPENOENT")
        # the history of this tab fills in the form
        p.all("#call-history button")[-1].click()
        equal(len(p.all(".field")), 4)
        p["call-service"].send_keys("1")
        equal(p.all("nav [aria-current]")[0].get_attribute("data-screen"),
              "call", "digits are typed, not keys")
        p["logout"].click()
        p.see("#login-error", "logged out")
        p.log_in("otto")
        p.keys("s")
        equal(p.texts("#call-history button"), [])
        equal([c for c in p.complaints() if "422" not in c], [])


def test_dead_letters_are_read_and_put_back():
    with _page() as (d, p):
        with open(f"{d.home}/q.conf", "w", encoding="ascii") as f:
            f.write("FAIL,autoq=y,tries=1,errorq=E\nE\nHOLD\n")
        d.server(80, "-m", "S", "-q", f"{d.home}/q.conf", binary="tmqueue")
        c = d.client()
        for i in range(3):
            equal(c("enq", "S", "FAIL", "-", "-",
                    f"FIELDS:CARD=4711,NAME=Ann{i}").err, "OK")

        def held(queue):
            return len(d.rows("mqlm", "-s", "S", "-q", queue))

        def press(name):
            p[name].click()
            contains(p[name].text, "sure?")
            p[name].click()
        wait_for(lambda: held("E") == 3, "given up")
        p.log_in("anna")
        p.keys("8")
        p.see("#rows tr", "HOLD")
        p.keys("/")
        p["filter"].send_keys("error", Keys.ESCAPE)
        p["filter"].clear()
        p.keys("m")
        wait_for(lambda: len(p.texts("#messages-rows tr")) == 3, "rows")
        p.see("#messages-rows tr", "TPESVCFAIL, rcode 77")
        p.all("#messages-rows button")[0].click()
        p.see("#message-text", '"NAME": "Ann0"')
        lacks(p["message-text"].text, "4711")
        check(not p["messages-orders"].is_displayed(), "anna only looks")
        p["logout"].click()
        p.see("#login-error", "logged out")
        p.log_in("otto")
        p.keys("m")
        wait_for(lambda: len(p.texts("#messages-rows tr")) == 3, "rows")
        p.all("#messages-rows button")[0].click()
        p.see("#message-text", "Ann0")
        p.all("#messages-rows input")[0].click()
        p.shot("messages")
        # what is chosen otherwise is asked for anew
        p["messages-delete"].click()
        contains(p["messages-delete"].text, "Delete 1 message: sure?")
        p.all("#messages-rows input")[0].click()
        p.all("#messages-rows input")[1].click()
        equal(p["messages-delete"].text, "Delete")
        p["messages-delete"].click()
        p.keys("1", "m")
        wait_for(lambda: len(p.texts("#messages-rows tr")) == 3, "rows")
        equal((p["messages-delete"].text, held("E")), ("Delete", 3))
        p.b.execute_script(  # the rows are perhaps made anew just now
            "document.querySelector('#messages-rows input').click()")
        p["messages-move"].click()
        p["messages-to"].send_keys("S/HOLD")
        p["messages-move"].click()
        contains(p["messages-move"].text, "1 message to S/HOLD: sure?")
        equal(held("E"), 3)
        p.all("#messages-rows input")[0].click()
        p.all("#messages-rows input")[0].click()
        press("messages-move")
        p.see("#messages-outcome", "Moved to S/HOLD: 1.")
        equal((held("E"), held("HOLD")), (2, 1))
        p.all("#messages-rows input")[0].click()
        press("messages-delete")
        p.see("#messages-outcome", "Deleted: 1.")
        equal(held("E"), 1)
        p["messages-all"].click()
        press("messages-retry")
        p.see("#messages-outcome", "Put back: 1.")
        p["messages-queue"].send_keys("S/HOLD")
        p["messages-export"].click()
        p.see("#messages-outcome", "Exported: ")
        equal(p.complaints(), [])


def test_what_would_this_reload_do():
    with _page() as (d, p):
        path = d.env["NDRX_CONFIG"]
        with open(path, encoding="utf-8") as f:
            text = f.read()

        def write(options):
            with open(path, "w", encoding="utf-8") as f:
                f.write(text.replace("ECHO FAIL", options))
        write("ECHO UPPER --token secret1")
        p.log_in("adam")
        p.keys("g")
        p.see("#configuration-count", "1 of them would change")
        p["configuration-only"].click()
        equal(len(p.texts("#configuration-rows tr")), 1)
        p.see("#configuration-rows tr", "changes: ECHO UPPER --token ***")
        p["configuration-check"].click()
        p.see("#configuration-outcome", "changed: is restarted")
        p["configuration-only"].click()
        p.shot("configuration")
        write("ECHO UPPER")
        p["configuration-reload"].click()
        contains(p["configuration-reload"].text, "sure?")
        equal(d.call("UPPER", "x").err, "TPENOENT")
        p["configuration-reload"].click()
        p.see("#configuration-outcome", "Done.")
        equal(d.call("UPPER", "x").data, "X")
        p.see("#configuration-count", " 0 of them")
        p["configuration-check"].click()
        p.see("#configuration-outcome", "No server would be")
        p["configuration-filter"].send_keys("appopt testsv")
        wait_for(lambda: len(p.texts("#configuration-rows tr")) == 2,
                 "filtered")
        equal(p.complaints(), [])


def _row(p, key, word):
    """Of a screen the one row with a word: its card is open."""
    p.keys(key, "/")
    p["filter"].send_keys(word)
    wait_for(lambda: len(p.texts("#rows tr")) == 1, word)
    p.b.execute_script("document.getElementById('filter').blur()")
    p.keys("j", Keys.ENTER)
    wait_for(lambda: p["card"].is_displayed(), "its card")


def _order(p, text):
    for word in (text, "sure?"):
        next(b for b in p.all("#orders button") if word in b.text).click()
    p.see("#outcome", "Done.")
    p["card-close"].click()


def _tasks_that_look(d, p):
    # 1 what is wrong?
    d.kill_ndrxd()
    p.see("#problem-list li.bad", "ndrxd is not running")
    d.boot()
    p.see("#problem-list", "Nothing is wrong")
    # 2 which client floods?
    loud, enough = d.client(), f"{d.home}/enough"
    loud.begin("calls", "ECHO", 0, 8, 60, enough)
    p.keys("4")
    wait_for(lambda: str(loud.pid) in (p.texts("#rows tr") or [""])[0], "it is first", 20)
    # 3 how long does the service take, and which servers have it?
    _row(p, "1", "echo")
    contains(p["card-list"].text, "SERV99")
    p["card-down"].click()
    p.see("#screen-title", "ECHO, by server")
    open(enough, "w", encoding="utf-8").close()
    equal(loud.end(30).wrong, 0)
    # 4 why does this call wait?
    first, second = d.client(), d.client()
    first.begin("call", "SLEEP", "TPNOTIME", "STRING:20000")
    second.begin("call", "SLEEP", "TPNOTIME", "STRING:1")
    p.keys("c")
    p.see("#rows tr", "its server is busy: server 10 testsv, which works")
    # 5 what do the logs say of its trace?
    trace = next(r.trace_id for r in d.rows("calls") if r.state == "served")
    os.makedirs(f"{d.home}/log", exist_ok=True)
    with open(f"{d.home}/log/own.log", "w", encoding="utf-8") as f:
        f.write(f"token=hunter2 <b>slow</b> {trace}\n")
    lacks(p.texts("#heads th"), "TRACE", "a column of the card alone")
    _row(p, "c", trace)
    p.shot("call-card")
    next(b for b in p.all("#orders button") if b.text == "Logs of its trace").click()
    p.see("#logs-rows tr", f"token=*** <b>slow</b> {trace}")
    equal(p["logs-trace"].get_attribute("value"), trace)
    p.shot("logs")
    p["logs-back"].click()
    p.see("#rows tr", "SLEEP")
    p.keys("l")
    check(not p["logs-back"].is_displayed(), "by its key: nothing is behind it")
    p["logs-trace"].clear()
    p["logs-trace"].send_keys(16 * "ab", Keys.ENTER)
    p.see("#logs-count", "0 lines")
    p.b.execute_script("document.activeElement.blur()")
    equal((first.end(40).err, second.end(40).err), ("OK", "OK"))


def _tasks_that_change(d, p):
    # 6 a service rests for a while
    _row(p, "1", "fail")
    _order(p, "Suspend")
    equal(d.call("FAIL", "x").err, "TPENOENT")
    _row(p, "1", "fail")
    _order(p, "Resume")
    equal(d.call("FAIL", "x").err, "TPESVCFAIL")
    # 7 a server is restarted
    before = d.pid(10)
    _row(p, "1", "sleep")
    p["card-down"].click()
    p.see("#screen-title", "SLEEP, by server")
    p.keys("j", Keys.ENTER)
    _order(p, "Restart")
    check(d.pid(10) not in (0, before), "another process")
    # 8 does it serve?
    p.keys("s")
    p["call-service"].send_keys("SLEEP")
    p["call-type"].send_keys("STRING")
    p["call-text"].send_keys("1")
    p["call-go"].click()
    p.see("#call-outcome", "Done in")
    p.b.execute_script("document.activeElement.blur()")
    # 9 the configuration has another server
    path = d.env["NDRX_CONFIG"]
    with open(path, encoding="utf-8") as f:
        text = f.read()
    with open(path, "w", encoding="utf-8") as f:
        f.write(text.replace("ECHO FAIL", "ECHO FAIL UPPER"))
    p.keys("g")
    p.see("#configuration-count", "1 of them would change")
    for _ in range(2):
        p["configuration-reload"].click()
    p.see("#configuration-outcome", "Done.")
    equal(d.call("UPPER", "x").data, "X")
    p.b.execute_script("document.activeElement.blur()")
    # 10 who has done that?
    p.keys("5")
    p.see("#rows tr", "xadmin for adam, by ndrxweb: restart -y -i 10")


def test_ten_tasks_of_an_operator():
    with _page() as (d, p):
        p.log_in("adam")
        _tasks_that_look(d, p)
        _tasks_that_change(d, p)
        equal([c for c in p.complaints() if "422" not in c], [])


def test_a_new_tab_asks_the_others_for_the_token():
    with _page() as (d, p):
        p.log_in("adam")
        first = p.b.current_window_handle
        p.b.refresh()
        wait_for(lambda: p.texts("#tiles div"), "logged in after a reload")
        p.b.switch_to.new_window("tab")
        p.b.get(p.url + "#servers")
        p.see("#rows tr", "testsv")
        p.keys("j", Keys.ENTER)
        p.see("#orders button", "Stop")
        next(b for b in p.all("#orders button") if b.text == "Stop").click()
        next(b for b in p.all("#orders button") if "sure" in b.text).click()
        p.see("#outcome", "Done.")
        equal(d.pid(1), 0)
        # without the other tabs it logs in
        p.b.execute_script("sessionStorage.clear()")
        p.b.switch_to.window(first)
        p.b.execute_script("sessionStorage.clear()")
        p.b.refresh()
        p.see("#login-error", "this tab")
        equal(p.complaints(), [])


def test_who_holds_a_transaction_is_seen():
    """The older one first: who has begun it, its participants, its age."""
    with _page(kind=Trans) as (d, p):
        holder = two(d)
        transfer(holder, 5, 300)
        time.sleep(2)
        other = d.xaclient(1)
        other.ok("begin", 300)
        p.log_in("anna")
        p.keys("7")
        shown = functools.partial(_column, p)
        wait_for(lambda: len(shown("STATE")) == 2, "both", 20)
        equal(shown("BEGUN BY"), [f"xacl {holder.pid}", f"xacl {other.pid}"])
        equal(shown("BRANCHES"), ["1a 2a", "1a"])
        equal(shown("STATE"), ["ACTIVE", "ACTIVE"])
        p.keys("j", Keys.ENTER)
        wait_for(lambda: p["card"].is_displayed(), "its card")
        words = p["card-list"].text.split("\n")
        card = dict(zip(words[::2], words[1::2]))
        equal((card["BEGUN BY"], card["BRANCHES"]), (f"xacl {holder.pid}", "1a 2a"))
        check(card["AGE"].endswith(" s"), card["AGE"])
        at_least(float(card["AGE"].split()[0]), 2, "seconds")
        p.shot("transactions")
        p["card-close"].click()
        # the one that cannot be told its decision says so
        d.order(2, "commit", "result -7 always")
        holder.ok("commit")
        wait_for(lambda: shown("STATE") == ["COMMITTING", "ACTIVE"], "decided", 20)
        equal((shown("BRANCHES")[0], shown("ANSWER")[0], shown("DOUBT")[0]),
              ("1c 2p", "XAER_RMFAIL", "1"))
        d.countermand(2, "commit")
        d.settled(2)
        wait_for(lambda: shown("STATE") == ["ACTIVE"], "it has ended", 20)
        other.ok("abort")
        wait_for(lambda: shown("STATE") == [], "none is under way", 20)
        equal(p.complaints(), [])


def test_the_slider_goes_back_into_the_night():
    with _page() as (d, p):
        os.makedirs(f"{d.home}/log", exist_ok=True)
        d.spawn(90, "-p", "50", "-m", "2", binary="blackboxsv")
        box = f"{d.home}/log/blackbox"
        wait_for(lambda: os.path.exists(box) and os.path.getsize(box) > 4096, "records")
        p.log_in("adam")
        p.keys("2")
        first = str(d.pid(10))
        p.see("#rows tr", first)
        time.sleep(2)  # seconds of the first one are recorded
        kill(int(first))
        wait_for(lambda: d.pid(10) not in (0, int(first)), "restarted")
        second = str(d.pid(10))
        p.see("#rows tr", second)
        p["slider"].send_keys(Keys.HOME)
        p.see("#rows tr", first)
        equal(p["live"].get_attribute("aria-pressed"), "false")
        check(p["then"].text != "", "which time it is")
        p.b.execute_script("document.activeElement.blur()")
        p.keys("j", Keys.ENTER)
        wait_for(lambda: p["card"].is_displayed(), "its card")
        check(not p["orders"].is_displayed(), "no orders to the past")
        p["card-close"].click()
        p.b.execute_script("document.activeElement.blur()")
        p.keys("n")
        p.see("#rows tr", second)
        equal(p["live"].get_attribute("aria-pressed"), "true")
        equal(p.complaints(), [])


def test_nodes_are_a_map():
    with Cluster() as c, _page() as (d, p):
        others = [c.domain(n) for n in (2, 3, 4)]
        for other in others:
            c.bridge(other)
        c.bridge(d)
        wait_for(lambda: sum(r.up for r in d.rows("pnet")) == 3, "the others")
        p.log_in("anna")
        p.keys("9")
        p.see("#map-says", "Node 1 here; 3 others, all up")
        equal(sorted(p.texts("#map g .number")), ["2", "3", "4"])
        equal(p.texts("#map text.here"), ["1"])
        equal(len(p.all("#map g.good")), 3)
        p.shot("map")
        bridge = next(x for x in others[1].procs.values()
                      if "ndrxbridge" in x.args[0])
        kill(bridge.pid)
        p.see("#map-says", "not up: 3")
        equal(p.texts("#map g.bad .number"), ["3"])
        p.shot("map-down")
        # a click selects its row
        p.b.execute_script("document.querySelector('#map g.bad').dispatchEvent("
                           "new MouseEvent('click'))")
        wait_for(lambda: p.all("#rows tr[aria-selected=true]"), "selected")
        p.width(390)
        at_most(p.b.execute_script(
            "return document.documentElement.scrollWidth"), 390)
        p.keys("1")
        wait_for(lambda: not p["map"].is_displayed(), "only there")
        equal(p.complaints(), [])
        others[1].dirty = True


AXE = """const done = arguments[arguments.length - 1];
axe.run(document, { resultTypes: ["violations"] }).then(
  (r) => done(r.violations.map((v) => `${v.impact} ${v.id}: ${v.help}: ` +
    v.nodes.map((n) => n.target.join(" ")).slice(0, 3).join(", "))),
  (e) => done([String(e)]));"""


def _axe(d):
    """The script of axe-core: OW_AXE names it, or npm fetches it."""
    path = os.environ.get("OW_AXE")
    if path is None:
        try:
            subprocess.run(["npm", "pack", "axe-core@4"], cwd=d.home, check=True,
                           capture_output=True, timeout=120)
        except (OSError, subprocess.SubprocessError) as e:
            raise Skip("npm and its registry, or OW_AXE, are needed") from e
        name = next(n for n in os.listdir(d.home) if n.startswith("axe-core-"))
        subprocess.run(["tar", "xzf", name, "package/axe.min.js"], cwd=d.home,
                       check=True)
        path = f"{d.home}/package/axe.min.js"
    with open(path, encoding="utf-8") as f:
        return f.read()


def test_a_screen_reader_finds_its_way():
    """What axe-core looks for is in no screen."""
    with _page() as (d, p):
        script = _axe(d)

        def faults(where):
            p.b.execute_script(script)
            for width, dark in ((1280, False), (1280, True), (390, False)):
                p.width(width)
                p.dark(dark)
                time.sleep(0.3)
                equal(p.b.execute_async_script(AXE), [],
                      f"{where}, {width}, {'dark' if dark else 'light'}")
            p.width(1280)
            p.dark(False)

        p.b.get(p.url)
        wait_for(lambda: p["user"].is_displayed(), "the form")
        faults("login")
        p.log_in("adam")
        for key in "0123456789chglms":
            p.b.execute_script("document.activeElement.blur()")
            p.keys(key)
            time.sleep(1.2)
            faults(f"screen {key}")
        p.b.execute_script("document.activeElement.blur()")
        c = d.client()
        c.begin("call", "SLEEP", "TPNOTIME", "STRING:60000")
        p.keys("c")
        p.see("#rows tr", "SLEEP")
        p.keys("j", Keys.ENTER)
        p.see("#orders button", "Logs of its trace")
        faults("a row")
        p["card-close"].click()
        p.keys("?")
        faults("help")
        c.kill()
        d.clients.remove(c)
        kill(d.pid(10))


def test_it_fits_a_telephone_and_the_night():
    with _page() as (d, p):
        p.width(390)
        p.dark(True)
        p.log_in("adam")
        dark = p.colour("body", "background-color")
        widths = {}
        for key in "0123456789chglms":
            p.b.execute_script("document.activeElement.blur()")
            p.keys(key)
            time.sleep(0.3)
            at_most(p.b.execute_script(
                "return document.documentElement.scrollWidth"), 390, key)
            widths[key] = p.b.execute_script("return document.body.offsetWidth")
        equal(len(set(widths.values())), 1, f"nothing jumps when rows come: {widths}")
        p.dark(False)
        lacks([p.colour("body", "background-color")], dark)
        p["theme"].click()
        equal(p.colour("body", "background-color"), dark)
        # without a server the page says that it is old
        equal(p.complaints(), [])
        for helper in d.daemons:
            kill(helper.pid)
            helper.wait()
        d.daemons.clear()
        p.see("#state", "old")
