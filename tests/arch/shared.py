#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""shared.py - each public function that looks at the context takes its lock

    tests/arch/shared.py SOURCE

Threads may share a context (libatmi/call/share.h): public functions of the folders that
see contexts begin with OW_SHARED, by themselves or in the one function that they call,
or there is a reason.
"""
import pathlib
import re
import sys

import public_names

ROOT = pathlib.Path(sys.argv[1]).resolve()
FOLDERS = ("call", "converse", "lcf", "unsol", "loop", "post", "tran", "durable", "mib",
           "context")
REASONS = {
    r"tpcall|tpacall|tpgetrply": "enter when ow_ctx_get() gives nothing",
    r"tpsetunsol|tpsetunsol_cb": "set() has it",
    r"tx_commit|tx_rollback": "end() has it",
    r"tpappthrinit|tpappthrterm": "call tpinit(), tpterm()",
    r"tptoutset|ndrx_xa_sw_get|tpgetconn|ndrx_(fork|atfork_\w+)|ndrx_lcf_\w+":
        "look at no context",
    r"tp(get|set|new|free)ctxt|ndrx_tpsetctxt|ndrx_(nstd|ubf|atmi)_tls_\w+|O\w+":
        "are about contexts themselves",
    r"tplog\w+": "call tpcall() and tpalloc() only",
}
FUNCTION = re.compile(r"^(?!static)[a-z][\w *]*?\b(\w+)\([^;{}]*\)\n\{\n(.*?)^\}", re.M | re.S)


def main():
    public = {n for n, it in public_names.known(ROOT).items() if it.kind == "function"}
    found, seen = [], 0
    for folder in FOLDERS:
        for path in sorted((ROOT / "libatmi" / folder).glob("*.c")):
            for name, body in FUNCTION.findall(path.read_text()):
                if name not in public:
                    continue
                if "OW_SHARED;" in body:
                    seen += 1
                elif not any(re.fullmatch(p, name) for p in REASONS):
                    found.append(f"{path.relative_to(ROOT)}: {name}() has no OW_SHARED")
    if seen < 40:
        found.append(f"only {seen} functions have it")
    print("\n".join(found) or f"{seen} functions take the lock of a shared context")
    return 1 if found else 0


sys.exit(main())
