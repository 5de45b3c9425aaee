#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""object_api.py - the object API has every function, or there is a reason

    tests/arch/object_api.py SOURCE [--write]

libatmi/context/functions.inc lists the functions that are called in a context;
the headers o*.h declare them. Every other public function is in REASONS. The
manual page of the object API, doc/man/man3/Otpcall.3, is made of the headers
by --write; without, it is compared.
"""
import pathlib
import re
import sys

import public_names

ROOT = pathlib.Path(sys.argv[1]).resolve()
LIST = ROOT / "libatmi/context/functions.inc"
PAGE = ROOT / "doc/man/man3/Otpcall.3"
HEADERS = ("oatmi.h", "oatmisrv.h", "oubf.h", "odebug.h")
# Written by hand: libatmi/context/errors.c, tpgetctxt.c.
ERRORS = {"tpfreectxt", "exget_tperrno_addr", "exget_tpurcode_addr", "Nget_Nerror_addr",
          "ndrx_Bget_Ferror_addr", "tplasterror"}
# Why a public function has no counterpart: a pattern of names.
REASONS = {
    r"tp(get|set|new|free)ctxt|ndrx_tpsetctxt|"
    r"ndrx_(nstd|ubf|atmi)_tls_\w+":
        "is about contexts itself",
    r"_exget_\w+|_Nget_Nerror_addr|ndrx_Bget_Ferror_addr|tplasterror":
        "errors.c has its counterpart",
    r"tpsvr\w+|tpservice|ndrx_plugin_\w+": "is written by the program",
    r"ndrx_(fork|atfork_\w+)|tuxputenv|tuxreadenv|tpadmcall":
        "is about the process",
    r"userlog\w*|ndrx_lcf_\w+|ndrx_msgsizemax|debug_get_\w+_level|"
    r"ndrx_(get_G_)?cconfig\w*|tprminit": "is about the process",
    r"edb_\w+|ax_\w+": "another library's interface",
    r"ndrx_(inicfg|keyval|growlist|thpool|get_strtstamp)_\w+|"
    r"ndrx_stopwatch_\w+|ndrx_(file_touch|bench_write_stats|chomp|file_exists|"
    r"file_regular|isint|nr_chars|platf_stack_set|utc_tstamp2)":
        "needs no context",
    r"ndrx_debug_dump_UBF": "Otplogprintubf does the same",
}
HEAD = r""".\" SPDX-License-Identifier: Apache-2.0
.\" Made by tests/arch/object_api.py of the headers o*.h.
.Dd November 23, 2026
.Dt OTPCALL 3
.Os Onewake
.Sh NAME
"""
MIDDLE = r""".Nd the object API: functions with an explicit context
.Sh SYNOPSIS
"""
TEXT = r""".Sh DESCRIPTION
Each function does what the one of the same name without the O does, in the context *p_ctxt instead of that of the thread, with the same arguments, results and errors; see its page. It is for language bindings, whose tasks have contexts, but no threads of their own.
.Pp
If the thread has the context *p_ctxt (\c
.Xr tpsetctxt 3 ) ,
the function is called at once. Otherwise what the thread has is put aside, the context is put on the thread, and after the call the other way round. If *p_ctxt is TPNULLCONTEXT, a new context is made, and its handle is stored in *p_ctxt; the program frees it by tpfreectxt().
.Pp
Otperrno(p_ctxt), Otpurcode(p_ctxt), OBerror(p_ctxt) and ONerror(p_ctxt) are the errors of the context. O_exget_tperrno_addr() and its like return their addresses, valid until the next call in that context or with that context. ONDRX_LOG(p_ctxt, level, ...) and its like write to the log of the context.
.Pp
A call may be made in any thread, but one context is used by one thread at a time. Callbacks (OBwritecb()) run in the context of the call, and may call in others. Otpreturn() and Otpforward() end the service of the thread, in whatever context.
.Sh RETURN VALUES
Those of the functions without the O. If the context cannot be had: what the function returns on failure, 0 from OBpres() and its like.
.Sh ERRORS
If the context cannot be had,
.Va tperrno
of the thread, which is what Otperrno(p_ctxt) shows then, is one of these; Berror is BEINVAL, Nerror NEINVAL.
.Bl -tag -width TPEBADDESC
.It Er TPEINVAL
p_ctxt is NULL.
.It Er TPENOENT
There is no such context: it was freed, or never made.
.It Er TPEPROTO
Another thread has the context, or it is that of a server. Also a function that this version does not have yet; tpstrerror() says so.
.It Er TPELIMIT
The process has 65,536 contexts: no new one can be made.
.It Er TPEOS
There is no memory.
.El
.Sh EXAMPLES
.Bd -literal
#include <stdio.h>
#include <oatmi.h>

int main(void)
{
	TPCONTEXT_T one = TPNULLCONTEXT, two = TPNULLCONTEXT;
	char *reply = NULL;
	long len;
	int cd;

	cd = Otpacall(&one, "ECHO", NULL, 0, 0);
	if (cd == -1) {
		fprintf(stderr, "%s\en", Otpstrerror(&one, Otperrno(&one)));
		return 1;
	}
	if (Otpgetrply(&two, &cd, &reply, &len, 0) != -1)
		return 1; /* it is no call of this context */
	if (Otpgetrply(&one, &cd, &reply, &len, 0) == -1) {
		fprintf(stderr, "%s\en", Otpstrerror(&one, Otperrno(&one)));
		return 1;
	}
	Otpfree(&one, reply);
	tpfreectxt(one);
	tpfreectxt(two);
	return 0;
}
.Ed
.Sh SEE ALSO
.Xr tpcall 3 ,
.Xr tpgetctxt 3
"""


def listed():
    text = LIST.read_text()
    return re.findall(r"^OBJ_VOID0?\(\w+,\s*(\w+)|"
                      r"^OBJ(?:0|_PATH)?\(\w+,[^,]+,[^,]+,\s*(\w+)", text,
                      re.M)


def problems(known, names):
    functions = {n for n, v in known.items()
                 if v.declared and v.kind == "function"}
    ours = {n for n in functions if known[n].header in HEADERS}
    for name in sorted(n for n in names if names.count(n) > 1):
        yield f"{LIST.name}: {name} stands there twice"
    for name in sorted(set(names)):
        if "O" + name not in ours:
            yield f"{LIST.name}: no header declares O{name}"
        if name not in functions:
            yield f"{LIST.name}: there is no function {name}"
    for name in sorted(ours):
        if name[1:] not in names and name[1:].lstrip("_") not in ERRORS:
            yield f"{known[name].header}: {name} is not in {LIST.name}"
    for name in sorted(functions - ours - set(names)):
        if not any(re.fullmatch(p, name) for p in REASONS):
            yield f"{name} has no O{name}, and no reason in object_api.py"
    for pattern in REASONS:
        if not any(re.fullmatch(pattern, n) for n in functions - set(names)):
            yield f"object_api.py: no function is {pattern}"


def prototypes():
    """(header, [(result, name, [parameters])]) of the declarations."""
    for header in HEADERS:
        found = []
        text = public_names.code_of((ROOT / "include" / header).read_text())
        for part in public_names.declarations(text):
            got = public_names.from_declaration(part)
            if not got or not got[1] or public_names.private(got[0]):
                continue
            unsol = re.fullmatch(r"extern (void) \(\*(\w+)\((.*)\)\)"
                                 r"\((.*)\)", part)
            plain = re.fullmatch(r"extern (.*?[\s*])(\w+)\((.*)\)", part)
            if unsol:
                found.append((f"void (*)({unsol[4]})", unsol[2],
                              split(unsol[3])))
            elif plain:
                found.append((plain[1].strip(), plain[2], split(plain[3])))
        yield header, found


def split(text):
    """Parameters, at commas outside of parentheses."""
    parts, depth = [""], 0
    for c in text:
        depth += (c == "(") - (c == ")")
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [p.strip() for p in parts]


def page():
    groups = list(prototypes())
    names = [name for _, found in groups for _, name, _ in found]
    out = [HEAD, " ,\n".join(f".Nm {n}" for n in names), "\n", MIDDLE]
    for header, found in groups:
        out.append(f".In {header}\n")
        for result, name, parameters in found:
            words = " ".join(f'"{p}"' for p in parameters)
            out.append(f".Ft {result}\n.Fn {name} {words}\n")
    return "".join(out) + TEXT


def main():
    known, names = public_names.known(ROOT), [a or b for a, b in listed()]
    found = list(problems(known, names))
    if found:
        print("\n".join(found))
        return 1
    text = page()
    if "--write" in sys.argv:
        PAGE.write_text(text)
    elif not PAGE.exists() or PAGE.read_text() != text:
        print("doc/man/man3/Otpcall.3 is not what --write would make")
        return 1
    print(f"{len(names)} functions")
    return 0


if __name__ == "__main__":
    sys.exit(main())
