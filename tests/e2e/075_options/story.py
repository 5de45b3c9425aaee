# SPDX-License-Identifier: Apache-2.0
"""Command line options select the services that a server offers; those after
`--` are the program's."""
from checks import ended, equal
from fixture import Domain

MAINLY = "posix"


def _offers(d, *opts):
    d.server(1, "ECHO", "UPPER", "PID", opts=opts)
    return sorted(r.service for r in d.rows("psc"))


def test_an_alias_offers_a_service_by_another_name():
    with Domain() as d:
        equal(_offers(d, "-s", "OTHER:ECHO"), ["ECHO", "OTHER", "PID",
                                               "UPPER"])
        equal(d.call("OTHER", "x").data, "x")


def test_one_service_has_several_aliases():
    with Domain() as d:
        equal(_offers(d, "-s", "A/B,C:UPPER"),
              ["A", "B", "C", "ECHO", "PID", "UPPER"])
        for name in "ABC":
            equal(d.call(name, "x").data, "X")


def test_a_masked_service_is_not_offered():
    with Domain() as d:
        equal(_offers(d, "-n", "ECHO", "-n", "PID"), ["UPPER"])
        equal(d.call("ECHO", "x").err, "TPENOENT")


def test_only_aliases_are_offered():
    with Domain() as d:
        equal(_offers(d, "-N", "-s", "ONLY:ECHO"), ["ONLY"])
        equal(d.call("ONLY", "x").data, "x")


def test_an_alias_of_an_unknown_service_is_refused():
    with Domain() as d:
        p = d.spawn(1, "ECHO", opts=["-s", "A:NOSUCH"])
        equal(p.wait(), 1)


def test_a_server_needs_an_id_that_no_other_server_has():
    with Domain() as d:
        r = d.run("testsv", "--", "ECHO")
        ended(r, 1, "-i")
        first = d.server(1, "ECHO")
        r = d.run("testsv", "-i", "1", "--", "ECHO")
        ended(r, 1, f"running process {first.pid}")
        equal(d.call("ECHO", "x").data, "x")


# ---- the options of the program ----

def _parsed(way, *argv, env=None):
    """What a server that parses its options in this way finds in them."""
    with Domain() as d:
        d.server(1, *argv, binary="optsv", opts=["-D", "3"],
                 env={"OPTSV": way, **(env or {})})
        return d.call("OPTIONS").data


def test_a_program_parses_its_options_with_getopt():
    equal(_parsed("getopt", "-s", "order", "-w", "5"), "s=order w=5")
    equal(_parsed("getopt", "-vw5", "one", "-sorder", "two"),
          "v=yes w=5 s=order one two")
    equal(_parsed("getopt"), "")


def test_a_program_sets_optind_to_1_and_parses_with_getopt():
    equal(_parsed("again", "-s", "order", "-w", "5", "x"), "s=order w=5 x")


def test_getopt_of_a_program_may_stop_at_the_first_word():
    equal(_parsed("plus", "-v", "one", "-w", "5"), "v=yes one -w 5")


def test_a_program_parses_its_options_with_getopt_long():
    equal(_parsed("long", "--service=order", "one", "--workers", "5", "-v"),
          "s=order w=5 v=yes one")


def test_a_program_parses_its_options_with_argp():
    equal(_parsed("argp", "--service=order", "-w", "5", "one", "-v"),
          "s=order w=5 v=yes one")


def test_a_program_reads_its_first_argument_at_optind():
    equal(_parsed("rest", "one", "-v"), "one -v")


def test_options_of_the_environment_are_parsed_in_the_same_way():
    with Domain() as d:
        d.server(1, binary="optsv", alone=True, env={
            "OPTSV": "getopt", "NDRX_SVCLOPT": "-i 1 -D 3 -- -s 'an order' "
            "-w 5"})
        equal(d.call("OPTIONS").data, "s=an order w=5")


def test_an_unknown_option_of_the_system_is_named():
    with Domain() as d:
        ended(d.run("testsv", "-i", "1", "-Q", "--", "ECHO"), 1, "-Q")
        ended(d.run("testsv", "-i", "1", "-D"), 1, "-D")
