# SPDX-License-Identifier: Apache-2.0
"""databases.py - databases of a story's own

    with Postgres() as pg, MariaDB() as db:
        pg.sql("create table a (n int)")
        env = pg.env               # of its servers and its tmsrv
        pg.kill(), pg.start()

Each runs in a temporary folder, with a copy of files that were made once in a
build folder, and is reached by a socket in it. They do not run
as root: then they are nobody's.
"""
import glob
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from machine import BUILD, Skip, children_of, wait_for

__all__ = ["MariaDB", "Postgres"]


class Database:
    """A process in a temporary folder."""

    KILL = signal.SIGKILL

    def __init__(self, prefix):
        user = pwd.getpwnam("nobody") if os.getuid() == 0 else \
            pwd.getpwuid(os.getuid())
        self.who = {"user": user.pw_uid, "group": user.pw_gid,
                    "extra_groups": []} if os.getuid() == 0 else {}
        self.home = tempfile.mkdtemp(prefix=prefix)
        # mariadbd removes the temporary tables that it finds when it starts,
        # those of others, too.
        self.own_env = {**os.environ, "TMPDIR": self.home}
        self.data = os.path.join(self.home, "data")
        self.log = os.path.join(self.home, "log")
        self.proc = None
        self.user = user.pw_name
        os.chown(self.home, user.pw_uid, user.pw_gid)

    def run(self, *argv, check=True, **kw):
        r = subprocess.run(argv, capture_output=True, text=True,
                           errors="replace", check=False, timeout=120,
                           cwd=self.home, env=self.own_env, **self.who,
                           **kw)
        if check and r.returncode != 0:
            raise AssertionError(f"{argv[0]}: exit status {r.returncode}\n"
                                 f"{r.stdout}{r.stderr}")
        return r

    def make_data(self, name, program, make):
        """The files of a new database: make() makes them once in a build
        folder; all others get a copy."""
        made = int(os.stat(program).st_mtime)  # not those of another version
        kept = f"{BUILD}/databases/{name}-{made}-{self.user}.tar"
        if os.path.exists(kept):
            with open(kept, "rb") as f:
                self.run("tar", "-x", "-C", self.home, stdin=f)
            return
        make()
        os.makedirs(os.path.dirname(kept), exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=os.path.dirname(kept),
                                         delete=False) as f:
            subprocess.run(["tar", "-c", "-C", self.home, "data"], stdout=f,
                           check=True)
        os.rename(f.name, kept)

    def spawn(self, *argv):
        with open(self.log, "ab") as log:
            self.proc = subprocess.Popen(argv, stdout=log, stderr=log,
                                         cwd=self.home, env=self.own_env,
                                         **self.who)
        wait_for(self.is_ready, f"{argv[0]} is ready", 60)

    def twin(self):
        """Another one, with a copy of the files as they are now. Both run afterwards."""
        self.kill()
        other = type(self)()
        other.kill()
        subprocess.run(["rm", "-rf", other.data], check=True)
        subprocess.run(["cp", "-a", self.data, other.data], check=True)
        for name in "postmaster.pid", "postmaster.opts":
            if os.path.exists(f"{other.data}/{name}"):
                os.unlink(f"{other.data}/{name}")
        other.start()
        self.start()
        return other

    def kill(self):
        """Without leave to put anything in order."""
        self.proc.send_signal(self.KILL)
        self.proc.wait(60)

    def pause(self, seconds):
        """All of its processes stand still, and it says nothing, for so long."""
        stopped = [self.proc.pid]
        try:
            os.kill(self.proc.pid, signal.SIGSTOP)  # and has no new children
            for pid in children_of(self.proc.pid):
                stopped.append(pid)
                os.kill(pid, signal.SIGSTOP)
            time.sleep(seconds)
        except ProcessLookupError:
            pass
        for pid in stopped:
            try:
                os.kill(pid, signal.SIGCONT)
            except ProcessLookupError:
                pass

    def rows(self):
        """n of each row of `a`."""
        return " ".join(self.sql("select n from a order by id").split())

    def __enter__(self):
        return self

    def __exit__(self, kind=None, *_):
        if kind is not None and kind is not Skip:
            self.print_log()
        if self.proc is not None and self.proc.poll() is None:
            self.proc.send_signal(signal.SIGCONT)
            self.kill()
        subprocess.run(["rm", "-rf", self.home], check=False)

    def print_log(self):
        ended = self.proc is not None and self.proc.poll()
        with open(self.log, encoding="utf-8", errors="replace") as f:
            print(f"---- database, exit status {ended}", f.read()[-6000:],
                  sep="\n", file=sys.stderr)


class Postgres(Database):
    """PostgreSQL."""

    RMID, PROGRAM = 3, "pgsv"

    # Its processes end at once, without a checkpoint; a new one waits until
    # they are gone.
    KILL = signal.SIGQUIT
    SVC, HALF = "PG", "update a set n = n - 1 returning n"
    BIN = sorted(glob.glob("/usr/lib/postgresql/*/bin/postgres"))

    def __init__(self, settings=("max_prepared_transactions=50",),
                 lib=f"{BUILD}/lib"):
        self.driver = f"{lib}/libndrxxapq.so"
        if not self.BIN or not os.path.exists(self.driver):
            raise Skip("PostgreSQL or libpq is not installed")
        super().__init__("ow_pg_")
        self.bin = os.path.dirname(self.BIN[-1])
        self.settings = settings
        self.make_data("postgres-small", self.BIN[-1], self._init)
        self.start()

    def _init(self):
        self._run("initdb", "-D", self.data, "-A", "trust", "-N", "-U",
                  self.user, "--wal-segsize=1")
        # Nobody makes more databases of them, and each copy would have them:
        # 30 of 40 MB.
        self._run("postgres", "--single", "-D", self.data, "postgres",
                  input="update pg_database set datistemplate = false;\n"
                  "drop database template0;\ndrop database template1;\n")

    def _run(self, name, *argv, **kw):
        return self.run(os.path.join(self.bin, name), *argv, **kw)

    def is_ready(self):
        """It says so in its file, whose first line is its pid."""
        try:
            with open(f"{self.data}/postmaster.pid", encoding="ascii") as f:
                said = f.read().split()
        except FileNotFoundError:
            return False
        return said[:1] == [str(self.proc.pid)] and said[-1] == "ready"

    def start(self):
        argv = [os.path.join(self.bin, "postgres"), "-D", self.data,
                "-k", self.home, "-c", "listen_addresses=",
                "-c", "shared_memory_type=mmap", "-c", "shared_buffers=4MB",
                "-c", "dynamic_shared_memory_type=mmap"]
        for s in self.settings:
            argv += ["-c", s]
        self.spawn(*argv)

    def sql(self, text):
        return self._run("psql", "-h", self.home, "-At", "-c", text,
                         "postgres").stdout.strip()

    def in_doubt(self):
        """Branches that are prepared."""
        return int(self.sql("select count(*) from pg_prepared_xacts"))

    def take_locks(self):
        """Of all rows of `a`, within five seconds."""
        self.sql("set lock_timeout = '5s'; update a set n = 100")

    @property
    def env(self):
        return {"NDRX_XA_RES_ID": str(self.RMID), "NDRX_XA_DRIVERLIB": self.driver,
                "NDRX_XA_OPEN_STR":
                f"{{\"url\":\"host={self.home} dbname=postgres "
                f"user={self.user}\"}}"}


class MariaDB(Database):
    """MariaDB. `grants`: with users and their rights, which
    need the tables that mariadb-install-db makes."""

    RMID, PROGRAM = 4, "mdbsv"
    SERVER = shutil.which("mariadbd", path="/usr/sbin:/usr/bin:/usr/local/bin")
    CLIENT = shutil.which("mariadb")
    SVC, HALF = "DB", "select n from a for update"

    def __init__(self, grants=False, lib=f"{BUILD}/lib"):
        self.driver = f"{lib}/libndrxxamariadb.so"
        if not self.SERVER or not self.CLIENT or \
                not os.path.exists(self.driver):
            raise Skip("MariaDB or libmariadb is not installed")
        super().__init__("ow_mdb_")
        self.grants = grants
        self.settings = ()
        self.login = "root"
        if grants:
            self.make_data("mariadb", self.SERVER, self._install)
        else:
            self._make_folder()
        self.start()
        self.sql("create database bank")

    def _make_folder(self):
        os.mkdir(self.data)
        shutil.chown(self.data, self.user)

    def _install(self):
        self._make_folder()
        self.run("mariadb-install-db", "--no-defaults",
                 f"--datadir={self.data}", "--skip-test-db",
                 "--auth-root-authentication-method=normal",
                 "--innodb-log-file-size=8M")

    @property
    def socket(self):
        return os.path.join(self.home, "s")

    def is_ready(self):
        """It greets whoever connects."""
        with socket.socket(socket.AF_UNIX) as s:
            s.settimeout(5)
            try:
                s.connect(self.socket)
                return s.recv(1) != b""
            except OSError:
                return False

    def start(self):
        argv = [self.SERVER, "--no-defaults", f"--datadir={self.data}",
                f"--socket={self.socket}", "--skip-networking",
                f"--pid-file={self.home}/pid", "--innodb-log-file-size=8M",
                "--innodb-buffer-pool-size=16M", "--skip-name-resolve"]
        if not self.grants:
            argv.append("--skip-grant-tables")
        self.spawn(*argv, *self.settings)

    def sql(self, text):
        rows = self.run(self.CLIENT, "--no-defaults", "-u", "root", "-N", "-S",
                        self.socket, "-D", "bank" if "create database" not in
                        text else "", "-e", text).stdout
        return rows.strip().replace("\t", "|")

    def in_doubt(self):
        return len(self.sql("xa recover format='SQL'").splitlines())

    def take_locks(self):
        self.sql("set innodb_lock_wait_timeout = 5; update a set n = 100")

    @property
    def env(self):
        return {"NDRX_XA_RES_ID": str(self.RMID), "NDRX_XA_DRIVERLIB": self.driver,
                "NDRX_XA_OPEN_STR":
                f"{{\"socket\":\"{self.socket}\",\"user\":"
                f"\"{self.login}\",\"database\":\"bank\"}}"}
