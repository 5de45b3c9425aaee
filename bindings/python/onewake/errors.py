# SPDX-License-Identifier: Apache-2.0
"""errors.py - an exception class per error

All are Errors. Those of calls are AtmiErrors, one class for each tperrno, with
its name: `except onewake.TPENOENT`. TPETIME is a TimeoutError, too. Those of
UBF are UbfErrors, which have the name of their Berror.
"""
from onewake import _core


class Error(Exception):
    """Anything that the libraries refuse."""


class AtmiError(Error):
    """`code` is tperrno, `name` its name, `urcode` the code that the service
    returned, `data` its reply: of TPESVCFAIL. `not_done`: no server has begun the
    request, for sure, so it may be sent again; False: perhaps one has."""
    code = 0

    def __init__(self, text="", urcode=0, data=None, code=None, not_done=False):
        Exception.__init__(self, text)
        if code is not None:
            self.code = code
        self.text, self.urcode, self.data = text, urcode, data
        self.not_done = not_done

    @property
    def name(self):
        return type(self).__name__

    def __reduce__(self):
        return type(self), (self.text, self.urcode, self.data, self.code, self.not_done)


class UbfError(Error):
    """`code` is Berror, `name` its name."""

    def __init__(self, code, text):
        super().__init__(code, text)
        self.code, self.text = code, text
        self.name = UBF_NAMES.get(code, str(code))

    def __str__(self):
        return self.text


UBF_NAMES = dict(enumerate(
    "BMINVAL BERFU0 BALIGNERR BNOTFLD BNOSPACE BNOTPRES BBADFLD BTYPERR "
    "BEUNIX BBADNAME BMALLOC BSYNTAX BFTOPEN BFTSYNTAX BEINVAL BERFU1 BBADTBL "
    "BBADVIEW BVFSYNTAX BVFOPEN BBADACM BNOCNAME BEBADOP".split()))

_NAMES = ("TPEABORT TPEBADDESC TPEBLOCK TPEINVAL TPELIMIT TPENOENT TPEOS "
          "TPEPERM TPEPROTO TPESVCERR TPESVCFAIL TPESYSTEM TPETIME TPETRAN "
          "TPGOTSIG TPERMERR TPEITYPE TPEOTYPE TPERELEASE TPEHAZARD "
          "TPEHEURISTIC TPEEVENT TPEMATCH TPEDIAGNOSTIC TPEMIB").split()
_ALSO = {"TPETIME": (TimeoutError,)}
_DOC = {"TPEDIAGNOSTIC": "`diagnostic` is a QME... number; it is also in "
                         "`data`, the control block."}


def _diagnostic(self):
    return self.data["diagnostic"] if self.data else 0


ATMI_ERRORS = {}
for _code, _name in enumerate(_NAMES, 1):
    _members = {"code": _code, "__doc__": _DOC.get(_name, f"tperrno {_name}."),
                "__module__": __name__}
    if _name == "TPEDIAGNOSTIC":
        _members["diagnostic"] = property(_diagnostic)
    ATMI_ERRORS[_code] = globals()[_name] = type(
        _name, (AtmiError, *_ALSO.get(_name, ())), _members)


def _error(code, text, urcode, data, unbegun):
    return ATMI_ERRORS.get(code, AtmiError)(text, urcode, data, code, bool(unbegun))


_core._setup({"error": _error, "ubf_error": UbfError})
__all__ = list(_NAMES)
