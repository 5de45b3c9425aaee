# SPDX-License-Identifier: Apache-2.0
"""Every buffer type and every size arrives intact, both ways."""
from checks import at_most, equal
from fixture import Domain

TYPES = ("STRING", "CARRAY", "JSON", "UBF")


def _echo(client, kind, size):
    r = client("call", "ECHO", "-", f"{kind}:#{size}", seconds=40)
    equal((r.ret, r.err, r.type), (0, "OK", kind), f"{kind} {size}")
    equal((r.urcode, r.sum), (r.sent, r.sent), f"{kind} {size} sums")
    if kind == "CARRAY":
        equal(r.len, size)
    if kind in ("STRING", "JSON"):
        equal(r.len, size + 1)


def test_each_type_arrives_at_small_sizes():
    with Domain() as d:
        d.server(1, "ECHO", "INFO")
        c = d.client()
        for kind in TYPES:
            for size in (0, 1, 2, 100):
                _echo(c, kind, size)
        equal(c("call", "INFO", "-", "STRING:HELLO").data,
              "INFO INFO STRING 6")
        equal(c("call", "INFO", "-", "CARRAY:#5").data,
              "INFO INFO CARRAY 5")
        equal(c("call", "INFO", "-", "JSON:{}").data, "INFO INFO JSON 3")


def test_sizes_around_the_size_of_a_message_arrive():
    with Domain() as d:
        d.server(1, "ECHO")
        edge = d.row("psvc", service="ECHO").queue_message_bytes
        c = d.client()
        for size in range(max(0, edge - 200), edge + 20):
            _echo(c, "CARRAY", size)
        for size in range(max(1, edge - 200), edge + 20, 7):
            _echo(c, "STRING", size)
            _echo(c, "UBF", size)


def test_a_megabyte_arrives():
    with Domain() as d:
        d.server(1, "ECHO")
        c = d.client()
        for kind in TYPES:
            for size in (4095, 4096, 4097, 65536, 1 << 20):
                _echo(c, kind, size)


def test_64_megabytes_arrive():
    with Domain() as d:
        d.server(1, "ECHO")
        c = d.client()
        _echo(c, "CARRAY", 64 << 20)
        _echo(c, "STRING", 64 << 20)
        used = [s.used_bytes for s in d.rows("shms") if "blocks" in s.path]
        at_most(used[0], 4 << 20, "bytes in use: large blocks are given back")
