# SPDX-License-Identifier: Apache-2.0
"""checks.py - what a fact asserts

A check that fails prints the value that it saw and the value or bound that it
wanted; `what` names the thing that was checked. Checks of times multiply their
upper bounds by OW_SLOW, for builds with sanitizers.
"""
import pauses
from machine import SLOW


def equal(got, want, what=""):
    if got != want:
        raise AssertionError(f"{what}: got {got!r}, want {want!r}")


def differs(got, other, what=""):
    if got == other:
        raise AssertionError(f"{what}: got {got!r}, want another value")


def at_most(value, bound, what=""):
    if not value <= bound:
        raise AssertionError(f"{what}: got {value!r}, want at most {bound!r}")


def at_least(value, bound, what=""):
    if not value >= bound:
        raise AssertionError(f"{what}: got {value!r}, want at least {bound!r}")


def between(value, low, high, what=""):
    if not low <= value <= high:
        raise AssertionError(f"{what}: got {value!r}, want {low!r} to "
                             f"{high!r}")


def contains(whole, part, what=""):
    """A word in a text, a member of a collection."""
    if part not in whole:
        raise AssertionError(f"{what}: no {part!r} in: {whole}")


def lacks(whole, part, what=""):
    if part in whole:
        raise AssertionError(f"{what}: {part!r} in: {whole}")


def one_of(value, *choices):
    if value not in choices:
        raise AssertionError(f"got {value!r}, want one of {choices!r}")


def check(condition, what):
    """For a condition without a value worth printing: `what` says what should
    be true."""
    if not condition:
        raise AssertionError(f"not true: {what}")


def ended(result, status, *words):
    """A program that was run has this exit status, and these words are in
    what it wrote to standard error."""
    said = f"{result.args}: exit status {result.returncode}\n" \
           f"{result.stdout}{result.stderr}"
    if result.returncode != status:
        raise AssertionError(f"want exit status {status}: {said}")
    for word in words:
        if word not in result.stderr:
            raise AssertionError(f"want {word!r} on standard error: {said}")


def soon(ms, bound, what="time"):
    """One time in ms, or the longest of many. Pauses of the machine during the
    fact move the bound: a request cannot be answered in them."""
    paused = pauses.worst_ms(max(ms, bound * SLOW))
    if not ms <= bound * SLOW + paused:
        raise AssertionError(f"{what}: {ms:.1f} ms, want at most "
                             f"{bound * SLOW:g} and {paused:.0f} of pauses")


def near(ms, low, high, what="time"):
    """One time in ms. As one sample may meet a busy moment of the machine,
    `high` stands where another cause would begin (the end of the service, the
    poll once a second, the default time-out)."""
    at_least(ms, low, what)
    soon(ms, high, what)


def promptly(samples, median, p95, what="times"):
    """Many times in ms: half of them are at most `median`, 19 of 20 (of fewer:
    all but one) at most `p95`. A busy moment of the machine delays a few; a
    broken promise moves the median."""
    ordered = sorted(samples)
    late = max(1, len(ordered) // 20)  # may be later than p95
    seen = (ordered[len(ordered) // 2], ordered[-1 - late])
    if seen[0] > median * SLOW or seen[1] > p95 * SLOW:
        raise AssertionError(
            f"{what}: median {seen[0]:.1f} ms, want at most "
            f"{median * SLOW:g}; 95th percentile {seen[1]:.1f} ms, want at "
            f"most {p95 * SLOW:g}: {[round(ms, 1) for ms in ordered]}")
