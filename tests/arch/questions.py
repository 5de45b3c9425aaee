#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""questions.py - a newcomer finds answers within a minute, and they are true

doc/design/where.md, to which the README leads, has a question and its answer in
each paragraph.

    all answers        each `function()` stands in one of the files that the
                       answer names
    questions          the words that a newcomer would search for lead to at
                       most three paragraphs; one of them names the file, and
                       the file has the string in which the answer stands
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1]).resolve()
PAGE = ROOT / "doc/design/where.md"
# Words to search for (of each pair with | one), file, string in it.
WANTED = (
    ("large local message", "libatmi/transport/block/handover.c", "len > UINT64_C(4) << 30"),
    ("limit open files", "ndrxd/setup.c", "RLIMIT_NOFILE"),
    ("bridge credit", "servers/bridge/peers/send.c", "ow_br_credit("),
    ("tmsrv log restart", "servers/tmsrv/log_read.c", "int log_read("),
    ("priority used up", "libatmi/call/priority.h", "ow_priority_take("),
    ("message last try", "servers/tmqueue/forwarded.c", "q->def.errorq"),
    ("caller of a killed server", "ndrxd/servers/dead.c", "ow_dead_reap("),
    ("reply late", "libatmi/call/await.c", "match("),
    ("who may call a service", "libatmisrv/authorize.c", "ow_authorize("),
    ("ping interval", "libndrx/config/fields.c", "pingtime"),
    ("lock may be held while another", "doc/design/locks.md", "order"),
    ("run one story by hand", "tests/README.md",
     "tests/e2e/run.py tests/e2e/"),
    ("queue full", "libatmi/call/request.c", "TPEBLOCK"),
    ("signal call", "libatmi/call/tpcall.c", "TPGOTSIG"),
    ("tpforward", "libatmisrv/tpforward.c", "forward("),
    ("durable service one-way", "libatmi/call/stored.c", "ow_stored_ask("),
    ("slot client died", "libatmi/member/reap_client.c", "ow_reap_clients("),
    ("transaction too long", "servers/tmsrv/watch.c", "TRAN_ABORTING"),
    ("node dead", "servers/bridge/peers/clock.c", "SILENT_HEARTBEATS"),
    ("more instances server", "ndrxd/supervise/scale.c", "ow_scale_decide("),
    ("level log changed", "libatmi/log/order.c", "ow_log_orders_add("),
    ("exit status xadmin", "clients/xadmin/command/command.h", "enum ow_exit"),
    ("field table", "libubf/tables/fldtbl_load.c", "check_files("),
    ("version number", "VERSION", "0."),
    ("url service", "servers/httpgate/internal/route/table.go", "Find("),
    ("503", "servers/httpgate/internal/gate/queued.go", "late("),
    ("another node share", "libatmi/call/target.c", "take_turns("),
    ("tpcancel", "libatmi/call/calls.c", "ow_call_abandon("),
    ("decides posix shm", "libatmi/member/join.c", "decide_on_transport("),
    ("tpqwait", "servers/tmqueue/waiters.h", "in order of arrival"),
    ("ndrxd server ended", "ndrxd/servers/inst.c", "on_gone("),
    ("logrotate", "libatmi/log/file.c", "ow_log_file_follow("),
    ("json deep", "libubf/json/parse.h", "OW_JSON_DEPTH_MAX 512"),
    ("idempotency-key", "servers/httpgate/internal/idem/idem.go", "Serve("),
    ("messages wait queue large", "libatmi/transport/posix/shape.c", "NDRX_MSGSIZEMAX"),
    ("order senders wait", "libatmi/transport/shm/line.h", "in the order of their coming"),
    ("tpencrypt key", "libatmi/base/secret.h", "NDRX_ENCKEYFILE"),
    ("pid number again", "libatmi/base/proc.c", "ow_proc_alive("),
    ("power failure", "libatmi/domain/tables.c", "boot_id"),
    ("p99 histogram", "libatmisrv/figures.c", "ow_bucket_of("),
    ("options server read", "libatmisrv/options.c", "ow_options_parse("),
    ("tpsvrthrinit", "libatmisrv/thread.c", "ow_program_thrinit("),
    ("sched_batch", "libatmisrv/policy.c", "SCHED_BATCH | SCHED_RESET_ON_FORK"),
    ("stopped end_max", "ndrxd/model/automaton.c", "OW_AUTO_END_LATE, a->policy.end_max_ms"),
    ("order servers started stopped", "ndrxd/supervise/plan.c", "ow_plan_make("),
    ("starts programs clients", "ndrxd/clients/clients.c", "ow_clients_boot("),
    ("singleton", "ndrxd/groups/lock.c", "LOCK_EX"),
    ("drained", "ndrxd/supervise/drain.c", "ow_drain_holds("),
    ("autotran forward", "libatmisrv/tran_scope.c", "ow_tran_scope_pass_on("),
    ("disk full", "servers/tmqueue/engine.c", "QMENOSPACE"),
    ("view file", "libubf/viewdef/registry.c", "ow_view_find("),
    ("badd", "libubf/store/layout.h", "Each occurrence has a word"),
)
MOST = 3  # paragraphs that one reads in a minute
NAMED = re.compile(r"`([\w./-]+\.(?:[ch]|py|md|inc|sh|xml|rng|go|cmake|[1358])|VERSION)`|\]\(([\w./-]+)")
CALLS = re.compile(r"`(\w+)\(\)`")
# Functions of applications and of the C library.
ELSEWHERE = re.compile(r"(?:tp|tx|ax|xa|B|F)\w*|main|setjmp|fork")


def paragraphs():
    """(heading, question, text) of each."""
    heading = ""
    for block in PAGE.read_text().split("\n\n"):
        for line in block.splitlines():
            if line.startswith("## "):
                heading = line[3:]
        found = re.search(r"\*\*(.+?)\*\*", block, re.S)
        if found:
            yield heading, " ".join(found[1].split()), " ".join(block.split())


def files(text):
    """The files that an answer names. `parked.c` is beside the one before it;
    a folder has all of its files."""
    found, folder = [], ROOT
    for code, link in NAMED.findall(text):
        name = pathlib.PurePath(code or link)
        at = PAGE.parent if link else \
            ROOT if len(name.parts) > 1 or folder == ROOT else folder
        path = (at / name).resolve()
        if path.is_file():
            found.append(path)
            folder = path.parent if code else folder
    for name in re.findall(r"`([\w./-]+)/`", text):
        found += [p for p in (ROOT / name).glob("**/*") if p.is_file()]
    return found


def untrue(answers):
    for _, question, text in answers:
        named = [p.read_text(errors="replace") for p in files(text)]
        for function in CALLS.findall(text):
            if not ELSEWHERE.fullmatch(function) and \
                    not any(f"{function}(" in t for t in named):
                yield f"{question}: {function}() is in none of the files named"


def answered(answers, words, name, string):
    """None, or what a newcomer does not find."""
    def fits(paragraph):
        said = f"{paragraph[0]} {paragraph[2]}".lower()
        return all(re.search(rf"\b{w}", said) for w in words.lower().split())

    found = [a for a in answers if fits(a)]
    if not 1 <= len(found) <= MOST:
        return f"{words}: {len(found)} answers, want 1 to {MOST}"
    if not any(ROOT / name in files(text) for _, _, text in found):
        return f"{words}: no answer names {name}"
    if string not in (ROOT / name).read_text():
        return f"{words}: {name} has no {string!r}"
    return None


def main():
    answers = list(paragraphs())
    problems = [*untrue(answers),
                *filter(None, (answered(answers, *row) for row in WANTED))]
    if "(doc/design/where.md)" not in (ROOT / "README.md").read_text():
        problems.append("README.md does not lead to doc/design/where.md")
    print("\n".join(problems) or f"{len(answers)} answers, {len(WANTED)} "
          "questions of a newcomer")
    return 1 if problems or len(answers) < 50 else 0


if __name__ == "__main__":
    sys.exit(main())
