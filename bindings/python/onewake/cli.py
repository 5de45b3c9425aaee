# SPDX-License-Identifier: Apache-2.0
"""cli.py - the command onewake

    onewake run [--threads] [--reload] MODULE[:APP] [OPTIONS OF A SERVER]

runs a server: APP of the module, a Server or its class; without APP all
functions of the module with @service. --threads: services may run in several
threads at once; --reload, for development: the server ends when its sources
change, and ndrxd starts it again. In ndrxconfig.xml:

    <server name="bank">
      <srvid>1</srvid><min>1</min><max>1</max>
      <cmdline>onewake run bank:app ${NDRX_SVCLOPT}</cmdline>
    </server>
"""
import importlib
import os
import sys

from onewake import server


def load(name):
    """The app that MODULE[:APP] names. The working folder counts."""
    module, _, attribute = name.partition(":")
    if os.getcwd() not in sys.path and "" not in sys.path:
        sys.path.insert(0, os.getcwd())
    if module.endswith(".py"):
        folder, module = os.path.split(module[:-len(".py")])
        sys.path.insert(0, folder or os.getcwd())
    found = importlib.import_module(module)
    for part in attribute.split(".") if attribute else ():
        found = getattr(found, part)
    return found


def main(argv=None):
    argv = list(sys.argv if argv is None else argv)
    words, how = argv[1:], {}
    if words[:1] != ["run"]:
        print(__doc__, file=sys.stderr)
        sys.exit(0 if words[:1] in (["-h"], ["--help"]) else 2)
    words.pop(0)
    while words[:1] in (["--threads"], ["--reload"]):
        how[words.pop(0)[2:]] = True
    if not words or words[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    app = load(words[0])
    name = words[0].partition(":")[0]
    server.run(app, [os.path.basename(name).removesuffix(".py"), *words[1:]],
               **how)
