#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""links.py - what the documents name exists

In each document (*.md): every path that begins with a
folder of the tree, every other name of a source file, every `function()`, every
relative link with its #section, of a picture also that it shows something; and
the overview of the design links every chapter. In all other
files of the tree: every path of a document; in comments of C, Python and models every
name of a source file, too, and in those of C every function(). A * stands for at least
one file, {a,b} for both. That a comment has a word is no proof that it exists.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
TOP = ("bench", "bindings", "clients", "cmake", "conf", "doc", "drivers", "examples",
       "include", "kernel", "libatmi", "libatmisrv", "libndrx", "libubf",
       "ndrxd", "scripts", "servers", "tests")
# Files of the reader, and of others.
NOT_OURS = {"hellosv.c", "hellocl.c", "hellosv.py", "hellocl.py", "mysv.py", "cook.py", "atmi_int.h", "decimal.h",
            "exnetproto.h", "pthread.h", "signal.h", "texc.h", "uthash.h",
            "q.h", "conf/ndrxconfig.xml", "conf/debug.conf",
            "scripts/config", "tests/unit/LIBRARY/FOLDER/test_MODULE.c",
            "tests/e2e/NNN_name/"}
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
PATH = re.compile(r"(?<![\w/.<$~-])((?:%s)/[\w./@*{},+-]*)" % "|".join(TOP))
NAME = re.compile(r"(?<![\w/.*$<-])((?:[\w-]+/)*[a-z]\w*\.(?:c|h|py|pml))\b")
DOCUMENT = re.compile(r"(?<![\w/.$-])(doc/[\w./-]+\.md)\b")
SOURCES = {".c", ".h", ".py", ".txt", ".cmake", ".xml", ".bt", ".yml"}
FUNCTION = re.compile(r"`(\w+)\(\)`")
CALL = re.compile(r"(?<![\w.>-])([A-Za-z_]\w*)\(\)")
# Functions of others, which only a comment or a document names.
OTHERS = {"futex_waitv", "linkat", "mysql_reset_connection", "syncfs", "xa_recover"}
# Lines of a screen of ndrxtop: head, titles, keys, and at least two rows.
COMMENT = re.compile(r'"(?:[^"\\\n]|\\.)*"|(/\*.*?\*/|//[^\n]*)', re.S)
PY_COMMENT = re.compile(r'("""(?:.|\n)*?"""|#[^\n]*)')
LINES, LINE = 8, re.compile(r'<text[^>]*\by="([\d.]+)"')
FENCE = re.compile(r"^```.*?^```$", re.M | re.S)


def documents():
    yield from sorted(ROOT.glob("*.md"))
    for top in TOP:
        yield from sorted((ROOT / top).rglob("*.md"))


def anchors(text):
    """The #sections of a document, made as GitHub makes them."""
    for title in re.findall(r"^#+ (.*)$", FENCE.sub("", text), re.M):
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).lower()
        yield re.sub(r"[^\w\- ]", "", title).replace(" ", "-")


def check_link(path, target):
    if re.match(r"[a-z]+:", target):
        return None
    name, _, section = target.partition("#")
    file = (path.parent / name).resolve() if name else path
    if not file.exists():
        return f"the link {target} leads nowhere"
    if file.suffix == ".svg" and file.parent.name == "pictures" and \
            len(set(LINE.findall(file.read_text()))) < LINES:
        return f"the picture {target} is empty"
    if section and section not in anchors(file.read_text()):
        return f"the link {target}: no such section"
    return None


def braces(name):
    """a/{b,c} as a/b and a/c."""
    found = re.search(r"\{([^{}]*)\}", name)
    if found is None:
        return [name]
    return [one for part in found.group(1).split(",")
            for one in braces(name[:found.start()] + part +
                              name[found.end():])]


def check_path(name):
    for one in braces(name.rstrip(".,:")):
        if one not in NOT_OURS and not any(ROOT.glob(one.rstrip("/"))):
            return f"{one} is not in the tree"
    return None


def check_name(name, tree):
    """A name without its folder, or with the last of its folders."""
    if name in NOT_OURS or \
            any(one == name or one.endswith("/" + name) for one in tree):
        return None
    return f"no file of the tree is called {name}"


def check_function(name, words):
    if name in words or name in OTHERS:
        return None
    return f"no source has a function {name}()"


def check(path, tree, words):
    text = path.read_text()
    for target in LINK.findall(FENCE.sub("", text)):
        yield check_link(path, target)
    # What a link leads to is looked at above.
    text = LINK.sub("", text)
    for name in PATH.findall(text):
        yield check_path(name)
    for name in NAME.findall(PATH.sub("", text)):
        yield check_name(name, tree)
    for name in FUNCTION.findall(text):
        yield check_function(name, words)


def comments(path, text):
    """The comments of a source file, each as one line."""
    if path.suffix in (".c", ".h", ".pml"):
        found = COMMENT.findall(text)
    elif path.suffix == ".py":
        found = PY_COMMENT.findall(text)
    else:
        found = []
    return [re.sub(r"\n\s*\*?\s*", " ", one) for one in found if one]


def check_source(path, tree, words):
    text = path.read_text(errors="replace")
    for name in DOCUMENT.findall(text):
        if not (ROOT / name).exists():
            yield f"names {name}, which is not there"
    for comment in comments(path, text):
        for name in PATH.findall(comment):
            yield check_path(name)
        for name in NAME.findall(PATH.sub("", comment)):
            yield check_name(name, tree)
        if path.suffix in (".c", ".h"):
            for name in CALL.findall(comment):
                yield check_function(name, words)


def sources(tree):
    for name in sorted(tree):
        if pathlib.PurePath(name).suffix in SOURCES \
                and not name.startswith("tests/arch/links.py"):
            yield ROOT / name


def unreached():
    """Chapters that the overview does not link."""
    overview = ROOT / "doc/design/README.md"
    linked = {(overview.parent / t.partition("#")[0]).resolve()
              for t in LINK.findall(overview.read_text())}
    for path in sorted(overview.parent.glob("*.md")):
        if path != overview and path not in linked:
            yield f"doc/design/README.md: no link to {path.name}"


def words_of(tree):
    """All words of the code, without the comments of C."""
    return {word for name in tree
            if name.endswith((".c", ".h", ".inc", ".pml", ".go", ".py"))
            for word in re.findall(r"\w+", COMMENT.sub(
                lambda found: " " if found[1] else found[0],
                (ROOT / name).read_text(errors="replace")))}


def main():
    tree = {str(path.relative_to(ROOT)) for top in TOP
            for path in (ROOT / top).rglob("*") if path.is_file()}
    tree |= {path.name for path in ROOT.iterdir() if path.is_file()}
    words = words_of(tree)
    found = [f"{path.relative_to(ROOT)}: {problem}" for path in documents()
             for problem in dict.fromkeys(check(path, tree, words))
             if problem]
    found += [f"{path.relative_to(ROOT)}: {problem}"
              for path in sources(tree)
              for problem in dict.fromkeys(check_source(path, tree, words))
              if problem]
    found += unreached()
    print("\n".join(found) or "links: clean")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
