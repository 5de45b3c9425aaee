# SPDX-License-Identifier: Apache-2.0
"""A plugin that brings the runtime is unloaded and loaded again."""
import os

from checks import equal
from fixture import BUILD, Domain, wait_for

MAINLY = "posix"


def test_a_plugin_is_unloaded_while_its_thread_has_a_context():
    with Domain() as d:
        d.server(1, "ECHO")
        r = d.run("unloader", os.path.join(BUILD, "tests/e2e/libplugin.so"),
                  "ECHO", 5)
        equal((r.returncode, r.stdout), (0, "bad 0\n"), r.stderr)
        wait_for(lambda: d.rows("stat")[0].clients == 0, "slots given back")
