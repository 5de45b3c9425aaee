# SPDX-License-Identifier: Apache-2.0
"""Messages that a generator puts and takes, in and outside of transactions, into queues of all
kinds, while tmqueue and tmsrv are killed, stopped and restarted in order: afterwards each is where
its client was told that it is, once. OW_SEED=n: another series; OW_SECONDS: longer."""
import collections
import os
import random
import signal
import threading
import time

from checks import equal
from fixture import BUILD, kill, wait_for
from machine import LONG, SECONDS
from queue_book import AUTO, ENDS, MAYBE, NO, PLAIN, YES, Book, Put
from trans import Trans

COST = 40
QUEUE_KB = 80

CLIENTS = 4
MIXED = ("P", "L", "U")  # of all clients
REFUSED = ("TPENOENT", "TPEBLOCK", "TPEDIAGNOSTIC")  # nothing was done
DOOMED = ("TPESVCERR", "TPESYSTEM", "TPEOS")  # nothing of the transaction is done
FIRE = SECONDS or (120 if LONG else 8)
PAUSES = "waitretry=20ms,waitretrymax=100ms"
CONF = f"""P
O
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


class Program:
    """A client that puts and takes until its time is over."""

    def __init__(self, t, book, number, rnd):
        self.book, self.number, self.rnd, self.count = book, number, rnd, 0
        self.client, self.other = t.client(NDRX_TOUT="8"), t.client(NDRX_TOUT="8")
        self.problem = None

    def _deed(self):
        return self.rnd.choices((self._transaction, self._put_alone, self._take_alone,
                                 self._put_and_take), (4, 3, 2, 1))[0]

    def run(self, until):
        try:
            while time.monotonic() < until:
                self._deed()()
        except BaseException as e:
            self.problem = e

    def _put(self, queue=None, corrid=None):
        """The text, what is put, and the error."""
        chance = self.rnd.random
        queue = queue or self.rnd.choice(MIXED + MIXED + AUTO)
        reply = self.rnd.choice(("R", "R", "NOWHERE", "")) if queue in AUTO else ""
        failure = self.rnd.choice(("V", "NOWHERE", ""))
        prio = self.rnd.choice((50, 50, 1, 7, 100))
        if corrid is None and chance() < 0.3:
            corrid = self.rnd.choice("abc")
        opts = [o for o, wanted in (
            (f"reply={reply}", reply), (f"fail={failure}", failure), (f"corrid={corrid}", corrid),
            (f"prio={prio}", prio != 50), ("rel=1", queue != "O" and chance() < 0.15)) if wanted]
        self.count += 1
        text = f"{self.number}.{self.count}"
        data = f"{text}-{self.rnd.choice((0, 0, 10, 5000)) * 'x'}"
        r = self.client("enq", "S", queue, "-", ",".join(opts) or "-", f"STRING:{data}")
        return text, Put(queue, reply, failure, MAYBE, prio=prio), r.err

    def _deq(self, queue, opts):
        """The text, or None; the error; the message's id. What is read here, whatever becomes
        of it, was put."""
        if "wait" in opts:
            self.client("tout", 2)
        r = self.client("deq", "S", queue, "-", ",".join(opts) or "-")
        if "wait" in opts:
            self.client("tout", 8)
        text = r.data.split("-")[0] if r.err == "OK" else None
        if text is not None:
            with self.book.lock:
                self.book.seen.add(text)
        return text, r.err, r.event.split("msgid=")[1].split(";")[0]

    def _some(self):
        """A queue, and which of its messages."""
        return self.rnd.choice((*MIXED, "R")), \
            ["bycorrid=" + self.rnd.choice("abc")] if self.rnd.random() < 0.2 else []

    def _note_put(self, text, put, err):
        put.told = YES if err == "OK" else NO if err in REFUSED else MAYBE
        with self.book.lock:
            self.book.note_put(text, put)

    def _put_alone(self):
        self._note_put(*self._put())

    def _take(self, text, queue, opts):
        """The message `text`, which `opts` name: the error."""
        got, err, _ = self._deq(queue, opts)
        if err == "OK":
            equal(got, text)
        with self.book.lock:
            if err not in REFUSED:
                self.book.note_taken(text, err)
        return err

    def _take_alone(self):
        queue, opts = self._some()
        text, err, msgid = self._deq(queue, ["peek", *opts])
        if err == "OK":
            self._take(text, queue, [f"msgid={msgid}"])

    def _put_and_take(self):
        """Its own one, which may be delayed."""
        name, queue = f"c{self.number}.{self.count}", self.rnd.choice(MIXED)
        text, put, err = self._put(queue, name)
        self._note_put(text, put, err)
        if err == "OK":
            self._take(text, queue, ["wait", f"bycorrid={name}"])

    def _move(self):
        """Another process goes on with the transaction. False: it cannot."""
        r = self.client("tx", "suspend")
        if r.err != "OK":
            return True
        self.client, self.other = self.other, self.client
        return self.client("tx", "resume", r.data).err == "OK"

    def _work(self, puts, taken, errors):
        """False: the transaction is lost."""
        for _ in range(self.rnd.randint(1, 4)):
            if self.rnd.random() < 0.6:
                text, put, err = self._put()
                puts[text] = put
                put.told = MAYBE if err == "OK" else NO
            else:
                queue, opts = self._some()
                text, err, _ = self._deq(queue, opts + ["wait"] * (self.rnd.random() < 0.2))
                taken += [text] if text is not None else []
            errors.add(err)
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
        puts, taken, errors = {}, [], set()
        told = self._end() if self._work(puts, taken, errors) else NO
        if told == YES:
            equal(errors.intersection(DOOMED), set(), "committed")
        with self.book.lock:
            self.book.note_transaction(told, puts, taken)


class Stream(Program):
    """It alone has the queue O, from which messages come in order, whatever happens."""

    next = waiting = 0

    def _deed(self):
        return self._take_next if self.waiting > self.rnd.randint(0, 30) else self._put_next

    def _put_next(self):
        text, put, err = self._put("O")
        self._note_put(text, put, err)
        self.waiting += err == "OK"
        if err != "OK":
            time.sleep(0.05)

    def _take_next(self):
        text, err, msgid = self._deq("O", ["peek"])
        if err != "OK":
            self.waiting -= err == "TPEDIAGNOSTIC"  # there is none
            return
        number = int(text.split(".")[1])
        if number < self.next:
            raise AssertionError(f"{text} comes after number {self.next - 1}")
        err = self._take(text, "O", [f"msgid={msgid}"])
        self.next = number + (err == "OK")
        self.waiting -= err == "OK"


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
            equal((r.err, r.event.split(";")[0]), ("TPEDIAGNOSTIC", "diag=-11"), r.text)
        equal([(r.queue, r.queued) for r in self.rows("mqlq") if r.queued], [], "drained")
        return left


def _book(told):
    """A message in each kind of queue, all of one transaction; QUEUE.1."""
    book = Book()
    book.note_transaction(told, {f"{queue}.1": Put(queue, "R" if queue in AUTO else "", "V", MAYBE)
                                 for queue in (*PLAIN, *AUTO)}, [])
    return book


def _left(**queues):
    """Queue -> text -> how often; of words: QUEUE.1 ..."""
    return {queue.replace("FAILED", "@FAILED"): collections.Counter(words.split())
            for queue, words in queues.items()}


def _wrong(book, left, n=1):
    wrong = book.judge(left)
    equal(len(wrong), n, wrong)


ALL = {"P": "P.1", "O": "O.1", "L": "L.1", "U": "U.1", "R": "A.1 T.1", "E": "F.1",
       "V": "F.1 G.1 H.1 TF.1", "FAILED": "G.1 TF.1"}


def test_the_book_notices_what_is_changed_by_hand():
    there = _left(**ALL)
    for told in YES, MAYBE:
        _wrong(_book(told), there, 0)
    for told in NO, MAYBE:
        _wrong(_book(told), {}, 0)
    for queue, texts in there.items():  # each message lost, doubled, told not put
        for text in texts:
            for n in 0, 2:
                _wrong(_book(YES), {**there, queue: {**texts, text: n}})
            _wrong(_book(NO), {queue: {text: 1}})
            _wrong(_book(MAYBE), {**there, queue: {**texts, text: 2}})
    _wrong(_book(YES), {**there, **_left(P="", E="F.1 P.1")})
    _wrong(_book(YES), {**there, **_left(P="P.1 X.1")})


def test_the_book_notices_half_of_a_transaction():
    for queue in PLAIN:
        _wrong(_book(MAYBE), {**_left(**ALL), **_left(**{queue: ""})})
        _wrong(_book(MAYBE), _left(**{queue: f"{queue}.1"}))
    book = _book(YES)
    book.note_transaction(MAYBE, {"P.2": Put("P", "", "", MAYBE)}, ["L.1"])
    _wrong(book, _left(**ALL), 0)
    _wrong(book, {**_left(**ALL), **_left(P="P.1 P.2", L="")}, 0)
    _wrong(book, {**_left(**ALL), **_left(P="P.1 P.2")})
    _wrong(book, {**_left(**ALL), **_left(L="")})
    book.seen.add("P.2")  # so it had been put
    _wrong(book, _left(**ALL), 2)


def test_a_doubtful_take_excuses_its_message_and_no_other():
    book, there = _book(YES), _left(**ALL)
    book.note_taken("P.1", MAYBE)
    _wrong(book, there, 0)
    _wrong(book, {**there, **_left(P="")}, 0)
    _wrong(book, {**there, **_left(P="", L="")})
    _wrong(book, {**there, **_left(P="P.1 P.1")})
    book.note_taken("L.1", "OK")
    _wrong(book, there)
    _wrong(book, {**there, **_left(L="")}, 0)
    book = _book(NO)
    _wrong(book, {}, 0)
    book.seen.add("P.1")
    _wrong(book, {})
    book.seen.add("X.1")
    _wrong(book, {}, 2)


def test_the_book_notices_disorder():
    book = _book(YES)
    for queue, prio, number in ("P", 50, 2), ("P", 50, 3), ("L", 50, 2), ("U", 7, 2), ("U", 90, 3):
        book.note_put(f"{queue}.{number}", Put(queue, "", "", YES, prio=prio))
    right = {**_left(**ALL), **_left(P="P.1 P.2 P.3", L="L.2 L.1", U="U.3 U.1 U.2")}
    _wrong(book, right, 0)
    for other in {"P": "P.2 P.1 P.3"}, {"P": "P.1 P.3 P.2"}, {"L": "L.1 L.2"}, \
            {"U": "U.1 U.3 U.2"}, {"U": "U.3 U.2 U.1"}:
        _wrong(book, {**right, **_left(**other)})
    book.puts["P.2"].told = MAYBE
    _wrong(book, {**right, **_left(P="P.2 P.1 P.3")}, 0)


def test_messages_are_where_their_clients_were_told():
    seed = int(os.environ.get("OW_SEED", "1"))
    with Space() as d:
        d.open()
        book, until = Book(), time.monotonic() + FIRE
        programs = [kind(d, book, i, random.Random(seed * 1000 + i))
                    for i, kind in enumerate([Program] * CLIENTS + [Stream])]
        threads = [threading.Thread(target=p.run, args=(until,)) for p in programs]
        for thread in threads:
            thread.start()
        d.fire(random.Random(seed), until)
        for thread in threads:
            thread.join()
        for p in programs:
            if p.problem is not None:
                raise p.problem
        left = d.settle()
        wrong = book.judge(left)
        print(f"seed {seed}: {len(book.puts)} messages, {book.transactions} transactions, "
              f"{len(book.taken)} of unknown end, {sum(book.unheard.values())} takes, "
              f"{sum(left['P'].values())} left in P, {len(d.deeds)} deeds")
        if wrong:
            raise AssertionError("seed %d:\n%s\n%s" % (seed, "\n".join(wrong[:20]), d.deeds))
