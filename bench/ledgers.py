# SPDX-License-Identifier: Apache-2.0
"""ledgers.py - the auditor of transfers: row by row, coin by coin

A sum can be right because two errors cancel. So every transfer leaves its number
wherever it was: a row in the ledger of a database, (id, account, amount), and a
coin that carries the id. Compared are the ledger with each balance, the rows and
coins of a transfer with each other, and all with what its client was told.
"""


class Books:
    """What is there: told {id: (from, to, what, coin taken)}; balances {database:
    {account: balance}}; rows {database: [(id, account, amount)]}; coins {queue:
    [id]}, all that are left; begun {database: balance of each account}, minted:
    ids of the coins at the beginning."""

    def __init__(self, told, balances, rows, coins, begun, minted):
        self.told, self.balances, self.rows = told, balances, rows
        self.coins, self.begun, self.minted = coins, begun, minted
        self.by_id = {d: {r[0]: r for r in rs} for d, rs in rows.items()}
        self.left = {}  # coin: queues where it is
        for queue, ids in coins.items():
            for i in ids:
                self.left.setdefault(i, []).append("Q:" + queue)
        self.takers = {}  # coin: ids of transfers that have taken it
        for i, (_, _, _, coin) in told.items():
            if coin:
                self.takers.setdefault(coin, []).append(i)

    # ---- one database ----

    def _accounts(self):
        for name, accounts in self.balances.items():
            sums = dict.fromkeys(accounts, self.begun)
            for i, account, amount in self.rows[name]:
                sums[account] = sums.get(account, 0) + amount
            for account, balance in accounts.items():
                if sums[account] != balance:
                    yield "%s: account %d has %d, its ledger says %d" % (
                        name, account, balance, sums[account])

    def _rows(self):
        for name, rows in self.rows.items():
            if len({r[0] for r in rows}) != len(rows):
                yield "%s: a transfer has two rows" % name
            for i, _, amount in rows:
                if i not in self.told:
                    yield "%s: nobody has made transfer %d" % (name, i)
                    continue
                source, target, _, _ = self.told[i]
                want = -1 if source == name else 1 if target == name else 0
                if amount != want:
                    yield "%s: transfer %d has moved %d, not %d" % (
                        name, i, amount, want)

    # ---- one transfer ----

    def _was_there(self, coin, queue):
        """Has this coin been in this queue? It is, or a transfer that happened
        has taken it out of it."""
        return queue in self.left.get(coin, []) or any(
            self.told[t][0] == queue and self.happened[t] is not False
            for t in self.takers.get(coin, []))

    def _traces(self, i):
        """(place, is there a trace of transfer i?). A row says it for sure."""
        source, target, _, coin = self.told[i]
        for place in source, target:
            if place in self.by_id:
                yield place, i in self.by_id[place]
        if target.startswith("Q:"):
            yield target, self._was_there(i, target)
        if source.startswith("Q:") and coin:
            yield source, source not in self.left.get(coin, [])

    def _decide(self):
        """{id: did it happen?}: as told; of unknown ones as rows say, and None
        where only coins could."""
        self.happened = {}
        for i, (source, target, what, _) in self.told.items():
            rows = [i in self.by_id[p] for p in (source, target)
                    if p in self.by_id]
            self.happened[i] = what == "done" if what != "unknown" else \
                all(rows) if rows else None
        for i in [i for i, h in self.happened.items() if h is None]:
            self.happened[i] = i in self.left or any(
                self.happened[t] is not False for t in self.takers.get(i, []))

    def _transfers(self):
        for i in self.told:
            source, target, what, coin = self.told[i]
            for place, trace in self._traces(i):
                # A coin that it gave back may have been taken by others.
                if place == source and coin and not self.happened[i] and any(
                        self.happened[t] for t in self.takers[coin]):
                    continue
                if trace != self.happened[i]:
                    yield "transfer %d, %s to %s, told %s: %s in %s" % (
                        i, source, target, what,
                        "a trace" if trace else "no trace", place)
            if what == "done" and source.startswith("Q:") and not coin:
                yield "transfer %d: done, and no coin taken" % i

    # ---- coins ----

    def _coins(self):
        known = self.minted | {
            i for i, (_, target, _, _) in self.told.items()
            if target.startswith("Q:") and self.happened[i]}
        for coin, queues in self.left.items():
            if len(queues) > 1:
                yield "coin %d is there %d times" % (coin, len(queues))
            if coin not in known:
                yield "coin %d: nobody has put it" % coin
        for coin in known:
            taken = [t for t in self.takers.get(coin, []) if self.happened[t]]
            if len(taken) + len(self.left.get(coin, [])) != 1:
                yield "coin %d: taken by %s, and left in %s" % (
                    coin, taken, self.left.get(coin, []))

    def problems(self):
        """Everything that is wrong, as lines."""
        self._decide()
        return [*self._accounts(), *self._rows(), *self._transfers(),
                *self._coins()]
