#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""columns.py SOURCE [--write] - lines of documents have at most 100 columns

But those of tables, of code, and with a word that is longer. --write breaks the
paragraphs that have longer ones anew. In CHANGELOG.md each change is one line,
README.md has a hundred lines, and doc/compatibility.md and doc/proof.md are made by
programs.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(sys.argv[1]).resolve()
COLUMNS = 100
OTHERS = {"CHANGELOG.md", "README.md", "doc/compatibility.md", "doc/proof.md"}
# Code and links are not broken.
WORD = re.compile(r"(?:`[^`]*`|\[[^\]]*\]\([^)]*\)|\S)+")
ITEM = re.compile(r"(\s*)([-*+]|\d+[.)])\s+")
# What a line must not begin with: it would be an item, a heading, a quotation.
MARK = re.compile(r"[-*+#>|=~]|\d+[.)]$")
FENCE = re.compile(r"\s*(`{3,}(?!.*`)|~{3,})")
UNDERLINE = re.compile(r"\s*(=+|-+)\s*")  # the paragraph above is a heading
BREAK = ("  ", "\\")  # ends of a line that stays one
# Texts that --write leaves alone, as it does its own.
LONG = "word " * 30
KEPT = (f"~~~\n{LONG}\n~~~", f"````\n```\n```\n{LONG}\n````", f"{LONG}\n---",
        f"| {LONG} |", f"    {LONG}", f"[a]: x \"{LONG}\"\n[b]: y \"{LONG}\"", f"# {LONG}")


def documents():
    names = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-co",
                            "--exclude-standard", "*.md"], text=True,
                           capture_output=True, check=False).stdout.split()
    for name in names or (str(p.relative_to(ROOT)) for p in ROOT.rglob("*.md")):
        if name not in OTHERS and (ROOT / name).exists():
            yield name


def blocks(text):
    """(lines, may be broken) of each paragraph, item, table, piece of code."""
    block, fence = [], ""
    for line in text.split("\n"):
        mark = FENCE.match(line)
        if fence:
            block.append(line)
            if mark and mark[1].startswith(fence) and mark[1] == line.strip():
                yield block, False
                block, fence = [], ""
        elif mark:
            yield block, True
            block, fence = [line], mark[1]
        elif block and UNDERLINE.fullmatch(line):
            yield [*block, line], False
            block = []
        elif not line.strip() or re.match(r"\s*(#|\||<|>|!\[|    |\t)", line) and \
                not block:
            yield block, True
            yield [line], False
            block = []
        elif re.match(r"\s*([#|]|!\[|\[[^]]*\]:)", line):
            yield block, True
            yield [line], False
            block = []
        else:
            if ITEM.match(line):
                yield block, True
                block = []
            block.append(line)
            if line.endswith(BREAK):
                yield block, True
                block = []
    yield block, not fence


def is_long(line):
    return len(line) > COLUMNS and " " in line.strip()


def broken(lines):
    """The same words, in lines that are short enough."""
    item = ITEM.match(lines[0])
    first = item[0] if item else re.match(r"\s*", lines[0])[0]
    rest = " " * len(first) if item else first
    words = WORD.findall(" ".join([lines[0][len(first):], *lines[1:]]))
    made, line = [], first + words[0]
    for i, word in enumerate(words[1:], 1):
        # A mark stays behind the word before it.
        ahead = words[i + 1] if i + 1 < len(words) else ""
        need = len(word) + (1 + len(ahead) if MARK.match(ahead) else 0)
        if len(line) + 1 + need > COLUMNS and not MARK.match(word):
            made.append(line)
            line = rest + word
        else:
            line += " " + word
    return [*made, line + ("  " if lines[-1].endswith("  ") else "")]


def rewrite(text):
    made = []
    for lines, may in blocks(text):
        if may and any(is_long(x) for x in lines):
            lines = broken(lines)
        made += lines
    return "\n".join(made)


def too_long(text):
    """Numbers of lines that --write would break."""
    n = 0
    for lines, may in blocks(text):
        for line in lines:
            n += 1
            if may and is_long(line) and broken([line]) != [line]:
                yield n


def main():
    made = rewrite(f"- {LONG}1. a  \n  {LONG}\\\n- b")
    assert "1. a  \n  word" in made and made.endswith(" \\\n- b"), made
    for text in (*KEPT, made):
        assert rewrite(text) == text and not list(too_long(text)), text
    found, n = [], 0
    for n, name in enumerate(sorted(documents()), 1):
        path = ROOT / name
        text = path.read_text()
        if "--write" in sys.argv:
            made = rewrite(text)
            assert made.split() == text.split(), name
            if made != text:
                path.write_text(made)
            text = made
        found += [f"{name}:{at}: longer than {COLUMNS} columns: "
                  f"{sys.argv[0]} . --write" for at in too_long(text)]
    print("\n".join(found[:40]) or f"{n} documents")
    return 1 if found or n < 50 else 0


sys.exit(main())
