# SPDX-License-Identifier: Apache-2.0
"""server.py - services, and the server that has them

    @onewake.service("HELLO")
    def hello(request):
        return "Hello, " + request.data

    onewake.run()

A service returns the reply; Reply(data, urcode=5) one with a code;
Forward("OTHER", data) has another service reply; `raise Fail(data, urcode=1)`
is TPFAIL. Another exception goes to the log, and the caller gets TPESVCERR. A
coroutine runs in the event loop of the server while it serves others.
"""
import inspect
import os
import signal
import sys
import threading
import traceback
from typing import Any, Callable, NoReturn, Optional, TypeVar

from onewake import _core, forks
from onewake import conversations

_F = TypeVar("_F", bound=Callable[..., Any])
LOG_ERROR, LOG_WARN = 2, 3
TPCONV = 0x400
LATER = type("Later", (), {"__repr__": lambda self: "LATER"})()


class Reply:
    """The reply of a service, with a code for the caller's urcode. `exit`: the
    server ends, and is started again."""

    def __init__(self, data: Any = None, urcode: int = 0, exit: bool = False) -> None:  # noqa: A002
        self.data, self.urcode, self.exit = data, urcode, int(exit)


class Forward:
    """Another service replies."""

    def __init__(self, service: str, data: Any = None) -> None:
        self.service, self.data = service, data


class Fail(Exception):
    """Raised by a service: TPFAIL, with data and a code."""

    def __init__(self, data: Any = None, urcode: int = 0, exit: bool = False) -> None:  # noqa: A002
        super().__init__(data, urcode)
        self.data, self.urcode, self.exit = data, urcode, int(exit)


def _service_failed(name, error):
    _failed(f"service {name}", error)


def _failed(name, error):
    text = "".join(traceback.format_exception(type(error), error,
                                              error.__traceback__))
    for line in f"{name} failed: {text}".rstrip().split("\n"):
        _core.log(LOG_ERROR, line)


_core._setup({"failed": _service_failed, "reply": Reply, "forward": Forward,
              "fail": Fail, "later": LATER})


# ---- services ----

_services: dict[str, Any] = {}  # name -> function, of @service on plain functions


def service(*names: str) -> Callable[[_F], _F]:
    """The function is this service, or these. In a class: see Server."""
    if not names or not all(isinstance(n, str) for n in names):
        raise TypeError('write @service("NAME")')

    def named(function):
        if not callable(function):
            raise TypeError(f"@service({names[0]!r}) stands before a function, not {function!r}")
        try:
            function.__services__ = names
        except AttributeError:
            raise TypeError(f"@service({names[0]!r}) cannot stand before {function!r}: "
                            "advertise() offers it") from None
        if "." not in getattr(function, "__qualname__", "").rpartition("<locals>.")[2]:
            for name in names:
                _add(_services, name, function)
        return function
    return named


def _file(function):
    code = getattr(inspect.unwrap(function), "__code__", None)
    return code.co_filename if code else None


def _called(function):
    return getattr(function, "__qualname__", repr(function))


def _add(services, name, function):
    """Two functions with one name are a mistake: one of them would never be called. A module
    that is imported twice brings the same ones again."""
    other = services.get(name, function)
    if _called(other) != _called(function) and _file(other) == _file(function):
        raise ValueError(f"two functions of {_file(function)} are service {name}: "
                         f"{_called(other)}() and {_called(function)}()")
    services[name] = function


class Server:
    """A server with a state: methods with @service are its services.

        class Bank(onewake.Server):
            def init(self, args): ...          # before the first request
            def done(self): ...                # after the last one
            def thread_init(self, args): ...   # in each dispatch thread
            def thread_done(self): ...

            @onewake.service("BALANCE")
            def balance(self, request): ...
    """

    def init(self, args: list[str]) -> None:
        """`args`: what follows -- in the options of the server."""

    def done(self) -> None:
        pass

    def thread_init(self, args: list[str]) -> None:
        pass

    def thread_done(self) -> None:
        pass

    def services(self) -> dict[str, Callable[..., Any]]:
        """{name: method}"""
        found: dict[str, Any] = {}
        for key, value in inspect.getmembers(type(self)):
            for name in getattr(value, "__services__", ()):
                _add(found, name, getattr(self, key))
        return found


class _Plain(Server):
    """The services of plain functions."""

    def __init__(self, services, init=None, done=None):
        self._found, self._init, self._done = services, init, done

    def init(self, args):
        if self._init is not None:
            self._init(args)

    def done(self):
        if self._done is not None:
            self._done()

    def services(self):
        return self._found


# ---- coroutines ----

class _Loop:
    """The event loop of a server: a thread, made by the first service that is
    a coroutine."""

    def __init__(self):
        self.reset()

    def reset(self):
        self._lock = threading.Lock()
        self._loop, self._thread, self._tasks = None, None, set()
        self._ends = False

    def start(self):
        import asyncio  # which takes longer to import than all the rest
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(
                    target=self._run_until_it_ends, name="onewake-loop",
                    daemon=True)
                self._thread.start()
            return self._loop

    def _run_until_it_ends(self):
        """Services may stop their loop, and a task of theirs may end it: the next request
        needs it all the same."""
        while not self._ends:
            try:
                self._loop.run_forever()
            except BaseException as e:  # noqa: BLE001: SystemExit of a task
                _failed("event loop", e)

    def wrap(self, function):
        """A service function that hands the request to the loop."""
        def begin(request):
            loop = self.start()
            name, later = request.service, request.later()
            loop.call_soon_threadsafe(self._run, function, request, name, later)
            return LATER
        return begin

    def _run(self, function, request, name, later):
        task = self._loop.create_task(self._serve(function, request, name,
                                                  later))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, function, request, name, later):
        result = error = None
        try:
            result = await function(request)
        except BaseException as e:  # noqa: BLE001: the caller is told
            error = e
        _core.answer(later, name, result, error)

    async def _finish(self, seconds):
        import asyncio
        if self._tasks:
            await asyncio.wait(set(self._tasks), timeout=seconds)
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(set(self._tasks), timeout=1)

    def stop(self, seconds=10):
        """Requests under way are finished, or cancelled after that time."""
        import asyncio
        from onewake import aio  # which needs this module
        loop = self._loop
        if loop is None:
            return
        asyncio.run_coroutine_threadsafe(self._finish(seconds), loop).result()
        asyncio.run_coroutine_threadsafe(aio.close(), loop).result()
        self._ends = True
        loop.call_soon_threadsafe(loop.stop)
        self._thread.join()
        loop.close()
        self._loop, self._ends = None, False


_loop = _Loop()
forks.in_child(_loop.reset)


def _conversing(function):
    """A service with a second argument gets its end of the conversation."""
    def begin(request):
        return function(request, conversations.of_request(request))
    return begin


def _callable(name, function):
    needed = [p for p in inspect.signature(function).parameters.values()
              if p.default is p.empty and p.kind in (
                  p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    called = _called(function)
    if len(needed) > 2:
        raise TypeError(f"service {name}: {called}() is called with the request, "
                        "and with the conversation if it has a second argument")
    if inspect.iscoroutinefunction(function):
        if len(needed) == 2:
            raise TypeError(f"service {name}: {called}() converses, so it is no "
                            "coroutine: write def, its send() and receive() wait in a thread")
        return _loop.wrap(function)
    if len(needed) == 2:
        return _conversing(function)
    return function


_offered: set[str] = set()


def advertise(name: str, function: Callable[..., Any]) -> None:
    """Offer a service, in init() or later."""
    _core.advertise(name, _callable(name, function))
    _offered.add(name)


def unadvertise(name: str) -> None:
    _core.unadvertise(name)


def stop() -> None:
    """The server ends after the requests in hand."""
    _core.stop()


# ---- the main loop ----

def _server_of(app, init, done):
    if app is None:
        return _Plain(_services, init, done)
    if isinstance(app, type):
        app = app()
    if callable(getattr(app, "services", None)):
        return app
    found = {n: f for f in getattr(app, "__dict__", {}).values()
             for n in getattr(f, "__services__", ())}
    if not found and not callable(getattr(app, "init", None)):
        raise TypeError(f"{app!r} has no services")
    return _Plain(found, getattr(app, "init", None),
                  getattr(app, "done", None))


class _Sources:
    """The files of the program and of its modules that are no part of an
    installation: have they changed?"""

    def __init__(self):
        installed = {os.path.dirname(os.__file__), sys.prefix,
                     os.path.dirname(os.path.dirname(__file__))}
        files = {getattr(m, "__file__", None) or "" for m in
                 list(sys.modules.values())}
        self.times = {f: self._time(f) for f in files if f.endswith(".py") and
                      not any(os.path.abspath(f).startswith(i + os.sep)
                              for i in installed)}

    @staticmethod
    def _time(path):
        try:
            return os.stat(path).st_mtime_ns
        except OSError:
            return 0

    def changed(self):
        return any(self._time(f) not in (t, 0) for f, t in self.times.items())


def leave_ctrl_c():
    """To the library, which ends after the requests in hand: the handler of Python would run
    after the next request at the earliest, and fail that one."""
    if threading.current_thread() is threading.main_thread() and \
            signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def run(app: Any = None, argv: Optional[list[str]] = None, *,
        init: Optional[Callable[[list[str]], Any]] = None,
        done: Optional[Callable[[], Any]] = None, threads: bool = False,
        reload: bool = False) -> NoReturn:
    """Be a server until it is stopped, and exit with its status. `app`: a
    Server, or a module; None: the functions with @service. `threads`:
    services may run in several threads at once (maxdispatchthreads of the
    configuration). `reload`: the server looks once a second whether its
    sources have changed, and ends then: ndrxd starts it again."""
    server = _server_of(app, init, done)
    argv = list(sys.argv if argv is None else argv)

    def begin(args):
        server.init(args[1:])
        for name, function in server.services().items():
            advertise(name, function)
        if not _offered:
            _core.log(LOG_WARN, "the server offers no service: functions with @service are in no "
                      "module that it has imported, or in no class that it runs")
        if reload:
            _core.add_period(1, _Sources().changed)

    def end():
        _loop.stop()
        server.done()

    leave_ctrl_c()
    status = _core.run(argv, begin, end,
                       lambda args: server.thread_init(args[1:]),
                       server.thread_done, threads)
    sys.exit(status)
