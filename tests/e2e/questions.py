# SPDX-License-Identifier: Apache-2.0
"""questions.py - the questions of operators, and the command for each

    words = command("Which client floods?")

They stand in the table of doc/operating.md: what the story runs is what the
operator reads."""
import pathlib
import re

PAGE = pathlib.Path(__file__).resolve().parents[2] / "doc/operating.md"

__all__ = ["command", "all_questions"]


def _rows():
    text = PAGE.read_text(encoding="utf-8")
    text = text[text.index("## Ten questions"):]
    return dict(re.findall(r"^\| ([^|]+\?) \| `((?:xadmin|ndrxtop) [^`]+)` \|",
                           text[:text.index("\n## ", 5)], re.M))


def all_questions():
    return list(_rows())


def command(question, **values):
    """The words behind the program, with SPACE and the like replaced."""
    words = _rows()[question].split()[1:]
    return [values.get(w, w) for w in words]
