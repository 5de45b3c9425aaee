# SPDX-License-Identifier: Apache-2.0
"""Option -x converts requests before the service, and its answers back."""
import os
import tempfile

from checks import contains, ended, equal
from fixture import Domain

MAINLY = "shm"

FIELD = "((BFLDID32)167772161)"  # string 1
JSON = '{"%s":"text"}' % FIELD


def _info(d, data, service="INFO"):
    return d.client()("call", service, "-", data)


def test_a_json_request_becomes_ubf_and_its_answer_json():
    with Domain() as d:
        d.server(1, "ECHO", "INFO", opts=["-x", "ECHO,INFO:JSON2UBF"])
        r = _info(d, "JSON:" + JSON)
        equal((r.type, r.data), ("STRING", "INFO INFO UBF 1024"))
        r = _info(d, "JSON:" + JSON, "ECHO")
        equal((r.ret, r.type, r.data), (0, "JSON", JSON))
        r = _info(d, "STRING:as it is", "ECHO")
        equal((r.type, r.data), ("STRING", "as it is"))


def test_a_ubf_request_becomes_json_and_its_answer_ubf():
    with Domain() as d:
        d.server(1, "ECHO", "INFO", opts=["-x", "ECHO:UBF2JSON",
                                          "-x", "INFO:UBF2JSON"])
        contains(_info(d, "UBF:#10").data, "INFO INFO JSON ")
        r = _info(d, "UBF:#10", "ECHO")
        equal((r.ret, r.type, r.sum), (0, "UBF", r.sent))


def test_a_large_request_is_converted():
    with Domain() as d:
        d.server(1, "ECHO", opts=["-x", "ECHO:UBF2JSON"])
        r = _info(d, "UBF:#300000", "ECHO")
        equal((r.ret, r.type, r.sum), (0, "UBF", r.sent))


def test_views_become_json_and_json_views():
    with tempfile.TemporaryDirectory(prefix="ow_e2e_views_") as folder:
        with open(os.path.join(folder, "t.v"), "w", encoding="ascii") as f:
            f.write("VIEW PAIR\nshort number - 1 - - -\n"
                    "string name - 1 - 20 -\nEND\n")
        with Domain(env={"VIEWDIR": folder, "VIEWFILES": "t.v"}) as d:
            d.server(1, "ECHO", "INFO",
                     opts=["-x", "ECHO:JSON2VIEW", "-x", "INFO:JSON2VIEW"])
            d.server(2, "V=ECHO", opts=["-x", "V:VIEW2JSON"])
            data = '{"PAIR":{"number":7,"name":"Ada"}}'
            equal(_info(d, "JSON:" + data).data, "INFO INFO VIEW 22")
            r = _info(d, "JSON:" + data, "ECHO")
            equal((r.type, r.data), ("JSON", data))
            r = _info(d, "VIEW/PAIR:number=7,name=Ada", "V")
            equal((r.type, r.subtype, r.data),
                  ("VIEW", "PAIR", "number\t7\nname\tAda\n"))


def test_text_that_does_not_convert_is_an_error_of_the_caller():
    with Domain() as d:
        d.server(1, "ECHO", "PID", opts=["-x", "ECHO:JSON2UBF"])
        d.server(2, "V=ECHO", opts=["-x", "V:JSON2VIEW"])
        pid = d.call("PID").data
        equal(_info(d, "JSON:{x", "ECHO").err, "TPEITYPE")
        equal(_info(d, 'JSON:{"NOVIEW":{}}', "V").err, "TPEITYPE")
        equal(d.call("PID").data, pid, "the server lives")
        equal(d.client()("acall", "ECHO", "TPNOREPLY", "JSON:{x").ret, 0)
        d.call("PID")  # behind it
        contains(d.run("xadmin", "doctor").stdout, "lost one-way requests",
                 "nobody hears of it, so it is named")


def test_an_answer_that_does_not_convert_is_tpesvcerr():
    with Domain() as d:
        d.server(1, "ANSWER", opts=["-x", "ANSWER:UBF2JSON"])
        equal(_info(d, "UBF:#3", "ANSWER").err, "TPESVCERR")


def test_the_conversion_of_the_answer_survives_tpforward():
    with Domain() as d:
        d.server(1, "FWDECHO", opts=["-x", "FWDECHO:JSON2UBF"])
        d.server(2, "ECHO", "INFO")
        r = _info(d, "JSON:" + JSON, "FWDECHO")
        equal((r.ret, r.type, r.data), (0, "JSON", JSON))


def test_a_mode_with_f_converts_answers_to_other_requests_too():
    with Domain() as d:
        d.server(1, "UBFOF", opts=["-x", "UBFOF:JSON2UBF"])
        d.server(2, "F=UBFOF", opts=["-x", "F:JSON2UBFF"])
        equal(_info(d, "STRING:text", "UBFOF").type, "UBF")
        r = _info(d, "STRING:text", "F")
        equal((r.type, r.data), ("JSON", JSON))


def test_an_unknown_mode_is_named():
    with Domain() as d:
        ended(d.run("testsv", "-i", "1", "-x", "ECHO:JSON2XML", "--", "ECHO"),
              1, "JSON2XML")
