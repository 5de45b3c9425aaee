# SPDX-License-Identifier: Apache-2.0
"""testing.py - a domain in a temporary folder, for tests of services

    with Domain(["mysv.py", "bank:app", {"program": "banksv", "max": 4}],
                fields="bank.fd") as domain:
        assert onewake.call("HELLO", "you") == "Hello, you"

A server is a Python file or MODULE[:APP] (run by `onewake run`), a program of
C, or a dict: `program`, and elements of <server> in ndrxconfig.xml such as
min, max, appopt. This process is a client of the domain while the block runs.
"""
import contextlib
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from typing import Any, Callable, Iterable, Optional, TypeVar, Union
from xml.sax.saxutils import escape, quoteattr

from onewake import client
from onewake.errors import AtmiError

# Times that suit tests: a dead server is started again within 0.1 s.
APPCONFIG = {"sanity": "1", "restart_min": "100ms", "restart_step": "100ms",
             "restart_max": "300ms"}
DEFAULTS = {"min": "1", "max": "1", "autokill": "1", "start_max": "30s",
            "end_max": "5s", "killtime": "1s"}
_OWN = ("NDRX_", "ONEWAKE_", "FIELDTBLS", "FLDTBLDIR", "VIEWFILES", "VIEWDIR")


_T = TypeVar("_T")
_Path = Union[str, "os.PathLike[str]"]


class DomainError(RuntimeError):
    """The domain did not start, or left something behind."""


def _elements(values):
    return "".join(f"<{k}>{escape(str(v))}</{k}>" for k, v in values.items())


def _list_of(servers):
    """A text is a list of letters."""
    if isinstance(servers, (str, os.PathLike, dict)):
        raise TypeError(f"servers={servers!r}: give a list")
    servers = list(servers)
    for given in servers:
        if isinstance(given, dict) and "program" not in given:
            raise TypeError(f"{given!r} has no program")
    return servers


def _is_python(program):
    return ":" in program or program.endswith(".py")


def _command(program):
    return f"{shlex.quote(sys.executable)} -m onewake run " \
        f"{shlex.quote(program)} ${{NDRX_SVCLOPT}}"


class Domain:
    """`folder` is its own, `log` the folder of its logs. `env`: variables of
    its processes and, while the block runs, of this one. `sections`: XML text
    for <endurox>, such as <services>."""

    def __init__(self, servers: Iterable[Union[_Path, dict[str, Any]]] = (), *,
                 transport: Optional[str] = None, env: Optional[dict[str, str]] = None,
                 fields: Optional[_Path] = None, views: Optional[_Path] = None,
                 path: Iterable[_Path] = (), sections: str = "",
                 appconfig: Optional[dict[str, Any]] = None) -> None:
        self.servers, self.sections = _list_of(servers), sections
        for given in (fields, views):
            if given and not os.path.exists(given):
                raise DomainError(f"there is no {given}")
        self.appconfig = {**APPCONFIG, **(appconfig or {})}
        self.prefix = "py" + os.urandom(4).hex()
        self.folder = tempfile.mkdtemp(prefix="onewake_")
        self.log = os.path.join(self.folder, "log")
        os.mkdir(self.log)
        self._before = None
        self._started = False
        self._next_id = 1
        self.env = self._environment(transport, env or {}, fields, views,
                                     [os.fspath(folder) for folder in path])

    # ---- what it is made of ----

    def _environment(self, transport, env, fields, views, path):
        own = {
            "NDRX_QPREFIX": "/" + self.prefix, "NDRX_APPHOME": self.folder,
            "NDRX_ULOG": self.log, "NDRX_TOUT": "20", "NDRX_SILENT": "Y",
            "NDRX_CONFIG": os.path.join(self.folder, "ndrxconfig.xml"),
            "NDRX_DEBUG_STR": "ndrx=3 ubf=3 tp=4",
            "PATH": os.pathsep.join([*path, os.environ.get("PATH", "")]),
            "PYTHONPATH": os.pathsep.join(
                [*path, *(p for p in sys.path if p)]),
        }
        for given, files, folder in ((fields, "FIELDTBLS", "FLDTBLDIR"),
                                     (views, "VIEWFILES", "VIEWDIR")):
            if given:
                full = os.path.abspath(given)
                own[files] = os.path.basename(full)
                own[folder] = os.path.dirname(full)
        if transport:
            own["NDRX_TRANSPORT"] = transport
        own.update(env)
        return own

    def _environ(self):
        """That of a process of the domain."""
        rest = {k: v for k, v in os.environ.items() if not k.startswith(_OWN)}
        return {**rest, **self.env}

    def _server(self, given):
        s = dict(given) if isinstance(given, dict) else {"program": given}
        program = str(s.pop("program"))
        env = s.pop("env", {})
        base = os.path.basename(program).partition(":")[0]
        name = s.pop("name", base[:-3] if base.endswith(".py") else base)
        if _is_python(program):
            s.setdefault("cmdline", _command(
                os.path.abspath(program) if os.path.exists(program)
                else program))
        elif os.sep in program:
            s.setdefault("fullpath", os.path.abspath(program))
        s.setdefault("srvid", self._next_id)
        copies = max(int(s.get("max", 1)), int(s.get("min", 1)))
        self._next_id = int(s["srvid"]) + copies
        log = os.path.join(self.log, f"{name}.log")
        s.setdefault("sysopt", f"-e {shlex.quote(log)} -r")
        variables = "".join(f"<env name={quoteattr(k)}>{escape(v)}</env>"
                            for k, v in env.items())
        return f"<server name={quoteattr(name)}>{_elements(s)}" \
            f"{'<envs>' + variables + '</envs>' if env else ''}</server>\n"

    def _configure(self):
        servers = "".join(map(self._server, self.servers))
        with open(self.env["NDRX_CONFIG"], "w", encoding="utf-8") as f:
            f.write(f"<?xml version=\"1.0\"?>\n<endurox>\n<appconfig>"
                    f"{_elements(self.appconfig)}</appconfig>\n<defaults>"
                    f"{_elements(DEFAULTS)}</defaults>\n<servers>\n{servers}"
                    f"</servers>\n{self.sections}</endurox>\n")

    # ---- its life ----

    def _need_folder(self):
        if not os.path.isdir(self.log):
            raise DomainError("the domain was stopped, or its folder taken away: it does not run "
                              "any more")

    def _need_start(self):
        self._need_folder()
        if not self._started:
            raise DomainError("the domain was not started: start() does it, or a block")

    def run(self, *words: object, timeout: float = 60, check: bool = True,
            env: Optional[dict[str, str]] = None, **how: Any
            ) -> "subprocess.CompletedProcess[str]":
        """Run a program with the environment of the domain, to its end."""
        self._need_folder()
        r = subprocess.run(
            [str(w) for w in words], capture_output=True, text=True,
            env={**self._environ(), **(env or {})}, cwd=self.folder,
            timeout=timeout, stdin=subprocess.DEVNULL, check=False,
            **{"errors": "surrogateescape", **how})
        if check and r.returncode != 0:
            raise DomainError(f"{' '.join(map(str, words))}: exit "
                              f"{r.returncode}\n{r.stdout}{r.stderr}")
        return r

    def xadmin(self, *words: object, **how: Any) -> str:
        """The output of an xadmin command."""
        self._need_start()
        return self.run("xadmin", *words, **how).stdout

    def start(self) -> "Domain":
        """Boot it, and make this process a client of it."""
        self._need_folder()
        if self._started:
            raise DomainError("the domain was started before")
        if shutil.which("xadmin", path=self.env["PATH"]) is None:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise DomainError("xadmin is not in PATH: add the bin folder of Onewake to it")
        self._configure()
        self._started = True
        try:
            self.xadmin("start", "-y")
        except BaseException as e:
            logs = self.logs()
            self.stop()
            raise DomainError(f"{e}\n{logs}") from None
        self._before = {k: os.environ.get(k) for k in self.env}
        os.environ.update(self.env)
        return self

    def stop(self) -> None:
        """Take it away, with all that it has left."""
        with contextlib.suppress(AtmiError):
            client.term()
        for name, value in (self._before or {}).items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        self._before = None
        if self._started:
            self._started = False
            os.makedirs(self.log, exist_ok=True)  # somebody may have taken them away
            self.run("xadmin", "stop", "-y", check=False)
            if os.path.exists(f"/dev/shm/{self.prefix},shm"):
                self.run("xadmin", "down", "-y", check=False)
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> "Domain":
        return self.start()

    def __exit__(self, *_: Any) -> None:
        self.stop()

    # ---- for tests ----

    def logs(self, lines: int = 40) -> str:
        """The ends of its logs."""
        self._need_folder()
        text = ""
        for name in sorted(os.listdir(self.log)):
            with open(os.path.join(self.log, name), encoding="utf-8",
                      errors="replace") as f:
                text += f"---- {name}\n" + "".join(f.readlines()[-lines:])
        return text

    def pid(self, srvid: int) -> int:
        """The process of a server; 0: it does not run."""
        import json
        rows = json.loads(self.xadmin("ppm", "--json") or "[]")
        for row in rows:
            if row["srvid"] == srvid and row["state"] == "runok":
                return row["pid"]
        return 0

    def kill(self, srvid: int, sig: int = signal.SIGKILL) -> int:
        """Kill a server; its process id. It is started again."""
        pid = self.pid(srvid)
        if pid <= 0:
            raise DomainError(f"server {srvid} does not run")
        os.kill(pid, sig)
        return pid

    @staticmethod
    def wait_for(condition: Callable[[], _T], what: str = "a condition",
                 seconds: float = 10) -> _T:
        """Poll until it is true; its value."""
        end = time.monotonic() + seconds
        while True:
            value = condition()
            if value:
                return value
            if time.monotonic() > end:
                raise TimeoutError(f"not within {seconds} s: {what}")
            time.sleep(0.01)
