# SPDX-License-Identifier: GPL-2.0-only
"""claims.py - the claims about the results, and whether they hold.

A claim is (text, held, figure): held None says that its guest did not run
in this pass. A figure that is missing although its guest ran is a failure.
"""
HERD_FACTOR = 25
SWITCHES_MOST = 2.1
STOCK_LEAST = 2.8       # else the stock kernel needs no patch
FASTER = 1.3
SHARE_MOST = 2.0
ONLY_LATE = "errors after 100 ms"  # chaos's reason if nothing else is wrong
OLD_TESTS = ("mq_open_tests", "epoll_wakeup_test")


def _ratio(a, b):
    return None if a is None or not b else a / b


def _say(value, form="%.2f"):
    return "no figure" if value is None else form % value


class Claims:
    """Collects claims over the results."""

    def __init__(self, results, ran):
        self.r, self.ran, self.all = results, ran, []

    def add(self, variants, text, held, figure):
        """One claim about these variants."""
        if not set(variants) <= set(self.ran):
            return
        self.all.append((text, bool(held), figure))

    def bound(self, variants, text, value, test, form="%.2f"):
        """A claim about one figure."""
        self.add(variants, text, value is not None and test(value),
                 _say(value, form))

    def failed(self):
        return [c for c in self.all if not c[1]]


def _speed(c):
    """Speed and context switches."""
    f = c.r.figure
    for name, one, herd in (("bare queues", "bare excl", "bare excl"),
                            ("BANK", "bank exclusive", "bank exclusive")):
        c.bound(("fixture", "legacy"),
                "%s: one woken against all, at least %d x" % (
                    name, HERD_FACTOR),
                _ratio(f("legacy", one, "calls_per_s"),
                       f("fixture", herd, "calls_per_s")),
                lambda v: v >= HERD_FACTOR, "%.1f x")
    for name, step in (("bare queues", "bare excl"),
                       ("BANK", "bank exclusive")):
        key = "ctx_switches_per_call"
        c.bound(("stock",), "%s, stock: about 3.1 switches a call (%.1f or "
                "more)" % (name, STOCK_LEAST), f("stock", step, key),
                lambda v: v >= STOCK_LEAST)
        c.bound(("patched",), "%s, patched: at most %.1f switches a call" % (
            name, SWITCHES_MOST), f("patched", step, key),
                lambda v: v <= SWITCHES_MOST)
    c.bound(("stock", "patched"),
            "bare queues, 250 x 10: patched at least %.1f x stock" % FASTER,
            _ratio(f("patched", "bare excl", "calls_per_s"),
                   f("stock", "bare excl", "calls_per_s")),
            lambda v: v >= FASTER, "%.2f x")


def _spread(c):
    """Balanced wake-ups are distributed evenly over all servers."""
    for variant, step in (("patched", "bare even"), ("stock", "bare rotate"),
                          ("patched", "bank even"), ("stock", "bank even")):
        c.bound((variant,), "%s, %s: largest share of a server below %.0f / "
                "servers" % (step, variant, SHARE_MOST),
                c.r.figure(variant, step, "largest_share"),
                lambda v: v < SHARE_MOST, "%.2f / servers")


def _say_failed(failed, known=()):
    """Names of failed tests; marked if stock fails them, too."""
    if failed is None:
        return "did not end"
    return "failed: " + (", ".join(
        n + " (as on stock)" if n in known else n for n in failed) or "none")


def _tests(c):
    """The new selftests pass, and fail on stock. Of the kernel's own, none
    fails that passes on stock: an emulated machine of one CPU is too slow for
    one of them."""
    for variant in ("patched", "debug"):
        for row in c.r.steps(variant, "selftest "):
            name = row["name"]
            failed = c.r.failed_tests(variant, name)
            text, known = "none fails", ()
            if name.endswith(OLD_TESTS):
                known = c.r.failed_tests("stock", name) or ()
                text = "none fails that passes on stock"
            c.add((variant,), "%s, %s: %s" % (name, variant, text),
                  failed is not None and set(failed) <= set(known),
                  _say_failed(failed, known))
    for name in ("mq_poll_tests", "epoll_balance_test"):
        failed = c.r.failed_tests("stock", "selftest " + name)
        c.add(("stock",), "selftest %s, stock: tells the kernels apart" %
              name, failed, "%d fail" % len(failed or ()))


def _legacy(c):
    """EPOLLEXCLUSIVE of legacy/ behaves as that of the kernel."""
    name = "selftest epoll_balance_test"
    verdicts = {v: c.r.failed_tests(v, name)
                for v in ("stock", "fixture", "legacy")}
    c.add(verdicts, "%s: legacy fails what stock fails, fixture does not" %
          name, None not in verdicts.values() and
          verdicts["legacy"] == verdicts["stock"] != verdicts["fixture"],
          ", ".join("%s %s" % (v, "did not end" if f is None else
                               "fails %d" % len(f))
                    for v, f in verdicts.items()))


def _style(c):
    """The patches follow the kernel's style."""
    for patch, said in c.r.style.items():
        c.add((), "%s: checkpatch.pl --strict" % patch, not said,
              said[-300:] or "clean")


def _chaos_held(variant, row):
    """Did the domain survive one way of killing servers? On one CPU, which runs
    either the server or the killer, no busy server can be hit. The debug
    kernel is forty times slower than others, so an error may be late there."""
    late = variant == "debug" and row["why"] == ONLY_LATE
    return ((row["clean"] or late) and not row["left_behind"] and
            (row["hits"] > 0 or row["mode"] == "busy"))


def _chaos(c, variant):
    """The kills and stops of a guest."""
    step = c.r.step(variant, "chaos")
    if step is None:
        return
    rows = c.r.objects(variant, "chaos")
    told = {(r["transport"], r["mode"]) for r in rows}
    ended = step["status"] in ((0, 1) if variant == "debug" else (0,))
    c.add((variant,), "chaos, %s: every call ends, nothing is left" % variant,
          ended and len(told) == 6 and
          all(_chaos_held(variant, r) for r in rows),
          "status %s, %s" % (step["status"], ", ".join(
              "%s %s %d hits%s" % (r["transport"], r["mode"], r["hits"],
                                   r["why"] and " (%s)" % r["why"])
              for r in rows)))


def _doctor(c):
    """xadmin doctor names the kernel it runs on."""
    wanted = {"stock": ("a receive wakes a reader too", "not known"),
              "patched": ("only a message wakes a reader", "known")}
    for variant, words in wanted.items():
        row = c.r.step(variant, "doctor")
        out = row["out"] if row else ""
        c.add((variant,), "xadmin doctor, %s: says which kernel it is" %
              variant, all('"%s"' % w in out for w in words),
              ", ".join(w for w in words if '"%s"' % w in out) or "nothing")


def judge(results, ran):
    """All claims about what ran."""
    c = Claims(results, ran)
    _speed(c)
    _spread(c)
    _tests(c)
    _legacy(c)
    _style(c)
    for variant in ran:
        _chaos(c, variant)
    _doctor(c)
    for variant in ran:
        bad = ["%s: %s %s" % (n, r["status"], r["err"].strip()[-160:])
               for n, r in results.rows[variant].items()
               if r.get("status", 0) != 0 and
               not n.startswith(("selftest", "doctor", "chaos"))]
        c.add((variant,), "%s: every step ends well" % variant, not bad,
              "; ".join(bad) or "all")
        c.add((variant,), "%s: no warning, oops or lock report" % variant,
              not results.complaints[variant],
              "; ".join(results.complaints[variant][:3]) or "none")
    return c
