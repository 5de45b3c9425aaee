# SPDX-License-Identifier: Apache-2.0
"""tree.py - find the sources and make a release build of them

Benchmarks and the demo use release builds only. The build is in build/release
of the sources; a user without write permission there gets a private build in
the temporary folder. ONEWAKE_BUILD names a finished build to use instead.
"""
import os
import subprocess
import sys
import tempfile

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAMS = ("xadmin", "ndrxd", "banksv", "bankcl", "baseline", "load",
            "chaos", "echosv", "ubf_bench", "wake", "depth", "pace", "idlers",
            "copy", "wakesim", "ledger", "ledgercl", "ledgersv", "steady",
            "whosv", "poster", "tpevsrv", "tmqueue", "durable", "tmsrv",
            "transfercl", "commits", "workbare", "workcl", "worksv", "soak")
# These, too, where the libraries or languages are that they need.
OPTIONAL = ("ndrxbridge", "natsprobe", "nodesim", "pgaccounts", "mdbaccounts",
            "byhand", "httpgate", "blackboxsv", "ndrxotel", "onewake_python", "onewake_python_modules", "owledger")


class BuildFailed(Exception):
    """The build failed; the text is the end of its log."""


def complete(folder):
    """Are all programs there?"""
    return all(os.access(os.path.join(folder, "bin", p), os.X_OK)
               for p in PROGRAMS)


def writable(folder):
    """Could this user build in `folder`, which may not exist yet?"""
    while not os.path.exists(folder):
        folder = os.path.dirname(folder)
    return os.access(folder, os.W_OK)


def choose():
    """The build folder, and whether it is to be built."""
    given = os.environ.get("ONEWAKE_BUILD")
    if given:
        return os.path.abspath(given), False
    usual = os.path.join(SOURCE, "build", "release")
    cache = os.path.join(usual, "CMakeCache.txt")
    if writable(cache if os.path.exists(cache) else usual):
        return usual, True
    if complete(usual):
        return usual, False
    own = "onewake-build-%d" % os.getuid()
    return os.path.join(tempfile.gettempdir(), own), True


def run_logged(command, log):
    """Run one step of the build; its output goes to `log`."""
    done = subprocess.run(command, cwd=SOURCE, stdout=log,
                          stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                          check=False)
    if done.returncode != 0:
        log.seek(0)
        tail = log.read().splitlines()[-40:]
        raise BuildFailed("\n".join(tail))


def targets(folder, log):
    """What this build can make."""
    told = subprocess.run(["cmake", "--build", folder, "--target", "help"],
                          text=True, stdout=subprocess.PIPE, stderr=log,
                          stdin=subprocess.DEVNULL, check=False).stdout
    return {line.split(":")[0] for line in told.splitlines()}


def build():
    """Bring the release build up to date; its bin folder."""
    folder, wanted = choose()
    if wanted:
        os.makedirs(folder, mode=0o755, exist_ok=True)
        if os.stat(folder).st_uid not in (os.getuid(), 0):
            raise BuildFailed("%s belongs to somebody else" % folder)
        with tempfile.TemporaryFile("w+", errors="replace") as log:
            # A build made with -DOW_TESTS=OFF has no benchmarks.
            if not os.path.exists(os.path.join(folder, "build.ninja")) or \
                    not targets(folder, log) >= set(PROGRAMS):
                run_logged(["cmake", "--preset", "release", "-B", folder,
                            "-DOW_TESTS=ON"], log)
            known = targets(folder, log)
            run_logged(["cmake", "--build", folder, "--target", *PROGRAMS,
                        *(p for p in OPTIONAL if p in known)], log)
    if not complete(folder):
        raise BuildFailed("%s: programs are missing" % folder)
    return os.path.join(folder, "bin")


def build_or_exit():
    """build(), with the log on standard error when it fails."""
    try:
        return build()
    except BuildFailed as why:
        sys.exit("%s\nThe build failed, see above." % why)
    except OSError as why:
        sys.exit("build: %s" % why)
