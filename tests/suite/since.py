#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""since.py - the tests that can notice what has changed since a commit

    tests/suite/since.py BUILD REV        their numbers, for ctest -I

A file that includes a changed header, or a header that includes it, may have
changed, too: tests/arch/layers.py reads who includes whom. From these files:

    unit tests      those that include one of them
    stories         all if it is a library, ndrxd, xadmin or a public header; of
                    a single transport, those on it; of another program, those
                    that name the program; of a story, itself; of what stories
                    share, those that import or name it
    arch tests      all, always

A file of no known kind (CMake, scripts) can break everything. What is chosen,
and why, goes to standard error.
"""
import functools
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/arch"))

import layers  # noqa: E402

TRANSPORT = re.compile(re.escape(layers.TRANSPORTS) + r"/(posix|shm)/")
# In each story: fixture.py calls them.
EVERYWHERE = ("lib", "include", "ndrxd", "clients/xadmin")
STORIES = "tests/e2e/"
# Beginnings of names -> what tests must name to be chosen; None: all tests.
# The first that fits counts.
OTHERS = (
    ("tests/suite/", ["suite_"]),
    ("tests/arch/", []),
    ("tests/man/", ["man_", "013_", "014_"]),
    ("tests/arm/", ["arm_"]),
    ("tests/python/", ["python."]), ("bindings/python/", ["python."]),
    ("bindings/go/", ["099_", "70"]), ("servers/httpgate/", ["70"]), ("doc/bindings/go.md", ["099_"]),
    ("tests/fuzz/", []), ("tests/model/", []),
    ("doc/man/", ["man_", "013_", "014_"]),
    ("README.md", ["012_", "099_"]),
    ("doc/bindings/python.md", ["python."]), ("doc/", []), ("CHANGELOG.md", []), ("LICENSE", []), (".gitignore", []),
    ("CONTRIBUTING.md", []), ("SECURITY.md", []), ("tests/README.md", []), ("tests/unstable.md", []),
    ("check", ["suite_"]), (".ci/", ["suite_"]),
    ("demo", ["640_", "660_"]),
    ("kernel/", ["kernel_"]),
    ("bench/", ["660_", "bench", "wakesim", "sim"]),
    ("examples/", ["examples", "012_", "530_", "562_", "660_"]),
    ("conf/", ["conf/", "config", "460_", "462_", "470_", "545_", "620_",
               "640_"]),
    ("", None),
)


def git(*words):
    return subprocess.run(["git", "-C", str(ROOT), *words], text=True,
                          check=True, stdout=subprocess.PIPE).stdout


def changed(rev):
    """Files that differ from the commit, new ones too."""
    return sorted({*git("diff", "--name-only", rev).split("\n"),
                   *git("ls-files", "-o", "--exclude-standard").split("\n")}
                  - {""})


@functools.cache
def include_graph():
    """Module -> modules whose headers it includes, tests too."""
    graph = {}
    for top in (*layers.MAY_INCLUDE, "tests/unit", "bench"):
        for path in (ROOT / top).rglob("*.[ch]"):
            name = layers.module(path.relative_to(ROOT))
            graph.setdefault(name, set()).update(
                map(layers.module, layers.INCLUDE.findall(path.read_text())))
    return graph


def reaching(graph, start):
    """The modules that include one of `start`, also by others."""
    users, found = {}, set(start)
    todo = list(found)
    for name, used in graph.items():
        for other in used:
            users.setdefault(other, set()).add(name)
    while todo:
        for name in users.get(todo.pop(), set()) - found:
            found.add(name)
            todo.append(name)
    return found


def programs(folder):
    """The programs that a folder, or one above it, makes."""
    for at in (folder, *folder.parents):
        lists = ROOT / at / "CMakeLists.txt"
        text = lists.read_text() if lists.exists() else ""
        names = re.findall(r"^\s*add_executable\((\w+)", text, re.M)
        if names or len(at.parts) <= 1:
            return set(names) | {folder.name}
    return {folder.name}


def source_of(test, folder):
    """The module of a unit test: atmi_test_msg is of test_msg.c."""
    found = [p for p in (ROOT / folder).rglob("test_*.c")
             if test.endswith(p.stem.removeprefix("test"))]
    return layers.module(max(found, key=lambda p: len(p.stem))
                         .relative_to(ROOT)) if found else None


@functools.cache
def story(name):
    return Story(name)


class Story:
    """A story, and the modules of tests/e2e that it imports."""

    def __init__(self, name):
        self.name, self.text, self.modules = name, "", set()
        self._read(ROOT / STORIES / name / "story.py")

    def _read(self, path):
        text = path.read_text()
        self.text += text
        for name in re.findall(r"^(?:from|import) (\w+)", text, re.M):
            other = ROOT / STORIES / f"{name}.py"
            if other.exists() and name not in self.modules:
                self.modules.add(name)
                self._read(other)


class Choice:
    """What is chosen, and the reasons."""

    def __init__(self, tests):
        self.tests, self.chosen = tests, {}
        self.stories = {n: story(n) for n in
                        {t.split(".", 2)[2] for t in tests
                         if t.startswith("e2e.")}}

    def add(self, condition, why):
        for name in self.tests:
            if condition(name):
                self.chosen.setdefault(name, why)

    def stories_with(self, condition, why):
        names = {n for n, s in self.stories.items() if condition(s)}
        self.add(lambda t: t.startswith("e2e.") and
                 t.split(".", 2)[2] in names, why)

    def naming(self, words, why):
        """Tests whose own name, or stories whose text, has one of them."""
        self.add(lambda t: any(w in t for w in words), why)
        self.stories_with(lambda s: any(re.search(rf"\b{re.escape(w)}\b",
                                                  s.text) for w in words), why)

    def shared_by_stories(self, path):
        """A file of tests/e2e."""
        parts = pathlib.PurePath(path).parts[2:]
        if parts[0] == "programs":
            self.naming([pathlib.PurePath(path).stem], path)
        elif len(parts) > 1:
            self.stories_with(lambda s: s.name == parts[0], path)
        elif path.endswith(".py"):
            name = pathlib.PurePath(path).stem
            self.stories_with(lambda s: name == "run" or name in s.modules,
                              path)
        else:
            self.add(lambda _: True, path)

    def source(self, path, reached):
        """A file of the runtime, and the modules that it reaches."""
        one = TRANSPORT.match(path)
        if one:
            self.add(lambda t: t.startswith(f"e2e.{one[1]}."), path)
        elif any(m.startswith(EVERYWHERE) for m in (path, *reached)):
            self.add(lambda t: t.startswith("e2e."), path)
        else:
            folders = {pathlib.PurePath(m).parent for m in (path, *reached)}
            self.naming(set().union(*map(programs, folders)), path)

    def unit_tests(self, modules):
        """Those among the modules; a test without a source, always."""
        for name, folder in self.tests.items():
            if "tests/unit" not in folder:
                continue
            found = source_of(name.split(".")[0], folder)
            if found is None or found in modules:
                self.chosen.setdefault(name, "includes what has changed")


def is_source(path):
    return path.startswith((*layers.MAY_INCLUDE, "include/")) and \
        not path.startswith("examples/")


def choose(tests, files):
    """Names of tests -> why each is chosen."""
    c = Choice(tests)
    c.add(lambda t: t.startswith("arch_"), "always")
    graph = include_graph()
    if any(f.startswith("include/") for f in files):
        c.add(lambda t: "tests/unit" in tests[t], "public headers")
    c.unit_tests(reaching(graph, map(layers.module, files)))
    for path in files:
        if is_source(path):
            c.source(path, {m for m in reaching(graph, [layers.module(path)])
                            if not m.startswith(("tests/", "bench/"))})
        elif path.startswith(STORIES):
            c.shared_by_stories(path)
        elif path.startswith("tests/unit/"):
            folder = str(pathlib.PurePath(path).parent)
            if not path.endswith(".c"):
                c.add(lambda t, f=folder: tests[t].startswith(f), path)
        else:
            words = next(w for start, w in OTHERS if path.startswith(start))
            if words is None:
                c.add(lambda _: True, path)
            else:
                c.naming(words, path)
    return c.chosen


def known_tests(build):
    """Names of the tests of a build folder -> folder of their CMakeLists."""
    said = json.loads(subprocess.run(
        ["ctest", "--test-dir", str(build), "--show-only=json-v1"],
        check=True, stdout=subprocess.PIPE).stdout)
    lists = said["backtraceGraph"]
    top = f"{ROOT}/"

    def folder(test):
        node = lists["nodes"][test["backtrace"]]
        while "parent" in node:
            file = lists["files"][node["file"]]
            if file.startswith(top + "tests"):
                break
            node = lists["nodes"][node["parent"]]
        return str(pathlib.PurePath(lists["files"][node["file"]])
                   .parent).removeprefix(top)

    return {t["name"]: folder(t) for t in said["tests"]}


def main():
    tests = known_tests(pathlib.Path(sys.argv[1]))
    files = changed(sys.argv[2])
    chosen = choose(tests, files)
    reasons = {}
    for name, why in chosen.items():
        reasons.setdefault(why, []).append(name)
    print(f"{len(files)} files have changed: {len(chosen)} of {len(tests)} "
          "tests", file=sys.stderr)
    for why, names in sorted(reasons.items()):
        print(f"  {len(names):4} {why}: {', '.join(names[:4])}"
              f"{', ...' if len(names) > 4 else ''}", file=sys.stderr)
    numbers = [str(i) for i, name in enumerate(tests, 1) if name in chosen]
    print("0,0,0," + ",".join(numbers))


if __name__ == "__main__":
    main()
