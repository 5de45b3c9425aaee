# SPDX-License-Identifier: Apache-2.0
"""ud sends requests written as text and prints the replies."""
import os
import signal

from checks import contains, ended, equal
from fixture import Domain, kill

MAINLY = "shm"

TABLE = "T_LONG 1001 long\nT_STRING 1002 string\n"


def with_table(d):
    with open(os.path.join(d.home, "t.fd"), "w") as f:
        f.write(TABLE)
    return {"FLDTBLDIR": d.home, "FIELDTBLS": "t.fd"}


def test_a_request_is_sent_and_the_reply_printed():
    with Domain() as d:
        d.server(1, "ECHO")
        r = d.run("ud", env=with_table(d),
                  text="SRVCNM\tECHO\nT_LONG\t7\nT_STRING\thello\n")
        equal((r.returncode, r.stderr), (0, ""))
        fields = "T_LONG\t7\nT_STRING\thello\n"
        equal(r.stdout, f"\nSENT pkt(1) is :\n{fields}"
                        f"\nRTN pkt(1) is :\n{fields}")


def test_one_empty_line_ends_a_buffer_in_strict_tuxedo():
    with Domain() as d:
        d.server(1, "ECHO")
        r = d.run("ud", env={**with_table(d), "NDRX_COMPAT": "strict-tuxedo"},
                  text=2 * "SRVCNM\tECHO\nT_LONG\t7\n\n")
        one = "SENT pkt(1) is :\nT_LONG\t7\n\nRTN pkt(1) is :\nT_LONG\t7\n\n"
        equal((r.returncode, r.stdout), (0, "\n" + 2 * one))


def test_blank_lines_separate_requests():
    with Domain() as d:
        d.server(1, "ECHO")
        r = d.run("ud", "-n", env=with_table(d),
                  text="\n\nSRVCNM\tECHO\nT_LONG\t1\n\n\n"
                       "T_LONG\t2\nSRVCNM\tECHO\n\n")
        equal(r.returncode, 0)
        equal(r.stdout, "\nSENT pkt(1) is :\nT_LONG\t1\n"
                        "\nSENT pkt(1) is :\nT_LONG\t2\n")


def test_failed_calls_and_faulty_requests_have_exit_codes():
    with Domain() as d:
        env = with_table(d)
        d.server(1, "ECHO")
        r = d.run("ud", env=env, text="SRVCNM\tNOSUCH\nT_LONG\t1\n\n"
                                      "SRVCNM\tECHO\nT_LONG\t2\n")
        equal(r.returncode, 1)
        contains(r.stderr, "TPENOENT")
        equal(r.stdout.count("RTN pkt(1)"), 1)
        r = d.run("ud", env=env, text="T_LONG\t1\n")
        ended(r, 2, "SRVCNM")
        r = d.run("ud", env=env, text="SRVCNM\tECHO\nNOBODY\t1\n")
        ended(r, 2, "line 1")
        equal(d.run("ud", "-t", "x", env=env).returncode, 2)
        equal(d.run("ud", env=env, text="").returncode, 0)


def test_the_options_of_tuxedo_are_known():
    with Domain() as d:
        env = with_table(d)
        d.server(1, "ECHO")
        text = "SRVCNM\tECHO\nT_LONG\t1\n\n"
        r = d.run("ud", "-p", "-r", "-s", "0", "-b", "5", "-u", "n", "-U",
                  "me", "-C", "cl", "-S", "1024", env=env, text=text)
        equal((r.returncode, r.stdout),
              (0, "\nRTN pkt(1) is :\nT_LONG\t1\n"))
        r = d.run("ud", "-e", "1", env=env,
                  text="SRVCNM\tNOSUCH\nT_LONG\t1\n\n" + text)
        equal((r.returncode, r.stdout.count("SENT")), (1, 1))


def test_option_t_sets_the_time_out():
    with Domain() as d:
        p = d.server(1, "ECHO")
        kill(p.pid, signal.SIGSTOP)
        r = d.run("ud", "-t", "1", env=with_table(d),
                  text="SRVCNM\tECHO\nT_LONG\t1\n")
        os.kill(p.pid, signal.SIGCONT)
        ended(r, 1, "TPETIME")
