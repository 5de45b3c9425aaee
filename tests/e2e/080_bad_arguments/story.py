# SPDX-License-Identifier: Apache-2.0
"""Wrong arguments give errors and crash no process."""
from checks import equal
from fixture import Domain

MAINLY = "posix"

WANT = {
    "tpcall name NULL": [-1, "TPEINVAL"],
    "tpcall name empty": [-1, "TPENOENT"],
    "tpcall odata NULL": [-1, "TPEINVAL"],
    "tpcall olen NULL": [-1, "TPEINVAL"],
    "tpcall stale": [-1, "TPEINVAL"],
    "tpcall foreign": [-1, "TPEINVAL"],
    "tpcall foreign odata": [-1, "TPEINVAL"],
    "tpcall stale odata": [-1, "TPEINVAL"],
    "tpcall TPNOREPLY": [-1, "TPEINVAL"],
    "tpacall name NULL": [-1, "TPEINVAL"],
    "tpacall stale": [-1, "TPEINVAL"],
    "tpacall foreign": [-1, "TPEINVAL"],
    "tpgetrply cd NULL": [-1, "TPEINVAL"],
    "tpgetrply data NULL": [-1, "TPEINVAL"],
    "tpgetrply len NULL": [-1, "TPEINVAL"],
    "tpgetrply not issued": [-1, "TPEBADDESC"],
    "tpgetrply 0": [-1, "TPEINVAL"],
    "tpgetrply 16384": [-1, "TPEINVAL"],
    "tpcancel never given": [-1, "TPEBADDESC"],
    "tpalloc NULL": [0, "TPEINVAL"],
    "tpalloc unknown": [0, "TPEOTYPE"],
    "tpalloc negative": [0, "TPEINVAL"],
    "tpalloc VIEW NULL": [0, "TPEINVAL"],
    "tprealloc NULL": [0, "TPEINVAL"],
    "tprealloc stale": [0, "TPEINVAL"],
    "tprealloc foreign": [0, "TPEINVAL"],
    "tptypes NULL": [-1, "TPEINVAL"],
    "tptypes foreign": [-1, "TPEINVAL"],
    "CARRAY too long": [-1, "TPEINVAL"],
    "CARRAY negative": [-1, "TPEINVAL"],
    "tpfree of anything": [0, "OK"],
}


def test_bad_arguments_get_their_errors():
    with Domain() as d:
        d.server(1, "ECHO")
        c = d.client()
        got = c("abuse")
        wrong = {k: (got.get(k), v) for k, v in WANT.items()
                 if got.get(k) != v}
        equal(wrong, {}, "what: (got, want)")
        equal(c.call("ECHO", "still fine").data, "still fine")
