# SPDX-License-Identifier: Apache-2.0
"""The ten tasks of doc/bindings/python.md: each prints what stands behind its lines."""
import os
import re
import sys

import pytest

from conftest import BUILD, HERE

COST = 6
TRANSPORT = "shm"
PAGE = os.path.abspath(f"{HERE}/../../doc/bindings/python.md")
with open(PAGE, encoding="utf-8") as page:
    TEXT = page.read()
TASKS = re.findall(r"^\*\*(\d+\. .*?)\*\*\n```python\n(.*?)^```$", TEXT, re.M | re.S)
SERVER = re.search(r"`cook.py`:\n```python\n(.*?)^```$", TEXT, re.M | re.S).group(1)


@pytest.fixture(scope="module")
def domain(boot, tmp_path_factory):
    folder = tmp_path_factory.mktemp("cook")
    (folder / "cook.py").write_text(SERVER)
    (folder / "q.conf").write_text("@\n")
    xa = {"NDRX_XA_RES_ID": "5", "NDRX_XA_OPEN_STR": f'datadir="{folder}/qdata",qspace="S"',
          "NDRX_XA_DRIVERLIB": f"{BUILD}/lib/libndrxxaqdisk.so"}
    return boot([{"program": "tpevsrv", "srvid": 1},
                 {"program": "tmsrv", "srvid": 2, "env": xa},
                 {"program": "tmqueue", "srvid": 3, "env": xa, "appopt": f"-m S -q {folder}/q.conf"},
                 {"program": str(folder / "cook.py"), "srvid": 10, "min": 2, "max": 2, "env": xa}],
                env=xa)


def test_there_are_ten():
    assert [t.split(".")[0] for t, _ in TASKS] == [str(n) for n in range(1, 11)]


@pytest.mark.parametrize("task, code", TASKS, ids=[t for t, _ in TASKS])
def test_task(domain, tmp_path, task, code):
    (tmp_path / "task.py").write_text(code)
    r = domain.run(sys.executable, tmp_path / "task.py")
    want = " ".join(re.findall(r"print\(.*\)\s+# (.*)$", code, re.M))
    assert want and " ".join(r.stdout.split()) == want
