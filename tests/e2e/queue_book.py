# SPDX-License-Identifier: Apache-2.0
"""queue_book.py - what clients of durable queues were told, and what must be so then

Each message has a text of its own, CLIENT.NUMBER. A put that was not answered may have
happened or not. A take outside of a transaction names its message first, so one that was not
answered may have taken this one, or nothing. The work of a transaction whose end nobody knows
happened as a whole or not at all. Everything else is where its client was told, once."""
import collections
import dataclasses
import threading

__all__ = ["AUTO", "Book", "ENDS", "MAYBE", "NO", "PLAIN", "Put", "YES"]

YES, NO, MAYBE = "yes", "no", "maybe"
PLAIN, AUTO = ("P", "L", "U", "O"), ("A", "F", "G", "H", "T", "TF")
ENDS = (*PLAIN, "R", "E", "V", "@FAILED")  # where something may stay


@dataclasses.dataclass
class Put:
    queue: str
    reply: str    # R, NOWHERE, ""
    failure: str  # V, NOWHERE, ""
    told: str
    tx: object = None  # the number of its transaction
    prio: int = 50

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


def _numbers(text):
    client, number = text.split(".")
    return client, int(number)


def _place(queue, put, text):
    """What a queue is in the order of its mode, as far as one client knows it."""
    number = _numbers(text)[1]
    return {"L": (0, -number), "U": (-put.prio, number)}.get(queue, (0, number))


class Book:
    """What clients were told."""

    def __init__(self):
        self.lock = threading.Lock()
        self.puts = {}                        # text -> Put
        self.got = collections.Counter()      # texts that were taken
        self.unheard = collections.Counter()  # that may have been taken, outside of transactions
        self.seen = set()                     # that somebody has read, taken or not
        self.taken = collections.defaultdict(list)  # transaction of unknown end -> texts
        self.transactions = 0

    def note_put(self, text, put):
        self.puts[text] = put

    def note_taken(self, text, err):
        """Outside of a transaction, the message of this name; OK, MAYBE."""
        (self.got if err == "OK" else self.unheard)[text] += 1

    def note_transaction(self, told, puts, taken):
        self.transactions += 1
        for text, put in puts.items():
            put.told = told if put.told != NO else NO
            put.tx = self.transactions
            self.puts[text] = put
        if told == YES:
            self.got.update(taken)
        elif told == MAYBE:
            self.taken[self.transactions] = taken

    def _places(self, text, left):
        p, places = self.puts[text], collections.Counter()
        for queue in ENDS:
            main = queue == (p.queue if p.queue in PLAIN else "R")
            places["main" if main else queue] += left.get(queue, {}).get(text, 0)
        places["main"] += self.got[text]
        return {k: v for k, v in places.items() if v}

    def _takers(self, text):
        """Those who may have it: transactions, and None for each other one."""
        return [tx for tx, texts in self.taken.items() for _ in range(texts.count(text))] + \
            [None] * self.unheard[text]

    def _wrong_place(self, text, left):
        p, places = self.puts[text], self._places(text, left)
        fates = [] if p.told == NO else p.fates()
        if p.told == NO or (p.told == MAYBE and text not in self.seen):
            fates = fates + [{}]
        if self._takers(text):  # it may be in nobody's hands
            fates = fates + [{k: v for k, v in f.items() if k != "main"} for f in fates
                             if f.get("main")]
        if p.told == NO and text in self.seen:
            return f"{text}: {p}: somebody has read it"
        return None if places in fates else f"{text}: {p}: {places}, not {fates}"

    def _signs(self, tx, left):
        """Of a transaction of unknown end: has it happened? A sign for each of its messages
        that tells."""
        for text, p in self.puts.items():
            if p.tx == tx and p.told == MAYBE:
                if text in self.seen or self._places(text, left):
                    yield True
                elif {} not in p.fates() and not self._takers(text):
                    yield False
        for text in self.taken.get(tx, ()):
            told = self.puts[text].told if text in self.puts else MAYBE
            if left.get(self._main(text), {}).get(text, 0) or self.got[text]:
                yield False
            elif told == YES and self._takers(text) == [tx]:
                yield True

    def _main(self, text):
        queue = self.puts[text].queue if text in self.puts else "R"
        return queue if queue in PLAIN else "R"

    def _halves(self, left):
        doubtful = {p.tx for p in self.puts.values() if p.tx and p.told == MAYBE}
        return [f"half of transaction {tx} has happened" for tx in doubtful | set(self.taken)
                if len(set(self._signs(tx, left))) > 1]

    def _disorder(self, left):
        """In the order in which they were drained, what one client has put is in the order of
        the queue's mode; not what it does not know to be put."""
        last = {}
        for queue in PLAIN:
            for text in left.get(queue, ()):
                p = self.puts.get(text)
                if p is None or p.told != YES:
                    continue
                client = _numbers(text)[0]
                before = last.get((queue, client))
                if before and _place(queue, self.puts[before], before) > _place(queue, p, text):
                    yield f"{text} comes after {before} in {queue}"
                last[queue, client] = text

    def judge(self, left):
        """What is wrong, as texts. `left`: queue -> text -> how often, as they were drained."""
        wrong = [self._wrong_place(text, left) for text in self.puts]
        nobodys = {(text, queue) for queue, texts in left.items() for text in texts} | \
            {(text, "hands") for text in (*self.got, *self.seen)}
        return [w for w in wrong if w] + self._halves(left) + list(self._disorder(left)) + \
            [f"{text}, in {queue}: nobody has put it" for text, queue in sorted(nobodys)
             if text not in self.puts]
