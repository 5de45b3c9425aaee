# SPDX-License-Identifier: Apache-2.0
"""openmetrics.py - a strict parser of OpenMetrics text

    families = parse(text)
    value(families, "onewake_service_calls", service="ECHO", result="ok")

The parser refuses what the standard forbids:
order of lines, names and suffixes, units, types, label syntax, duplicate
series, families in pieces, buckets that fall or have no +Inf, counts that
disagree, a missing end.
"""
import math
import re

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,|$)')
SAMPLE = re.compile(rf"({NAME})(?:\{{(.*?)\}})? (\S+)(?: # \{{(.*)\}} (\S+) (\S+))?$")
META = re.compile(rf"# (TYPE|UNIT|HELP) ({NAME}) (.+)$")
SUFFIXES = {"counter": {"_total"}, "gauge": {""}, "info": {"_info"},
            "histogram": {"_bucket", "_count", "_sum"}}


class Family:
    def __init__(self, name):
        self.name, self.type, self.unit, self.help = name, None, None, None
        self.samples = {}  # (suffix, labels) -> value
        self.exemplars = {}  # of buckets: the same -> (labels, value, time)


def parse_labels(text):
    labels, at = {}, 0
    while at < len(text or ""):
        m = LABEL.match(text, at)
        assert m, f"labels: {text[at:]!r}"
        assert m[1] not in labels, f"label twice: {m[1]}"
        labels[m[1]] = re.sub(r"\\(.)", lambda e: "\n" if e[1] == "n"
                              else e[1], m[2])
        at = m.end()
    assert not (text or "").endswith(","), text
    return labels


def parse_value(text):
    assert re.fullmatch(r"[+-]?(\d+(\.\d+)?([eE][+-]?\d+)?|Inf|NaN)", text), \
        f"value {text!r}"
    return float(text.replace("Inf", "inf"))


def take_meta(line, families, current):
    m = META.match(line)
    assert m, f"comment: {line!r}"
    kind, name, text = m.groups()
    if current is None or current.name != name:
        assert name not in families, f"family in pieces: {name}"
        current = families[name] = Family(name)
    assert not current.samples, f"{kind} after samples: {name}"
    field = kind.lower()
    assert getattr(current, field) is None, f"{kind} twice: {name}"
    setattr(current, field, text)
    return current


def take_sample(line, family):
    m = SAMPLE.match(line)
    assert m, f"sample: {line!r}"
    name, labels, value = m[1], parse_labels(m[2]), parse_value(m[3])
    assert family and name.startswith(family.name), f"no family: {line!r}"
    suffix = name[len(family.name):]
    assert suffix in SUFFIXES[family.type], f"suffix: {line!r}"
    key = (suffix, frozenset(labels.items()))
    assert key not in family.samples, f"twice: {line!r}"
    if family.type != "gauge":
        assert value >= 0 and not math.isnan(value), line
    family.samples[key] = value
    if m[4] is not None:
        take_exemplar(line, family, key, m)


def take_exemplar(line, family, key, m):
    labels, value, when = (parse_labels(m[4]), parse_value(m[5]),
                           parse_value(m[6]))
    assert key[0] == "_bucket", f"exemplar of no bucket: {line!r}"
    assert sum(len(k) + len(v) for k, v in labels.items()) <= 128, line
    assert value <= parse_value(dict(key[1])["le"]), f"above: {line!r}"
    family.exemplars[key] = (labels, value, when)


def check_histogram(family):
    series = {}
    for (suffix, labels), value in family.samples.items():
        labels = dict(labels)
        le = labels.pop("le", None)
        assert (suffix == "_bucket") == (le is not None), labels
        part = series.setdefault(frozenset(labels.items()), {})
        if le is None:
            part[suffix] = value
        else:
            part.setdefault("buckets", []).append((parse_value(le), value))
    for labels, part in series.items():
        buckets = part["buckets"]
        assert buckets == sorted(buckets), f"buckets: {labels}"
        assert [v for _, v in buckets] == sorted(v for _, v in buckets)
        assert buckets[-1][0] == math.inf, f"no +Inf: {labels}"
        assert buckets[-1][1] == part["_count"], f"count: {labels}"
        assert "_sum" in part, labels


def parse(text):
    assert text.endswith("# EOF\n"), "no end"
    assert text.count("# EOF") == 1
    families, current = {}, None
    for line in text.split("\n")[:-2]:
        assert line and line == line.strip(), f"line {line!r}"
        if line.startswith("#"):
            current = take_meta(line, families, current)
        else:
            take_sample(line, current)
    for f in families.values():
        assert f.type in SUFFIXES and f.help, f"{f.name}: TYPE, HELP"
        assert not f.unit or f.name.endswith("_" + f.unit), f.name
        assert not f.name.endswith(("_total", "_bucket", "_count", "_sum",
                                    "_info")), f.name
        if f.type == "histogram":
            check_histogram(f)
    return families


def value(families, name, suffix=None, **labels):
    f = families[name]
    if suffix is None:
        suffix = sorted(SUFFIXES[f.type])[0]
    return f.samples.get((suffix, frozenset(labels.items())))
