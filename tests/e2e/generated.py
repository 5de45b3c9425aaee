# SPDX-License-Identifier: Apache-2.0
"""generated.py - transactions made at random, and the book of what clients were told

Each addition has an amount of its own, each message a text of its own: so afterwards it can be
said of each piece of work whether it is there, once, and whether that is what was told.
"""
import itertools
import threading
import time

from machine import SLOW

__all__ = ["MAYBE", "NO", "YES", "Book", "Program", "Tx"]

YES, NO, MAYBE = "yes", "no", "maybe"
# What dooms nothing, because nothing was done (doc/design/transactions.md).
HARMLESS = {"TPENOENT", "TPEITYPE", "TPEBLOCK", "TPEINVAL"}


class Tx:
    """One transaction, as its client sees it."""

    def __init__(self, seconds):
        self.seconds = seconds
        self.work = []	     # (rm, amount), of steps that have succeeded
        self.touched = []    # the same, of steps that have failed
        self.puts, self.takes, self.sends = [], [], []  # texts; (amount) sent on by F
        self.tries = []      # the same by G, which gives up: in E then
        self.log = []
        self.doomed = self.lost = False
        self.told = None     # of the end: YES, NO, MAYBE

    def steps(self):
        return f"begin {self.seconds}; " + "; ".join(self.log)


class Book:
    def __init__(self):
        self.lock = threading.Lock()
        self.numbers = itertools.count(1)
        self.txs = []
        self.outside = {}  # amount -> (rm, YES, NO, MAYBE, what)

    def number(self):
        with self.lock:
            return next(self.numbers)

    def note(self, amount, rm, fate, what):
        with self.lock:
            self.outside[amount] = (rm, fate, what)

    def add(self, tx):
        with self.lock:
            self.txs.append(tx)

    def summary(self):
        told = [t.told for t in self.txs]
        return (f"{len(told)} transactions, committed {told.count(YES)}, rolled back "
                f"{told.count(NO)}, unknown {told.count(MAYBE)}, "
                f"{len(self.outside)} outside")

    # ---- judged ----

    def _judge_work(self, tx, there):
        pieces = tx.work + tx.touched + [(2, a) for a in tx.sends]
        is_there = [there.get(a) == (rm, 1) for rm, a in pieces]
        twice = [a for rm, a in pieces if a in there and there[a] != (rm, 1)]
        if twice:
            return f"DONE TWICE, or elsewhere: {twice}"
        if tx.told == YES and not all(is_there[:len(tx.work)] +
                                      is_there[len(tx.work) + len(tx.touched):]):
            return "COMMITTED, AND NOT ALL IS THERE"
        if tx.told == YES and any(is_there[len(tx.work):len(tx.work) + len(tx.touched)]):
            return "COMMITTED, WITH WORK THAT WAS TOLD NOT DONE"
        if tx.told == NO and any(is_there):
            return "ROLLED BACK, AND SOME IS THERE"
        done = is_there[:len(tx.work)] + is_there[len(tx.work) + len(tx.touched):]
        if tx.told == MAYBE and any(is_there) and not all(done):
            return "HALF OF IT IS THERE"
        return None

    def _judge_messages(self, left):
        wrong, puts, takers, seen = [], {}, {}, {}
        for tx in self.txs:
            for text in tx.puts:
                puts[text] = tx
            for text in tx.takes:
                takers.setdefault(text, []).append(tx)
        for text in left:
            seen[text] = seen.get(text, 0) + 1
        for text, tx in puts.items():
            took = [t.told for t in takers.get(text, [])]
            n = seen.get(text, 0)
            what = None
            if n > 1 or took.count(YES) > 1 or (n and YES in took):
                what = "DOUBLED"
            elif tx.told == NO and (n or took):
                what = "NEVER PUT, AND SEEN"
            elif tx.told == YES and not n and YES not in took and MAYBE not in took:
                what = "LOST"
            if what:
                wrong.append(f"message {text}: {what}: put: {tx.told}: {tx.steps()}; taken: "
                             f"{[(t.told, t.steps()) for t in takers.get(text, [])]}; "
                             f"left {n}")
        wrong += [f"message {t}: nobody has put it" for t in [*takers, *seen] if t not in puts]
        return wrong

    def _judge_tries(self, there, failed):
        """What G has sent on is done, or has failed for good: one of both, once."""
        wrong, mine = [], set()
        for tx in self.txs:
            n = [(there[a][1] if a in there else 0) + failed.count(a) for a in tx.tries]
            mine.update(tx.tries)
            if any(i > 1 for i in n) or (tx.told == YES and 0 in n) or \
                    (tx.told == NO and any(n)):
                wrong.append(f"tried: told {tx.told}, {tx.tries}: {n}: {tx.steps()}")
        return wrong + [f"failed: {a}: nobody has tried it" for a in failed if a not in mine]

    def judge(self, there, left, failed=()):
        """What is wrong, as texts. `failed`: amounts that G has given up."""
        wrong = self._judge_tries(there, list(failed))
        for tx in self.txs:
            what = self._judge_work(tx, there)
            if tx.told == YES and tx.doomed:
                what = "COMMITTED, AND IT WAS DOOMED"
            if what:
                wrong.append(f"{what}: {tx.steps()}: work {tx.work}, failed {tx.touched}, "
                             f"there {[a for _, a in tx.work + tx.touched if a in there]}")
        for amount, (rm, fate, what) in self.outside.items():
            n = there.get(amount, (rm, 0))
            if n[0] != rm or n[1] > 1 or (fate == YES and n[1] != 1) or (fate == NO and n[1]):
                wrong.append(f"outside: {what}: told {fate}, done {n}")
        return wrong + self._judge_messages(left)


class Program:
    """A client that runs transactions until its time is over."""

    def __init__(self, d, book, rnd, services):
        """`services`: their resource managers, for calls in calls."""
        self.d, self.book, self.rnd = d, book, rnd
        self.services = sorted(services.items())
        env = rnd.choice(({}, d.queue_env()))
        self.client, self.other = d.caller(env), d.caller(env)
        self.problem = None

    def run(self, until):
        try:
            while time.monotonic() < until:
                self.transaction()
        except Exception as e:  # for the thread that waits
            self.problem = e

    def say(self, *words):
        return self.client(*words, seconds=40 / SLOW)

    # ---- the work of a service, as words ----

    def _words(self, rm, tx_adds, out_adds, is_call=True):
        """Words for a service of resource manager `rm` (0: none); what they add in the
        transaction, and outside of it."""
        rnd, words, last = self.rnd, [], []
        for _ in range(rnd.randint(1, 2)):
            kind = rnd.choices(("add", "call", "nocall", "converse", "sleep", "autotran"),
                               (5, 3, 1, 1, 1, 1))[0]
            n = self.book.number()
            svc, at = rnd.choice(self.services)
            if kind == "add" and rm != 0:
                words.append(f"add:{n}")
                tx_adds.append((rm, n))
            elif kind in ("call", "converse"):
                words.append(f"{kind}:{svc}:add:{n}")
                tx_adds.append((at, n))
            elif kind == "nocall":
                words.append(f"nocall:{svc}:add:{n}")
                out_adds.append((at, n))
            elif kind == "autotran":
                words.append(f"call:BT:add:{n}")
                tx_adds.append((2, n))
            elif kind == "sleep":
                words.append(f"sleep:{rnd.choice((1, 20, 400))}")
        if is_call and rnd.random() < 0.2:
            n = self.book.number()
            svc, at = rnd.choice(self.services)
            last.append(f"forward:{svc}:add:{n}")
            tx_adds.append((at, n))
        elif rnd.random() < 0.12:
            last.append(rnd.choice(("fail", "die", "leave", "acall:N:sleep:1", "exit",
                                    "nocall:NONE:x", "call:NONE:x") +
                                   (("forward:NONE:x",) if is_call else ())))
        if is_call and rnd.random() < 0.15 and not last:
            words.insert(0, "thread")
        return words + last

    # ---- steps ----

    def _done(self, tx, what, r, adds, out):
        err = r.err if r.err != "OK" or r.ret >= 0 else "?"
        tx.log.append(f"{what}: {err}")
        if err == "OK":
            tx.work += adds
        else:
            tx.touched += adds
            tx.doomed |= err not in HARMLESS
        for rm, n in out:
            self.book.note(n, rm, YES if err == "OK" else MAYBE, f"{what}: {err}")

    def _call(self, tx):
        svc, rm = self.rnd.choice((*self.services, ("N", 0), ("BT", 2)))
        adds, out = [], []
        words = " ".join(self._words(rm, adds, out))
        short = self.rnd.random() < 0.1
        if short:
            self.say("blktime", "TPBLK_NEXT", 1)
        if self.rnd.random() < 0.25:
            r = self.say("acall", svc, "-", f"STRING:{words}")
            if r.err == "OK":
                r = self.say("getrply", r.ret, "-")
        else:
            r = self.say("call", svc, "-", f"STRING:{words}")
        self._done(tx, f"{svc} {words}{' (1 s)' if short else ''}", r, adds, out)

    def _converse(self, tx):
        svc, rm = self.rnd.choice((("A", 1), ("B", 2), ("N", 0)))
        adds, out = [], []
        words = " ".join(self._words(rm, adds, out, False))
        r = self.say("connect", svc, "TPRECVONLY", f"STRING:{words}")
        if r.err == "OK":
            r = self.say("recv", r.ret, "-")
            r["ret"], r["err"] = (0, "OK") if r.event == "SVCSUCC" else (-1, r.event)
        self._done(tx, f"conversation {svc} {words}", r, adds, out)

    def _absent(self, tx):
        r = self.say("call", "NONE", "-", "STRING:x")
        self._done(tx, "NONE", r, [], [])

    def _database(self, tx):
        db = self.rnd.choice(self.d.databases)
        n = self.book.number()
        r = self.say("call", db.SVC, "-", f"STRING:insert into led values ({n})")
        self._done(tx, f"{db.SVC} {n}", r, [(db.RMID, n)], [])

    def _elsewhere(self, tx):
        """Another process goes on with it for a while. It is lost if nobody gets it back:
        then nobody asks for commit."""
        r = self.say("tx", "suspend")
        tx.log.append(f"suspend: {r.err}")
        if r.err != "OK":
            tx.doomed |= r.err != "TPEPROTO"
            return
        for c in (self.other, self.client):
            back = c("tx", "resume", r.data, seconds=40 / SLOW)
            tx.log.append(f"resume: {back.err}")
            if back.err != "OK":
                tx.lost = c is self.client
                continue
            if c is self.client:
                return
            self.client, self.other = self.other, self.client
            self._call(tx)
            again = self.say("tx", "suspend")
            self.client, self.other = self.other, self.client
            tx.log.append(f"suspend: {again.err}")
            if again.err != "OK":
                self.other("tx", "abort", seconds=40 / SLOW)
                tx.lost = True
                return

    def _left_open(self, tx):
        n = self.book.number()
        r = self.say("acall", "A", "-", f"STRING:add:{n}")
        tx.log.append(f"left open A add:{n}: {r.err}")
        tx.touched.append((1, n))
        tx.doomed |= r.err == "OK" or r.err not in HARMLESS

    def _put(self, tx):
        text = f"m{self.book.number()}"
        r = self.say("enq", "S", "Q", "-", "-", f"STRING:{text}")
        tx.log.append(f"put {text}: {r.err} {r.event[:8]}")
        if r.err == "OK":
            tx.puts.append(text)
        else:
            tx.doomed |= r.err not in HARMLESS and r.err != "TPEDIAGNOSTIC"

    def _send_on(self, tx):
        n = self.book.number()
        to, sent = self.rnd.choice((("F", tx.sends), ("G", tx.tries)))
        r = self.say("enq", "S", to, "-", "-", f"STRING:add:{n}")
        tx.log.append(f"send on {n} by {to}: {r.err}")
        if r.err == "OK":
            sent.append(n)
        else:
            tx.touched.append((2, n))
            tx.doomed |= r.err not in HARMLESS and r.err != "TPEDIAGNOSTIC"

    def _take(self, tx):
        r = self.say("deq", "S", "Q", "-", self.rnd.choice(("-", "-", "wait")))
        tx.log.append(f"take {r.data}: {r.err} {r.event[:8]}")
        if r.err == "OK":
            tx.takes.append(r.data)

    def _wait(self, tx):
        time.sleep(self.rnd.choice((0.01, 0.3, 1.1)))

    def transaction(self):
        rnd = self.rnd
        tx = Tx(rnd.choice((1, 3, 20, 20, 20)))
        if rnd.random() < 0.15:
            self._alone()
            return
        r = self.say("tx", "begin", tx.seconds)
        if r.err != "OK" or r.ret != 0:
            return
        steps = (self._call, self._converse, self._absent, self._left_open, self._put,
                 self._send_on, self._take, self._wait, self._elsewhere, self._database)
        weights = (10, 2, 1, 0.3, 4, 2, 4, 0.7, 1.2, 6 if self.d.databases else 0)
        for _ in range(rnd.randint(1, 5)):
            rnd.choices(steps, weights)[0](tx)
            if tx.lost:
                tx.told = NO
                self.book.add(tx)
                return
        end = rnd.choices(("commit", "abort"), (8, 1))[0]
        r = self.say("tx", end)
        tx.log.append(f"{end}: {r.err}")
        if end == "abort":
            tx.told = NO
        else:
            tx.told = YES if r.err == "OK" else NO if r.err == "TPEABORT" else MAYBE
        if tx.told == MAYBE and tx.doomed:
            tx.told = NO  # whatever it was told: it may not be there
        self.book.add(tx)

    def _alone(self):
        """A call without a transaction, of a service that has one of its own."""
        n = self.book.number()
        more = self.rnd.choice(("", "", " fail", " sleep:300", f" call:A:sleep:1"))
        r = self.say("call", "BT", "-", f"STRING:add:{n}{more}")
        fate = YES if r.err == "OK" else NO if r.err in ("TPENOENT", "TPESVCFAIL") else MAYBE
        self.book.note(n, 2, fate, f"BT add:{n}{more}: {r.err}")
