# SPDX-License-Identifier: Apache-2.0
"""Conversations: tpconnect, tpsend, tprecv, tpdiscon, and each event.

The services follow the script that they are called with (programs/conversesv.c).
"""
import os
import pathlib
import re
import shutil
import subprocess

from checks import equal, lacks
from fixture import Domain, Skip, wait_for
from machine import BUILD
from conversations import connect, convs, traced


def test_messages_go_both_ways_and_the_service_returns():
    with Domain() as d:
        convs(d, 1, "CONV")
        c = d.client()
        cd = connect(c, "trace:trace all give:two all return:bye")
        equal(cd, 0, "the first descriptor")
        equal(c("send", cd, "-", "STRING:one").err, "OK")
        equal(c("send", cd, "TPRECVONLY", "STRING:control").err, "OK")
        r = c("recv", cd)
        equal((r.ret, r.err, r.event, r.data),
              (-1, "TPEEVENT", "SENDONLY", "two"))
        equal(c("send", cd, "TPRECVONLY", "STRING:three").err, "OK")
        r = c("recv", cd)
        equal((r.ret, r.err, r.event, r.data, r.urcode),
              (-1, "TPEEVENT", "SVCSUCC", "bye", 7))
        equal(traced(d),
              [("all", "0", "OK", "-", "one"),
               ("all", "-1", "TPEEVENT", "SENDONLY", "control"),
               ("give", "0", "OK", "-", "two"),
               ("all", "-1", "TPEEVENT", "SENDONLY", "three")])
        equal(c("recv", cd).err, "TPEINVAL", "after the end")


def test_the_service_may_speak_first():
    with Domain() as d:
        convs(d, 1, "CONV")
        c = d.client()
        cd = connect(c, "send:a send:b return:c", "TPRECVONLY")
        for want in ("a", "b"):
            r = c("recv", cd)
            equal((r.ret, r.event, r.data), (0, "-", want))
        r = c("recv", cd)
        equal((r.err, r.event, r.data), ("TPEEVENT", "SVCSUCC", "c"))


def test_without_a_direction_both_may_speak_until_control_is_handed_over():
    with Domain() as d:
        convs(d, 1, "CONV")
        c = d.client()
        cd = connect(c, "recv send:x recv return:-", "-")
        equal(c("send", cd, "-", "STRING:a").err, "OK")
        r = c("recv", cd)
        equal((r.ret, r.data), (0, "x"))
        equal(c("send", cd, "TPRECVONLY", "STRING:b").err, "OK")
        equal(c("send", cd, "-", "STRING:c").err, "TPEPROTO")
        equal(c("recv", cd).event, "SVCSUCC")


def test_who_is_not_to_speak_gets_tpeproto():
    with Domain() as d:
        convs(d, 1, "CONV")
        c = d.client()
        cd = connect(c, "trace:trace send:early all recv give:- all",
                     "TPSENDONLY")
        equal(c("recv", cd).err, "TPEPROTO")
        equal(c("send", cd, "TPRECVONLY", "-").err, "OK")
        r = c("recv", cd)
        equal((r.event, r.type), ("SENDONLY", "-"), "no data")
        equal(c("discon", cd).ret, 0)
        wait_for(lambda: len(traced(d)) == 5, "the service has ended")
        equal([t[:4] for t in traced(d)],
              [("send", "-1", "TPEPROTO", "-"),
               ("all", "-1", "TPEEVENT", "SENDONLY"),
               ("recv", "-1", "TPEPROTO", "-"),
               ("give", "0", "OK", "-"),
               ("all", "-1", "TPEEVENT", "DISCONIMM")])


def test_tpdiscon_is_disconimm_for_the_other_end():
    with Domain() as d:
        convs(d, 1, "CONV")
        c = d.client()
        cd = connect(c, "trace:trace all return:x")
        equal(c("send", cd, "-", "STRING:a").err, "OK")
        equal(c("discon", cd).ret, 0)
        equal(c("discon", cd).err, "TPEINVAL", "twice")
        wait_for(lambda: len(traced(d)) == 2, "the service knows")
        equal(traced(d)[1], ("all", "-1", "TPEEVENT", "DISCONIMM", "a"))
        cd = connect(c, "send:a discon", "TPRECVONLY")
        equal(c("recv", cd).data, "a")
        equal(c("recv", cd).event, "DISCONIMM", "of the service")


def test_each_way_to_end_a_service_has_its_event():
    with Domain() as d:
        convs(d, 1, "CONV")
        c = d.client()
        for script, flags, event, data, urcode in (
                ("return:yes", "TPRECVONLY", "SVCSUCC", "yes", 7),
                ("fail:no", "TPRECVONLY", "SVCFAIL", "no", 7),
                ("fail:-", "TPRECVONLY", "SVCFAIL", "", 7),
                ("noreturn", "TPRECVONLY", "SVCERR", "", None),
                ("forward:CONV", "TPRECVONLY", "SVCERR", "", None)):
            cd = connect(c, script, flags)
            r = c("recv", cd)
            equal((r.err, r.event, r.data), ("TPEEVENT", event, data), script)
            if urcode is not None:
                equal(r.urcode, urcode, script)


def test_a_service_that_ends_while_the_other_is_to_send_has_failed():
    with Domain() as d:
        convs(d, 1, "CONV")
        c = d.client()
        for script, event in (("return:x", "SVCERR"), ("fail:x", "SVCERR"),
                              ("fail:-", "SVCFAIL")):
            cd = connect(c, script)

            def told():
                r = c("send", cd, "-", "STRING:a")
                return (r.err, r.event) == ("TPEEVENT", event)
            wait_for(told, f"{event} of {script}")
            equal(c("send", cd, "-", "STRING:a").err, "TPEINVAL")


def test_any_type_and_any_size_arrives_whole():
    with Domain() as d:
        convs(d, 1, "CONV")
        c = d.client()
        for spec in ("STRING:#10", "CARRAY:#100", "CARRAY:#3000",
                     "JSON:#20", "CARRAY:#2000000", "UBF:#500", "UBF:#100000"):
            cd = connect(c, "recv all last")
            equal(c("send", cd, "-", spec).err, "OK", spec)
            equal(c("send", cd, "TPRECVONLY", spec).err, "OK", spec)
            r = c("recv", cd)
            equal((r.event, r.type), ("SVCSUCC", spec.split(":")[0]), spec)
            size = int(spec.split("#")[1])
            equal(r.len >= size, True, (spec, r.len))


def test_tpnochange_refuses_another_type():
    with Domain() as d:
        convs(d, 1, "CONV")
        c = d.client()
        cd = connect(c, "send:text send:more return:-", "TPRECVONLY")
        equal(c("recv", cd, "TPNOCHANGE", "CARRAY").err, "TPEOTYPE")
        r = c("recv", cd, "TPNOCHANGE", "STRING")
        equal((r.ret, r.data), (0, "more"))
        equal(c("recv", cd).event, "SVCSUCC")


def test_a_plain_service_can_be_connected_to_and_a_talking_one_be_called():
    with Domain() as d:
        convs(d, 1, "PLAIN")
        convs(d, 2, "CONV")
        c = d.client()
        cd = connect(c, "hello", "TPRECVONLY", "PLAIN")
        r = c("recv", cd)
        equal((r.event, r.data), ("SVCSUCC", "conv send 0 hello"))
        cd = connect(c, "hello", "TPSENDONLY", "PLAIN")
        wait_for(lambda: c("send", cd, "-", "STRING:a").event == "SVCERR",
                 "it returned while the client was to send")
        r = c.call("CONV", "trace:trace recv send:a return:fine")
        equal((r.err, r.data), ("OK", "fine"))
        equal([t[2] for t in traced(d)], ["TPEINVAL", "TPEINVAL"])
        lacks(c.call("PLAIN", "x", "0x400").data, "conv",
              "a call with TPCONV is a call")


def test_services_call_and_converse_inside_a_conversation():
    with Domain() as d:
        convs(d, 1, "CONV")
        convs(d, 2, "OTHER")
        convs(d, 3, "MORE")
        d.server(4, "ECHO")
        c = d.client()
        cd = connect(c, "trace:trace call:ECHO connect:OTHER:give:inner+all "
                        "connect:MORE:return:inner all call:ECHO return:done")
        for _ in range(3):
            equal(c("send", cd, "-", "STRING:a").err, "OK")
        equal(c("send", cd, "TPRECVONLY", "STRING:b").err, "OK")
        r = c("recv", cd)
        equal((r.event, r.data), ("SVCSUCC", "done"))
        lines = traced(d)
        equal([t[0] for t in lines],
              ["call"] + ["connect"] * 4 + ["all"] * 4 + ["call"])
        equal(lines[2][2:], ("TPEEVENT", "SENDONLY", "inner"))
        equal(lines[4][2:], ("TPEEVENT", "SVCSUCC", "inner"))


def test_conversations_that_a_service_leaves_open_end_with_it():
    with Domain() as d:
        convs(d, 1, "CONV")
        convs(d, 2, "OTHER")
        c = d.client()
        cd = connect(c, "connect:OTHER:trace:other+give:a+all return:x",
                     "TPRECVONLY")
        equal(c("recv", cd).event, "SVCSUCC")
        wait_for(lambda: len(traced(d, "other")) == 2, "the other end knows")
        equal(traced(d, "other")[1][3], "DISCONIMM")


def test_tpterm_and_the_end_of_a_program_end_its_conversations():
    with Domain() as d:
        convs(d, 1, "CONV")
        for i, leave in enumerate((lambda c: c("term"),
                                   lambda c: c.close())):
            c = d.client()
            connect(c, f"trace:t{i} all")
            leave(c)
            wait_for(lambda i=i: len(traced(d, f"t{i}")) == 1, "known")
            equal(traced(d, f"t{i}")[0][3], "DISCONIMM")


def test_a_forked_child_has_no_conversation():
    with Domain() as d:
        convs(d, 1, "CONV")
        d.server(2, "ECHO")
        # The child's copies of its parent's memory are not leaks.
        c = d.client(ASAN_OPTIONS="detect_leaks=0")
        cd = connect(c, "all return:x")
        r = c("fork", "ECHO")
        equal((r.before, r.child, r.after), (0, 0, 0))
        equal(c("send", cd, "TPRECVONLY", "STRING:a").err, "OK")
        equal(c("recv", cd).event, "SVCSUCC")


def test_the_next_conversation_gets_nothing_of_the_last_one():
    with Domain() as d:
        convs(d, 1, "CONV")
        c = d.client()
        for _ in range(20):
            cd = connect(c, "return:-")  # while the client sends
            c("stream", cd, 40, 100)
            c("discon", cd)
            cd = connect(c, "all last")
            equal(cd, 0)
            equal(c("send", cd, "TPRECVONLY", "STRING:mine").err, "OK")
            r = c("recv", cd)
            equal((r.event, r.data), ("SVCSUCC", "mine"))


def test_the_example_of_the_manual_page_runs():
    if shutil.which("cc") is None or os.environ.get("OW_SANITIZE"):
        raise Skip("needs cc and libraries that it can link")
    root = pathlib.Path(__file__).resolve().parents[3]
    page = (root / "doc/man/man3/tpconnect.3").read_text(encoding="ascii")
    example = page.split(".Bd -literal\n")[1].split("\n.Ed")[0]
    heads, service, client = re.split(r"(?=void SUM|long sum_of)", example)
    ends = {"sumsv": (heads + service + """
int tpsvrinit(int argc, char **argv)
{
	return tpadvertise("SUM", SUM);
}

void tpsvrdone(void)
{
}
""", ["-latmisrv"]), "sumcl": (heads + client + """
int main(void)
{
	long numbers[] = { 1, 20, 300 };

	printf("%ld\\n", sum_of(numbers, 3));
	return tpterm();
}
""", [])}
    with Domain() as d:
        for name, (text, libraries) in ends.items():
            source = os.path.join(d.home, name + ".c")
            with open(source, "w", encoding="ascii") as f:
                f.write(text)
            subprocess.run(
                ["cc", "-o", os.path.join(d.home, name), source,
                 f"-I{root}/include", f"-L{BUILD}/lib", *libraries, "-latmi",
                 "-lubf"], check=True)
        d.env["PATH"] = d.home + ":" + d.env["PATH"]
        d.boot({"srvid": 1, "name": "sumsv"})
        r = subprocess.run([os.path.join(d.home, "sumcl")], env=d.env,
                           capture_output=True, text=True, check=True)
        equal(r.stdout, "321\n")


def test_a_wrong_descriptor_is_tpebaddesc_in_strict_tuxedo():
    for word, error in (("", "TPEINVAL"), ("strict-tuxedo", "TPEBADDESC"),
                        ("strict-enduro", "TPEINVAL")):
        with Domain(env={"NDRX_COMPAT": word}) as d:
            convs(d, 1, "CONV")
            c = d.client()
            for cd in (0, 7, -1, 99999):
                equal((c("send", cd, "-", "-").err, c("recv", cd).err,
                       c("discon", cd).err), (error,) * 3)


def test_a_conversation_without_an_end_is_refused():
    with Domain() as d:
        convs(d, 1, "CONV")
        c = d.client()
        equal(c("connect", "CONV", "TPSENDONLY|TPNOREPLY", "-").err, "TPEINVAL")
