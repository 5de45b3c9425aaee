# SPDX-License-Identifier: Apache-2.0
"""Messages that a generator puts and takes, in and outside of transactions, into queues of all
kinds, while tmqueue and tmsrv are killed, stopped and restarted in order: afterwards each is where
its client was told that it is, once. OW_SEED=n: another series; OW_SECONDS: longer."""
import collections
import dataclasses
import os
import random
import signal
import threading
import time

from checks import equal
from fixture import BUILD, kill, wait_for
from machine import LONG, SECONDS
from trans import Trans

COST = 40
QUEUE_KB = 80

CLIENTS = 4
FIRE = SECONDS or (120 if LONG else 8)
YES, NO, MAYBE = "yes", "no", "maybe"
PAUSES = "waitretry=20ms,waitretrymax=100ms"
CONF = f"""P
L,mode=lifo
U,mode=priority
A,autoq=y,svcnm=ECHO,tries=30,{PAUSES},errorq=E,workers=2
F,autoq=y,svcnm=FAIL,tries=2,{PAUSES},errorq=E,workers=2
G,autoq=y,svcnm=FAIL,tries=1,{PAUSES},errorq=NOWHERE
H,autoq=y,svcnm=FAIL,tries=2,{PAUSES},waitinit=100ms
T,autoq=T,svcnm=ECHO,tries=6,{PAUSES},errorq=E,workers=3,txtout=3
TF,autoq=T,svcnm=FAIL,tries=2,{PAUSES},errorq=NOWHERE,workers=2,txtout=3
R
E
V
"""
PLAIN, AUTO = ("P", "L", "U"), ("A", "F", "G", "H", "T", "TF")
ENDS = (*PLAIN, "R", "E", "V", "@FAILED")  # where something may stay


@dataclasses.dataclass
class Put:
    queue: str
    reply: str    # R, NOWHERE, ""
    failure: str  # V, NOWHERE, ""
    told: str
    tx: object = None  # the number of its transaction

    def fates(self):
        """Where it may be in the end, if it was put: how often in each place. `main` is its
        queue or R, or somebody has taken it there."""
        reply = {"main": 1} if self.reply == "R" else {}
        kept = {"V": 1} if self.failure == "V" else {}
        undelivered = {"@FAILED": 1} if self.failure == "NOWHERE" else {}
        if self.queue in PLAIN:
            return [{"main": 1}]
        if self.queue == "H":
            return [kept or undelivered]
        failed = {"@FAILED" if self.queue in ("G", "TF") else "E": 1, **kept}
        if self.queue == "T" and self.reply != "NOWHERE":
            return [reply, failed]  # killed too often
        return [reply] if self.queue == "A" else [failed]


class Book:
    """What clients were told."""

    def __init__(self):
        self.lock = threading.Lock()
        self.puts = {}                      # text -> Put
        self.got = collections.Counter()    # texts that were taken
        self.maybe = collections.Counter()  # that may have been taken
        self.unheard = 0                    # answers that were lost: each may have had any text
        self.transactions = 0

    def _places(self, text, left):
        p, places = self.puts[text], collections.Counter()
        for queue in ENDS:
            main = queue == (p.queue if p.queue in PLAIN else "R")
            places["main" if main else queue] += left.get(queue, {}).get(text, 0)
        places["main"] += self.got[text]
        return {k: v for k, v in places.items() if v}

    def _halves(self, left):
        """Transactions of which nobody knows the end, and half of which is there."""
        seen = collections.defaultdict(set)
        for text, p in self.puts.items():
            if p.told == MAYBE and p.tx and p.queue in PLAIN and not self.maybe[text]:
                seen[p.tx].add(bool(self._places(text, left)))
        return [f"half of transaction {tx} is there" for tx, n in seen.items() if len(n) > 1]

    def judge(self, left):
        """What is wrong, as texts. `left`: queue -> text -> how often."""
        wrong, missing = [], 0
        for text, p in self.puts.items():
            places = self._places(text, left)
            fates = [{}] if p.told == NO else p.fates() + ([{}] if p.told == MAYBE else [])
            if places in fates:
                continue
            if {"main": 1} in fates and not places:
                missing += not self.maybe[text]
            else:
                wrong.append(f"{text}: {p}: {places}, not {fates}")
        if missing > self.unheard:
            wrong.append(f"{missing} are lost, and {self.unheard} answers")
        if self.unheard == 0:
            wrong += self._halves(left)
        return wrong + [f"{text}, in {queue}: nobody has put it" for queue, texts in left.items()
                        for text in texts if text not in self.puts]


class Program:
    """A client that puts and takes until its time is over."""

    def __init__(self, t, book, number, rnd):
        self.book, self.number, self.rnd, self.count = book, number, rnd, 0
        self.client, self.other = t.client(NDRX_TOUT="8"), t.client(NDRX_TOUT="8")
        self.problem = None

    def run(self, until):
        try:
            while time.monotonic() < until:
                self.rnd.choice((self._transaction, self._put_alone, self._take_alone))()
        except BaseException as e:
            self.problem = e

    def _put(self):
        """The text, what is put, and the error."""
        chance = self.rnd.random
        queue = self.rnd.choice(PLAIN + PLAIN + AUTO)
        reply = self.rnd.choice(("R", "R", "NOWHERE", "")) if queue in AUTO else ""
        failure = self.rnd.choice(("V", "NOWHERE", ""))
        opts = [o for o, wanted in (
            (f"reply={reply}", reply), (f"fail={failure}", failure),
            ("corrid=" + self.rnd.choice("abc"), chance() < 0.3),
            (f"prio={self.rnd.randint(1, 100)}", chance() < 0.3), ("rel=1", chance() < 0.15)
        ) if wanted]
        self.count += 1
        text = f"{self.number}.{self.count}"
        data = f"{text}-{self.rnd.choice((0, 0, 10, 5000)) * 'x'}"
        r = self.client("enq", "S", queue, "-", ",".join(opts) or "-", f"STRING:{data}")
        return text, Put(queue, reply, failure, MAYBE), r.err

    def _take(self):
        """The text, or None; the error."""
        opts = [o for o, chance in (("bycorrid=" + self.rnd.choice("abc"), 0.2), ("wait", 0.2))
                if self.rnd.random() < chance]
        if "wait" in opts:
            self.client("tout", 2)
        r = self.client("deq", "S", self.rnd.choice((*PLAIN, "R")), "-", ",".join(opts) or "-")
        if "wait" in opts:
            self.client("tout", 8)
        return (r.data.split("-")[0] if r.err == "OK" else None), r.err

    def _put_alone(self):
        text, put, err = self._put()
        put.told = YES if err == "OK" else NO if err in ("TPENOENT", "TPEBLOCK") else MAYBE
        with self.book.lock:
            self.book.puts[text] = put

    def _take_alone(self):
        text, err = self._take()
        with self.book.lock:
            if text is not None:
                self.book.got[text] += 1
            elif err not in ("TPEDIAGNOSTIC", "TPENOENT"):
                self.book.unheard += 1

    def _move(self):
        """Another process goes on with the transaction. False: it cannot."""
        r = self.client("tx", "suspend")
        if r.err != "OK":
            return True
        self.client, self.other = self.other, self.client
        return self.client("tx", "resume", r.data).err == "OK"

    def _work(self, puts, taken):
        """False: the transaction is lost."""
        for _ in range(self.rnd.randint(1, 4)):
            if self.rnd.random() < 0.5:
                text, put, err = self._put()
                puts[text] = put
                put.told = MAYBE if err == "OK" else NO
            else:
                text, _ = self._take()
                taken += [text] if text is not None else []
            if self.rnd.random() < 0.15 and not self._move():
                return False
        return True

    def _end(self):
        end = "commit" if self.rnd.random() < 0.75 else "abort"
        err = self.client("tx", end).err
        return NO if end == "abort" or err == "TPEABORT" else YES if err == "OK" else MAYBE

    def _transaction(self):
        if self.client("tx", "begin").err != "OK":
            time.sleep(0.05)
            return
        puts, taken = {}, []
        told = self._end() if self._work(puts, taken) else NO
        with self.book.lock:
            self.book.transactions += 1
            for text, put in puts.items():
                if put.told != NO:
                    put.told, put.tx = told, self.book.transactions
                self.book.puts[text] = put
            if told != NO:
                (self.book.got if told == YES else self.book.maybe).update(taken)


class Space(Trans):
    """tmqueue, tmsrv and the services."""

    def __init__(self):
        super().__init__()
        self.running, self.deeds = {}, []

    def _env(self):
        return {"NDRX_XA_RES_ID": "5", "NDRX_XA_DRIVERLIB": f"{BUILD}/lib/libndrxxaqdisk.so",
                "NDRX_XA_OPEN_STR": f'datadir="{self.home}/qdata",qspace="S"'}

    def _start(self, name):
        args = (105, "-s", "200ms") if name == "tmsrv" else \
            (80, "-q", f"{self.home}/q.conf", "-T", "6")
        return self.server(*args, binary=name, env=self._env())

    def open(self):
        with open(f"{self.home}/q.conf", "w", encoding="ascii") as f:
            f.write(CONF)
        self.running = {name: self._start(name) for name in ("tmsrv", "tmqueue")}
        for srvid, service in (1, "ECHO"), (2, "FAIL"), (3, "ECHO"):
            self.server(srvid, service)

    def _end(self, name, sig):
        kill(self.running[name].pid, sig)
        self.running[name] = self.replace(self.running[name], lambda: self._start(name))

    def fire(self, rnd, until):
        """What happens meanwhile."""
        while time.monotonic() < until:
            time.sleep(rnd.uniform(0.2, 1.5))
            deed = rnd.choices(("kill", "stop", "restart"), (5, 3, 2))[0]
            name = rnd.choices(("tmqueue", "tmsrv"), (7, 3))[0]
            self.deeds.append(f"{deed} {name}")
            if deed == "stop":
                kill(self.running[name].pid, signal.SIGSTOP)
                time.sleep(rnd.uniform(0.1, 3))
                kill(self.running[name].pid, signal.SIGCONT)
            else:
                self._end(name, signal.SIGKILL if deed == "kill" else signal.SIGTERM)

    def settle(self):
        """Queue -> text -> how often: what is left, taken out."""
        def at_rest():
            rows = {r.queue: r for r in self.rows("mqlq")}
            return rows and all(rows[q].queued == 0 for q in AUTO) and \
                all(r.locked == 0 for r in rows.values())
        wait_for(at_rest, "nothing is locked, or in automatic queues", 90)
        time.sleep(1.2)  # rel=1
        client, left = self.client(), {}
        for queue in ENDS:
            left[queue] = collections.Counter()
            while (r := client("deq", "S", queue, "-", "-")).err == "OK":
                left[queue][r.data.split("-")[0]] += 1
        return left


def _book(told, **kw):
    """A message in each kind of queue, all of one transaction."""
    book = Book()
    for queue in (*PLAIN, *AUTO):
        book.puts[queue] = Put(queue, "R" if queue in AUTO else "", "V", told, 1)
    for name, value in kw.items():
        setattr(book, name, value)
    return book


def test_the_book_notices_what_is_changed_by_hand():
    there = {"P": {"P": 1}, "L": {"L": 1}, "U": {"U": 1}, "R": {"A": 1, "T": 1}, "E": {"F": 1},
             "V": {q: 1 for q in ("F", "G", "H", "TF")}, "@FAILED": {"G": 1, "TF": 1}}
    equal(_book(YES).judge(there), [])
    equal(_book(MAYBE).judge(there), [])
    equal((_book(NO).judge({}), _book(MAYBE).judge({})), ([], []))
    for queue, texts in there.items():  # each message lost, doubled, told not put
        for text in texts:
            for n in 0, 2:
                other = {**there, queue: {**texts, text: n}}
                equal(len(_book(YES).judge(other)), 1, (queue, text, n))
            equal(len(_book(NO).judge({queue: {text: 1}})), 1, (queue, text))
    elsewhere = {**there, "P": {}, "E": {"F": 1, "P": 1}}
    equal(len(_book(YES).judge(elsewhere)), 1)
    equal(len(_book(YES).judge({**there, "P": {"P": 1, "nobody's": 1}})), 1)
    equal(len(_book(MAYBE).judge({**there, "P": {}})), 1)  # half of it
    taken = {**there, "P": {}}
    equal(_book(YES, got=collections.Counter("P")).judge(taken), [])
    equal(len(_book(YES, got=collections.Counter("P")).judge(there)), 1)
    for kw in {"maybe": collections.Counter("P")}, {"unheard": 1}:
        equal(_book(YES, **kw).judge(taken), [])
        equal(len(_book(YES, **kw).judge({**taken, "L": {}})), 1)


def test_messages_are_where_their_clients_were_told():
    seed = int(os.environ.get("OW_SEED", "1"))
    with Space() as d:
        d.open()
        book, until = Book(), time.monotonic() + FIRE
        programs = [Program(d, book, i, random.Random(seed * 1000 + i)) for i in range(CLIENTS)]
        threads = [threading.Thread(target=p.run, args=(until,)) for p in programs]
        for thread in threads:
            thread.start()
        d.fire(random.Random(seed), until)
        for thread in threads:
            thread.join()
        for p in programs:
            if p.problem is not None:
                raise p.problem
        wrong = book.judge(d.settle())
        print(f"seed {seed}: {len(book.puts)} messages, {book.transactions} transactions, "
              f"{book.unheard} answers lost, {len(d.deeds)} deeds")
        if wrong:
            raise AssertionError("seed %d:\n%s\n%s" % (seed, "\n".join(wrong[:20]), d.deeds))
