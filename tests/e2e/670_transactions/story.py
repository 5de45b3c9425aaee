# SPDX-License-Identifier: Apache-2.0
"""A transaction ends everywhere or nowhere."""
import os

from checks import equal
from fixture import wait_for
from trans import Trans, totals, transfer, two

COST = 10

XA_RDONLY, XAER_RMERR, XAER_RMFAIL, XA_RBROLLBACK = 3, -3, -7, 100
XA_HEURMIX, XA_HEURRB, XA_HEURCOM, XA_HEURHAZ = 5, 6, 7, 8
TMJOIN, TMONEPHASE = 0x200000, 0x40000000


def test_nothing_is_begun_before_tpopen():
    with Trans() as t:
        t.tm(1)
        c = t.client()
        equal((c("tx", "plainbegin").ret, c("tx", "level").ret), (-1, 0))
        equal(c("tx", "txbegin").ret, -5)  # TX_PROTOCOL_ERROR
        equal((c("tx", "open").ret, c("tx", "plainbegin").ret), (0, 0))
        equal(c("tx", "abort").ret, 0)
        equal((c("tx", "close").ret, c("tx", "plainbegin").ret), (0, -1))
        equal((c("tx", "txopen").ret, c("tx", "txbegin").ret), (0, 0))
        equal((c("tx", "level").ret, c("tx", "abort").ret), (1, 0))


def test_with_strict_tuxedo_a_client_without_a_resource_manager_needs_no_tpopen():
    with Trans(env={"NDRX_COMPAT": "strict-tuxedo"}) as t:
        t.tm(1)
        t.sv(11, 1, "A")
        c = t.xaclient(opened=False)
        c.ok("begin", 20)
        c.ok("call", "-", "A", "add:3")
        c.ok("commit")
        equal(t.total(1), 3)
        equal(c("txbegin").ret, -5)  # TX_PROTOCOL_ERROR
        c = t.xaclient(1, opened=False)
        equal(c.err("begin", 20), "TPEPROTO")


def test_before_tx_open_each_function_of_tx_is_a_protocol_error():
    """As the state table of the standard has it; but tx_open() and tx_close()."""
    with Trans() as t:
        t.tm(1)
        c = t.xaclient(opened=False)
        for _ in range(2):
            equal([c("txbegin").ret, c("txcommit").ret, c("txrollback").ret,
                   c("txinfo").ret, c("txreturn", 1).ret,
                   c("txcontrol", 1).ret, c("txtimeout", 9).ret,
                   c("txclose").ret], [-5] * 7 + [0])
            # Nothing of it was kept; nor is chained, beyond tx_close().
            equal((c("txopen").ret, c("txinfo").data), (0, "-1 0 0 0 0 0"))
            equal((c("txcontrol", 1).ret, c("txclose").ret), (0, 0))
            equal(c("txcontrol", 9).ret, -5)


def test_a_commit_reaches_all_resource_managers():
    with Trans() as t:
        c = two(t)
        transfer(c, 5)
        equal(totals(t), (0, 0))
        equal(c("getlev").ret, 1)
        c.ok("commit")
        equal(c("getlev").ret, 0)
        equal(totals(t), (-5, 5))
        t.settled(1, 2)


def test_an_abort_reaches_all_resource_managers():
    with Trans() as t:
        c = two(t)
        transfer(c, 5)
        c.ok("abort")
        equal(totals(t), (0, 0))
        t.settled(1, 2)
        transfer(c, 5)
        c.ok("commit")
        equal(totals(t), (-5, 5))


def test_a_client_and_its_services_share_a_branch():
    with Trans() as t:
        c = two(t)
        t.sv(13, 1, "A2")
        c.ok("begin", 20)
        c.ok("add", 1)
        c.ok("call", "-", "A", "add:2 call:A2:add:3")
        c.ok("commit")
        equal(t.total(1), 6)
        equal([f & TMJOIN != 0 for _, f, _ in t.calls(1, "start")],
              [False, True, True])
        # One branch: its resource manager decides.
        equal([(f, r) for _, f, r in t.calls(1, "commit")],
              [(TMONEPHASE, 0)])
        equal(t.calls(1, "prepare"), [])


def test_tptransuspend_leaves_the_branch_during_a_call():
    with Trans() as t:
        c = two(t)
        c.ok("begin", 20)
        c.ok("add", 1)
        equal(c.ok("call", "TPTRANSUSPEND", "A", "add:2").urcode, 1)
        c.ok("add", 3)
        equal(c.err("call", "TPTRANSUSPEND,TPNOABORT", "A", "fail"),
              "TPESVCFAIL")
        equal([op for op, _, _ in t.calls(1) if op in ("start", "end")],
              ["start", "end"] * 4 + ["start"])
        c.ok("commit")
        equal(t.total(1), 6)
        c.ok("call", "TPTRANSUSPEND", "A", "x")  # without a transaction


def test_nojoin_gives_each_service_a_branch_of_its_own():
    with Trans() as t:
        t.tm(1)
        t.sv(11, 1, "A", flags="NOJOIN")
        c = t.xaclient()
        c.ok("begin", 20)
        c.ok("call", "-", "A", "add:1")
        c.ok("call", "-", "A", "add:2")
        c.ok("commit")
        equal((t.total(1), len(t.branches(1, "c"))), (3, 2))
        equal([f for _, f, _ in t.calls(1, "start")], [0, 0])


def test_a_failed_service_dooms_the_transaction():
    with Trans() as t:
        c = two(t)
        for words, err in (("add:9 fail", "TPESVCFAIL"),
                           ("add:9 leave", "TPESVCERR"),
                           ("call:B:fail", "TPESVCFAIL"),
                           ("add:9 forward:NONE:x", "TPESVCERR")):
            transfer(c, 5)
            equal((words, c.err("call", "-", "A", words)), (words, err))
            equal(c.err("commit"), "TPEABORT")
            equal(c.err("commit"), "TPEPROTO")
            equal(totals(t), (0, 0))
            t.settled(1, 2)


def test_a_failure_below_dooms_whoever_swallows_it():
    with Trans() as t:
        c = two(t)
        transfer(c, 5)
        c.ok("call", "-", "A", "try:B:fail add:1")  # succeeds all the same
        equal(c.err("commit"), "TPEABORT")
        equal(totals(t), (0, 0))
        # Nobody fetches the reply.
        transfer(c, 5)
        c.ok("acall", "-", "B", "fail")
        wait_for(lambda: len(t.calls(2, "end")) == 4, "the service ends")
        equal(c.err("commit"), "TPEABORT")
        equal(totals(t), (0, 0))


def test_tpnoabort_spares_the_transaction():
    with Trans() as t:
        c = two(t)
        transfer(c, 5)
        equal(c.err("call", "TPNOABORT", "B", "fail"), "TPESVCFAIL")
        c.ok("call", "-", "A", "spare:B:fail")
        equal(c.err("call", "-", "NONE", "x"), "TPENOENT")
        c.ok("commit")
        equal(totals(t), (-5, 5))


def test_calls_with_tpnotran_are_outside():
    with Trans() as t:
        c = two(t)
        c.ok("begin", 20)
        equal(c.ok("call", "TPNOTRAN", "A", "add:7").urcode, 0)
        equal(t.total(1), 7)
        equal(c.err("call", "TPNOTRAN", "A", "fail"), "TPESVCFAIL")
        cd = c.ok("acall", "TPNOTRAN", "A", "fail").ret
        equal(c.err("getrply", cd), "TPESVCFAIL")
        equal(c.ok("call", "-", "A", "add:1").urcode, 1)
        c.ok("acall", "TPNOTRAN,TPNOREPLY", "A", "x")
        equal(c.err("acall", "TPNOREPLY", "A", "x"), "TPEINVAL")
        c.ok("commit")
        equal(t.total(1), 8)


def test_a_forwarded_request_takes_its_transaction_along():
    with Trans() as t:
        c = two(t)
        c.ok("begin", 20)
        c.ok("call", "-", "A", "add:-3 forward:B:add:3")
        c.ok("commit")
        equal(totals(t), (-3, 3))


def test_a_server_without_a_resource_manager_passes_it_on():
    with Trans() as t:
        c = two(t)
        t.sv(13, 0, "PLAIN")
        c.ok("begin", 20)
        equal(c.ok("call", "-", "PLAIN",
                   "call:A:add:-4 call:B:add:4").urcode, 1)
        c.ok("commit")
        equal(totals(t), (-4, 4))


def test_a_service_may_have_a_transaction_of_its_own():
    with Trans() as t:
        c = two(t)
        c.ok("call", "-", "A", "begin add:-1 call:B:add:1 commit")
        equal(totals(t), (-1, 1))
        equal(c.err("call", "-", "A", "begin add:5"), "TPESVCERR")
        equal(totals(t), (-1, 1))
        c.ok("begin", 20)
        for words in ("begin", "commit"):  # not the service's
            equal(c("call", "TPNOABORT", "A", words).urcode, 9)  # TPEPROTO
        c.ok("abort")
        t.settled(1, 2)


def test_a_transaction_without_branches_costs_no_resource_manager():
    with Trans() as t:
        t.tm(0, srvid=100)
        c = t.xaclient()
        c.ok("begin", 20)
        c.ok("commit")
        c.ok("begin", 20)
        c.ok("abort")


def test_a_client_begins_where_the_branches_were_the_last_time():
    with Trans() as t:
        two(t)
        c = t.xaclient()  # without a resource manager
        for svc, rmid in (("B", 2), ("A", 1), ("B", 2)):
            c.ok("begin", 20)
            c.ok("call", "-", svc, "add:1")
            c.ok("commit")
            for _ in range(4):
                c.ok("begin", 20)
                c.ok("call", "-", svc, "add:1")
                equal(t.rows("printtrans")[0].rmid, rmid)
                c.ok("commit")
        equal(totals(t), (5, 10))


def test_a_client_begins_elsewhere_if_that_coordinator_has_gone():
    with Trans() as t:
        t.tm(1)
        tm2 = t.tm(2)
        t.sv(12, 2, "B")
        c = t.xaclient()
        c.ok("begin", 20)
        c.ok("call", "-", "B", "add:1")
        c.ok("commit")
        t.stop_server(tm2)
        c.ok("begin", 20)
        c.ok("commit")


def test_a_time_out_rolls_back():
    with Trans() as t:
        c = two(t)
        c.ok("begin", 3)
        c.ok("call", "-", "A", "add:1")
        c.ok("call", "-", "B", "add:1")
        t.settled(2)
        equal(c.err("commit"), "TPEABORT")
        t.settled(1)
        equal(totals(t), (0, 0))
        c.ok("begin", 3)
        c.ok("call", "-", "B", "add:1")
        t.settled(2)
        c.ok("abort")  # it is aborted


def test_a_vote_against_it_rolls_back_all():
    with Trans() as t:
        c = two(t)
        for vote in (XA_RBROLLBACK, XAER_RMERR, XAER_RMFAIL):
            transfer(c, 5)
            t.order(2, "prepare", f"result {vote} always")
            equal(c.err("commit"), "TPEABORT")
            t.countermand(2, "prepare")
            t.settled(1)
            if vote != XA_RBROLLBACK:  # it says that it has done that
                t.settled(2)
            for name in t.branches(2, "a"):
                os.remove(os.path.join(t.rm(2), name))
            equal(totals(t), (0, 0))


def test_branches_that_have_only_read_need_no_second_phase():
    with Trans() as t:
        c = two(t)
        c.ok("begin", 20)
        c.ok("call", "-", "A", "add:1")
        c.ok("call", "-", "B", "x")
        c.ok("commit")
        equal([r for _, _, r in t.calls(2, "prepare")], [XA_RDONLY])
        equal(t.calls(2, "commit"), [])
        equal(t.total(1), 1)


def test_a_commit_is_repeated_until_the_resource_manager_is_back():
    with Trans() as t:
        c = two(t)
        transfer(c, 5)
        t.order(2, "commit", f"result {XAER_RMFAIL} always")
        c.ok("commit")  # the decision stands
        equal(totals(t), (-5, 0))
        wait_for(lambda: len(t.calls(2, "commit")) > 4, "repetitions")
        t.countermand(2, "commit")
        t.settled(1, 2)
        equal(totals(t), (-5, 5))


def test_a_lost_one_phase_commit_is_a_hazard():
    with Trans() as t:
        c = two(t)
        for order, err, total in ((f"result {XAER_RMFAIL}", "OK", 1),
                                  (f"lie {XAER_RMFAIL}", "TPEHAZARD", 2),
                                  (f"result {XAER_RMFAIL} always",
                                   "TPEHAZARD", 2)):
            c.ok("begin", 20)
            c.ok("call", "-", "A", "add:1")
            t.order(1, "commit", order)
            equal((order, c.err("commit")), (order, err))
            equal(t.total(1), total)


def test_heuristic_outcomes_are_told():
    with Trans() as t:
        c = two(t)
        for result, err in ((XA_HEURCOM, "OK"), (XA_HEURRB, "TPEHEURISTIC"),
                            (XA_HEURMIX, "TPEHEURISTIC"),
                            (XA_HEURHAZ, "TPEHAZARD")):
            transfer(c, 5)
            t.order(2, "commit", f"lie {result}")
            equal((result, c.err("commit")), (result, err))
        t.settled(1, 2)


def test_suspended_transactions_are_resumed_by_anybody():
    with Trans() as t:
        c, d = two(t), t.xaclient(2)
        c.ok("begin", 20)
        c.ok("add", -2)
        held = c.ok("suspend").data
        equal(c("getlev").ret, 0)
        c.ok("begin", 20)  # another one meanwhile
        c.ok("add", 100)
        c.ok("abort")
        d.ok("resume", held)
        d.ok("add", 2)
        held = d.ok("suspend").data
        c.ok("resume", held)
        equal(c.err("resume", held), "TPEPROTO")
        c.ok("commit")
        equal(totals(t), (-2, 2))
        equal(c.err("resume", held), "TPEMATCH")  # it has ended
        equal(c("getlev").ret, 0)


def test_a_service_may_suspend_the_transaction_for_a_while():
    with Trans() as t:
        c = two(t)
        c.ok("begin", 20)
        c.ok("call", "-", "A", "add:1 suspend add:50 resume add:2")
        equal(t.total(1), 50)
        c.ok("commit")
        equal(t.total(1), 53)


def test_errors():
    with Trans() as t:
        c = t.xaclient(1)
        equal(c.err("begin", 20), "TPENOENT")  # no domain
        t.sv(13, 0, "PLAIN")
        equal(c.err("begin", 20), "TPESYSTEM")  # no tmsrv
        t.tm(1)
        equal([c.err("begin", 20, 1), c.err("commit"), c.err("abort"),
               c.err("suspend"), c.err("suspendnull"), c.err("resume", "x")],
              ["TPEINVAL", "TPEPROTO", "TPEPROTO", "TPEPROTO", "TPEINVAL",
               "TPEINVAL"])
        c.ok("begin", 20)
        equal([c.err("begin", 20), c.err("close"), c.err("commit", 1),
               c.err("abort", 1), c.err("suspend", 1)],
              ["TPEPROTO", "TPEPROTO", "TPEINVAL", "TPEINVAL", "TPEINVAL"])
        c.ok("commit")
        equal([c("scmt", 4).ret, c("scmt", 8).ret, c.err("scmt", 1)],
              [8, 4, "TPEINVAL"])
        c.ok("begin", 20)
        equal(c.err("term"), "TPEPROTO")  # and it is rolled back
        c.ok("open")
        c.ok("close")
        t.settled(1)
        # A resource manager of its own: threads of tmsrv open number 1 when
        # they need it, and would obey the order.
        d = t.xaclient(2, opened=False)
        t.order(2, "open", f"result {XAER_RMERR}")
        equal(d.err("open"), "TPERMERR")
        e = t.xaclient(1, opened=False, NDRX_XA_DRIVERLIB="none.so")
        equal([e.err("open"), e.err("switch")], ["TPEOS", "TPEOS"])
        f = t.xaclient()
        equal(f.err("switch"), "TPENOENT")


def test_switches_are_found_by_the_names_of_vendors_drivers():
    with Trans() as t:
        lib = t.xa(1)["NDRX_XA_DRIVERLIB"]
        c = t.xaclient(1, NDRX_XA_DRIVERLIB="libndrxxaoras.so",
                       NDRX_XA_RMLIB=lib)
        equal(c.ok("switch").data, "testxa")
        c = t.xaclient(1, NDRX_XA_DRIVERLIB="libndrxxanulls.so")
        equal(c.ok("switch").data, "null")
        c = t.xaclient(1, opened=False, NDRX_XA_DRIVERLIB="libndrxxadb2d.so",
                       NDRX_XA_RMLIB=lib)
        equal(c.err("open"), "TPEOS")


def test_the_functions_of_tx():
    with Trans() as t:
        c = two(t)
        equal(c("txinfo").data, "-1 0 0 0 0 0")
        equal([c("txcommit").ret, c("txrollback").ret, c("txreturn", 9).ret,
               c("txcontrol", 9).ret, c("txtimeout", -1).ret],
              [-5, -5, -8, -8, -8])
        equal([c("txopen").ret, c("txreturn", 1).ret, c("txtimeout", 15).ret,
               c("txbegin").ret, c("txbegin").ret, c("txclose").ret],
              [0, 0, 0, 0, -5, -5])
        equal(c("txinfo").data, f"{0x4f574b31} 1 0 15 0 1")
        c.ok("call", "-", "A", "add:1")
        c.ok("call", "-", "B", "add:1")
        equal(c("txcommit").ret, 0)
        equal(c("txinfo").ret, 0)
        equal(c("txcontrol", 1).ret, 0)
        equal(c("txbegin").ret, 0)
        equal(c("txrollback").ret, 0)
        equal(c("txinfo").ret, 1)  # the next one
        c("call", "-", "A", "fail")
        equal(c("txinfo").data, f"{0x4f574b31} 1 1 15 2 1")
        equal(c("txcommit").ret, -2)
        equal(c("txcontrol", 0).ret, 0)
        equal(c("txrollback").ret, 0)
        equal(c("txclose").ret, 0)
        wait_for(lambda: t.total(1) == 1, "the first is committed")
