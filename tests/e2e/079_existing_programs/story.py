# SPDX-License-Identifier: Apache-2.0
"""Programs written for Enduro/X and Tuxedo compile and run unchanged."""
from checks import contains, equal
from fixture import Domain, wait_for

MAINLY = "shm"


def test_a_server_with_a_main_of_its_own_runs():
    with Domain() as d:
        p = d.server(1, binary="integrasv")
        equal(d.call("INTEGRA", "x").data,
              "x call 1 filled 1 in time 1 up 1")
        equal(d.call("INTEGRA", "y").data,
              "y call 2 filled 1 in time 1 up 1")
        equal(d.stop_server(p), 0)


def test_rows_without_a_service_name_are_skipped():
    with Domain() as d:
        d.server(1, binary="integrasv")
        equal([r.service for r in d.rows("psc")], ["INTEGRA"])


def test_a_function_of_such_a_row_is_offered_by_option_s():
    with Domain() as d:
        d.server(1, binary="integrasv", opts=["-S", "OTHER:ONLYBYS"])
        wait_for(lambda: sorted(r.service for r in d.rows("psc")) ==
                 ["INTEGRA", "OTHER"], "both of them")
        equal(d.call("OTHER", "z").data,
              "z call 1 filled 1 in time 1 up 1")


def test_option_n_leaves_out_what_option_s_offers():
    with Domain() as d:
        d.server(1, binary="integrasv",
                 opts=["-S", "OTHER:ONLYBYS", "-n", "OTHER"])
        equal([r.service for r in d.rows("psc")], ["INTEGRA"])


def test_callbacks_of_a_server_may_be_missing():
    with Domain() as d:
        p = d.server(1, binary="bareargsv")
        equal(d.call("FACTS").data, "tpterm TPEPROTO args 1 run 0")
        equal(d.stop_server(p), 0)


def test_without_long_jumps_tpforward_and_tpreturn_return():
    with Domain() as d:
        out = f"{d.home}/out"
        p = d.server(1, binary="bareargsv", opts=["-o", out])
        equal(d.call("FORWARDS").data, "tpterm TPEPROTO args 1 run 0")
        equal(d.stop_server(p), 0)
        with open(out, encoding="utf-8") as f:
            contains(f.read(), "tpforward() came back\n"
                               "tpreturn() came back\n")
