# SPDX-License-Identifier: Apache-2.0
"""The package as users get it: built by pip, from the folder and from an sdist, and its README."""
import os
import re
import shutil
import subprocess
import sys

import pytest

from conftest import BUILD, HERE

TRANSPORT = "shm"
COST = 20
pytestmark = pytest.mark.skipif(bool(os.environ.get("OW_SANITIZE")),
                                reason="what users build has no sanitizer")
SOURCE = os.path.abspath(f"{HERE}/../../bindings/python")
README = os.path.abspath(f"{HERE}/../../README.md")


def run(*words, cwd=None, env=None, text=""):
    clean = {k: v for k, v in os.environ.items()
             if k not in ("PYTHONPATH", "LD_LIBRARY_PATH")}
    return subprocess.run([str(w) for w in words], capture_output=True, text=True, input=text,
                          cwd=cwd, env={**clean, **(env or {})}, timeout=250, check=False)


def pip(*words, **how):
    r = run(sys.executable, "-m", "pip", *words, **how)
    if re.search(r"No matching distribution|No module named pip|"
                 r"Could not find a version|ConnectionError", r.stderr):
        pytest.skip("needs pip and a package index")
    assert r.returncode == 0, r.stdout + r.stderr
    return r


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    """Onewake installed, and a copy of the source of the package."""
    folder = tmp_path_factory.mktemp("prefix")
    r = run("cmake", "--install", BUILD, "--prefix", folder)
    assert r.returncode == 0, r.stderr
    shutil.copytree(SOURCE, folder / "source")
    return folder


def first_words(site):
    return run(sys.executable, "-c", "import onewake; print(onewake.__file__, "
               "onewake.Buffer('x').decode())", env={"PYTHONPATH": str(site)}, cwd="/")


def test_pip_builds_it_from_its_sdist(prefix, tmp_path):
    tools, out, site = (tmp_path / n for n in ("tools", "dist", "site"))
    pip("install", "-q", "--target", tools, "scikit-build-core")
    out.mkdir()
    r = run(sys.executable, "-c", "from scikit_build_core import build\n"
            f"build.build_sdist({str(out)!r})", cwd=prefix / "source",
            env={"PYTHONPATH": str(tools)})
    assert r.returncode == 0, r.stderr
    [sdist] = out.iterdir()
    pip("install", "-q", "--no-deps", "--no-build-isolation", "--target", site, sdist,
        env={"PYTHONPATH": str(tools), "PKG_CONFIG_PATH": f"{prefix}/lib/pkgconfig"})
    r = first_words(site)
    assert r.stdout == f"{site}/onewake/__init__.py x\n", r.stderr
    for name in ("onewake/py.typed", "onewake/_core.abi3.so", "bin/onewake"):
        assert (site / name).exists()
    [wheel] = site.glob("onewake-*.dist-info/WHEEL")
    assert "Tag: cp39-abi3-linux" in wheel.read_text()


def test_the_modules_of_other_names_are_packages(tmp_path):
    folders = [f"{os.path.dirname(SOURCE)}/python-{n}" for n in ("tuxedo", "endurox")]
    for folder in folders:  # pip writes beside what it builds
        shutil.copytree(folder, tmp_path / os.path.basename(folder))
    pip("install", "-q", "--no-deps", "--target", tmp_path / "site",
        *(tmp_path / os.path.basename(f) for f in folders))
    r = run(sys.executable, "-c", "import tuxedo, endurox; print(tuxedo.TPESVCFAIL, endurox.TPESVCFAIL)",
            env={"PYTHONPATH": f"{tmp_path}/site:{os.environ['PYTHONPATH']}",
                 "LD_LIBRARY_PATH": f"{BUILD}/lib"})
    assert r.stdout == "11 11\n", r.stderr


def blocks(path, name):
    """The code of a document that its text calls `name`; of a client also a
    command, python3 -c '...'."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    found = re.search(rf"`{name}`[^\n]*:\n```python\n(.*?)```", text, re.S) or \
        re.search(r"`python3 -c '(.*?)'`", text)
    return found.group(1)


@pytest.mark.parametrize("document", [README, f"{SOURCE}/README.md"])
def test_hello_of_the_documents_runs(boot, tmp_path, document):
    for name in ("hellosv.py", "hellocl.py"):
        (tmp_path / name).write_text(blocks(document, name))
    d = boot([str(tmp_path / "hellosv.py")])
    r = d.run(sys.executable, tmp_path / "hellocl.py")
    assert r.stdout == "Hello, world\n"
    assert sum(len(blocks(document, n).splitlines()) for n in ("hellosv.py", "hellocl.py")) <= 10
