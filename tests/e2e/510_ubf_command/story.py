# SPDX-License-Identifier: Apache-2.0
"""ubf prints, converts and compares buffers in files, without a domain."""
import os

from checks import ended, equal
from fixture import Domain

MAINLY = "posix"

TABLE = ("T_LONG 1001 long\nT_STRING 1002 string\nT_CARRAY 1003 carray\n"
         "T_UBF 1004 ubf\n")
TEXT = ("T_LONG\t7\nT_STRING\ta\nT_STRING\tb\\0a\\\\c\nT_CARRAY\t\\00\\ff\n"
        "T_UBF\t\n\tT_LONG\t1\n")


class Folder:
    def __enter__(self):
        self.d = Domain()
        self.d.__enter__()
        self.write("t.fd", TABLE)
        self.write("a.txt", TEXT)
        return self

    def __exit__(self, *args):
        return self.d.__exit__(*args)

    def write(self, name, text):
        with open(os.path.join(self.d.home, name), "w") as f:
            f.write(text)

    def read(self, name):
        with open(os.path.join(self.d.home, name)) as f:
            return f.read()

    def ubf(self, *words, text=None, status=0):
        r = self.d.run("ubf", *words, text=text, env={
            "FLDTBLDIR": self.d.home, "FIELDTBLS": "t.fd"})
        equal(r.returncode, status, r.stderr)
        return r.stdout


def test_convert_changes_each_form_into_the_others():
    with Folder() as f:
        f.ubf("convert", "--to", "json", "a.txt", "a.json")
        equal(f.read("a.json"),
              '{"T_LONG":7,"T_STRING":["a","b\\n\\\\c"],"T_CARRAY":"AP8=",'
              '"T_UBF":{"T_LONG":1}}\n')
        f.ubf("convert", "--to", "binary", "a.json", "a.bin")
        equal(f.ubf("print", "a.bin"), TEXT)
        equal(f.ubf("print", "a.json"), TEXT)
        equal(f.ubf("convert", "--from", "json", "--to", "text", "-", "-",
                    text=f.read("a.json")), TEXT)


def test_diff_shows_the_differences():
    with Folder() as f:
        equal(f.ubf("diff", "a.txt", "a.txt"), "")
        f.write("b.txt", "T_LONG\t7\nT_LONG\t8\nT_STRING\ta\nT_STRING\tx\n"
                         "T_UBF\t\n\tT_LONG\t2\n")
        equal(f.ubf("diff", "a.txt", "b.txt", status=1),
              "+ T_LONG[1]\t8\n- T_STRING[1]\tb\\0a\\\\c\n"
              "+ T_STRING[1]\tx\n- T_CARRAY\t\\00\\ff\n"
              "- T_UBF\t\n- \tT_LONG\t1\n+ T_UBF\t\n+ \tT_LONG\t2\n")


def test_errors_do_not_touch_the_output_file():
    with Folder() as f:
        f.write("out", "before")
        f.write("bad.json", '{"T_LONG":')
        f.ubf("convert", "--to", "text", "bad.json", "out", status=2)
        f.ubf("print", "missing", status=2)
        f.ubf("convert", "--from", "binary", "--to", "text", "a.txt", "out",
              status=2)
        f.ubf("convert", "a.txt", "out", status=2)
        f.ubf("print", "--to", "paper", "a.txt", status=2)
        f.ubf(status=2)
        equal(f.read("out"), "before")
        equal(sorted(n for n in os.listdir(f.d.home) if ".tmp" in n), [])


def test_field_tables_fill_the_data_base_of_fields():
    with Folder() as f:
        f.d.env["NDRX_UBFDB"] = f"{f.d.home}/fields"

        def fields():
            return [r.field for r in f.d.rows("pubfdb")]
        f.write("b.fd", "$/* for C */\n*base 2000\nB_ONE 1 string - first\n")
        f.ubf("add", "t.fd", "b.fd")
        equal(fields(), ["B_ONE", "T_CARRAY", "T_LONG", "T_STRING", "T_UBF"])
        f.ubf("add", "b.fd")  # there already
        f.write("c.fd", "C_ONE 3001 long\nB_ONE 3002 long\n")
        r = f.d.run("ubf", "add", "c.fd")
        ended(r, 2, "ubf: c.fd:2: ", "another field has the name B_ONE")
        equal(len(fields()), 5, "nothing of c.fd")
        f.write("bad.fd", "C_ONE 3001 long\nC_TWO x long\n")
        ended(f.d.run("ubf", "add", "bad.fd"), 2, "bad.fd:2:")
        f.ubf("delete", "t.fd")
        f.ubf("delete", "t.fd")  # gone already
        equal(fields(), ["B_ONE"])
        ended(f.d.run("ubf", "add", "none.fd"), 2, "none.fd: No such file")
        del f.d.env["NDRX_UBFDB"]
        ended(f.d.run("ubf", "add", "b.fd"), 2, "NDRX_UBFDB is not set")


def test_a_large_buffer_is_converted():
    with Folder() as f:
        f.write("big.txt", ("T_STRING\t" + "x" * 1000 + "\n") * 2000)
        f.ubf("convert", "--to", "json", "big.txt", "big.json")
        equal(f.ubf("diff", "big.json", "big.txt"), "")
