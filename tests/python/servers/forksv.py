# SPDX-License-Identifier: Apache-2.0
"""forksv.py - services that fork"""
import os

import onewake


@onewake.service("FORKS")
def forks(request):
    """The child calls, and tells what it got."""
    ours, its = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.write(its, onewake.call("ECHO", "child " + request.data).encode())
        finally:
            os._exit(0)
    os.close(its)
    with os.fdopen(ours, "rb") as f:
        said = f.read().decode()
    os.waitpid(pid, 0)
    return said


@onewake.service("COMESBACK")
def comes_back(request):
    pid = os.fork()
    if pid == 0:
        return "of the child"
    return str(os.waitpid(pid, 0)[1])


if __name__ == "__main__":
    onewake.run()
