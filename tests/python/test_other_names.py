# SPDX-License-Identifier: Apache-2.0
"""Programs for the modules tuxedo and endurox of other runtimes, as they are written for those."""
import ast
import importlib
import inspect
import os
import re
import sys

import pytest

from conftest import HERE

COST = 8
MAINLY = "shm"
BINDINGS = os.path.abspath(f"{HERE}/../../bindings")
STORY = os.path.abspath(f"{HERE}/../e2e/542_tuxedo_module/story.py")
for name in ("python-tuxedo", "python-endurox"):
    sys.path.insert(0, f"{BINDINGS}/{name}")

ENDUROX_SERVER = """
import sys
import threading
import endurox as e

class Server:
    def tpsvrinit(self, args):
        e.userlog('Server startup')
        e.tpadvertise('TESTSV', 'TESTSV', self.TESTSV)
        e.tpadvertise('ECHO', 'ECHO', self.ECHO)
        e.tpadvertise('FAIL', 'FAIL', self.FAIL)
        e.tpadvertise('CONV', 'CONV', self.CONV)
        e.tpadvertise('LATER', 'LATER', self.LATER)
        e.tpadvertise('TICKS', 'TICKS', self.TICKS)
        self.ticks = 0
        e.tpext_addperiodcb(1, self.tick)
        return 0

    def tpsvrdone(self):
        e.userlog('Server shutdown')

    def tick(self):
        self.ticks += 1
        return 0

    def TESTSV(self, args):
        e.tplogprintubf(e.log_info, 'Incoming request:', args.data)
        args.data['data']['P_STRING2'] = 'Hello World from XATMI server'
        args.data['data'].P_LONG = [1, 2]
        return e.tpreturn(e.TPSUCCESS, 0, args.data)

    def ECHO(self, args):
        return e.tpreturn(e.TPSUCCESS, 5, args.data)

    def FAIL(self, args):
        return e.tpreturn(e.TPFAIL, 6, args.data)

    def CONV(self, args):
        for i in range(3):
            e.tpsend(args.cd, {'data': str(i)})
        return e.tpreturn(e.TPSUCCESS, 7, {'data': 'end'})

    def LATER(self, args):
        ctxt = e.tpsrvgetctxdata()
        threading.Thread(target=self.answer, args=(ctxt, args.data)).start()
        return e.tpcontinue()

    def answer(self, ctxt, data):
        e.tpsrvsetctxdata(ctxt)
        e.tpreturn(e.TPSUCCESS, 8, data)
        e.tpterm()

    def TICKS(self, args):
        return e.tpreturn(e.TPSUCCESS, self.ticks, {})

if __name__ == '__main__':
    e.tprun(Server(), sys.argv)
"""


def story_text(name):
    """A program of the story that runs the module itself, by the name of its constant."""
    with open(STORY, encoding="utf-8") as f:
        for node in ast.parse(f.read()).body:
            if isinstance(node, ast.Assign) and node.targets[0].id == name:
                return ast.literal_eval(node.value)
    raise AssertionError(f"{STORY} has no {name}")


def test_tuxedo_programs_run_as_with_that_module(boot, tmp_path):
    server, client = tmp_path / "pyecho", tmp_path / "client.py"
    server.write_text(story_text("SERVER") % {"python": sys.executable})
    server.chmod(0o755)
    client.write_text(story_text("CLIENT"))
    tables = os.path.abspath(f"{HERE}/../../conf/ubftab/Excompat")
    d = boot([str(server), {"program": "tpadmsv", "srvid": 40}], fields=tables)
    r = d.run(sys.executable, client)
    for line in ("0 True", "text b'bytes'", "{'TA_CLASS': ['a', 'b']}"):
        assert line in r.stdout, r.stdout + r.stderr


def test_more_of_tuxedo(boot, tmp_path):
    import tuxedo as t
    (tmp_path / "sv.py").write_text("""
import sys
import tuxedo as t
class Server:
    def tpsvrinit(self, args):
        t.tpadvertise('FAIL')
        t.tpadvertise('PASS')
        t.tpadvertise('ECHO')
        return 0
    def FAIL(self, args):
        return t.tpreturn(t.TPFAIL, 3, args)
    def PASS(self, args):
        return t.tpforward('ECHO', args)
    def ECHO(self, args):
        return t.tpreturn(t.TPSUCCESS, 4, args)
t.run(Server(), sys.argv)
""")
    boot([{"program": sys.executable, "name": "sv", "cmdline":
           f"{sys.executable} {tmp_path}/sv.py ${{NDRX_SVCLOPT}}"}])
    assert t.tpcall("FAIL", "x") == (t.TPESVCFAIL, 3, "x")
    assert t.tpcall("PASS", {"P_LONG": 1}) == (0, 4, {"P_LONG": [1]})
    cd = t.tpacall("ECHO", b"y")
    assert t.tpgetrply(cd, t.TPGETANY) == (0, 4, b"y")
    with pytest.raises(t.XatmiException) as e:
        t.tpcall("NOSUCHSVC", "x")
    assert e.value.code == t.TPENOENT
    with pytest.raises(t.XatmiException):
        t.tpenqueue("NOSPACE", "Q", t.TPQCTL(), "x")
    assert t.Fname32(t.Fldid32("P_LONG")) == "P_LONG"
    assert t.Fboolev32({"P_LONG": 5}, "P_LONG > 4") == 1
    assert t.tpimport(t.tpexport({"P_LONG": 5}, t.TPEX_STRING), t.TPEX_STRING) == {"P_LONG": [5]}
    t.tpterm()


@pytest.fixture(scope="module")
def domain(boot, tmp_path_factory):
    path = tmp_path_factory.mktemp("endurox") / "server.py"
    path.write_text(ENDUROX_SERVER)
    return boot([{"program": sys.executable, "name": "server", "cmdline":
                  f"{sys.executable} {path} ${{NDRX_SVCLOPT}}"},
                 {"program": "tpevsrv", "srvid": 9}])


@pytest.fixture
def e(domain):
    import endurox
    return endurox


def test_endurox_fields_are_ubfdicts(e):
    tperrno, tpurcode, retbuf = e.tpcall("TESTSV", {
        "data": {"P_STRING": "Hi Jim", "P_DOUBLE": ["1.5", 2]}})
    assert (tperrno, tpurcode, retbuf["buftype"]) == (0, 0, "UBF")
    d = retbuf["data"]
    assert d.P_STRING2[0] == "Hello World from XATMI server"
    assert d["P_LONG"] == [1, 2] and list(d["P_DOUBLE"]) == [1.5, 2.0]
    assert sorted(d.itemsocc())[0] == ("P_DOUBLE", 1.5) and "P_CHAR" not in d
    del d["P_LONG"][0]
    assert d.to_dict()["P_LONG"] == [2]


@pytest.mark.parametrize("given, back", [
    ({"data": "text"}, {"buftype": "STRING", "data": "text"}),
    ({"data": b"by"}, {"buftype": "CARRAY", "data": b"by"}),
    ({"buftype": "JSON", "data": '{"a": 1}'}, {"buftype": "JSON", "data": '{"a": 1}'}),
    ({"buftype": "VIEW", "subtype": "PYACCOUNT", "data": {"cents": 5, "limits": [1, 2, 3]}}, None),
    ({}, {"buftype": "NULL"}),
    ({"data": {"P_UBF": {"P_LONG": 1}, "P_PTR": {"data": "p"}}},
     {"buftype": "UBF", "data": {"P_UBF": [{"P_LONG": [1]}],
                                 "P_PTR": [{"buftype": "STRING", "data": "p"}]}}),
])
def test_endurox_buffers_there_and_back(e, given, back):
    got = e.tpcall("ECHO", given)
    assert (got.tperrno, got.tpurcode) == (0, 5)
    if back is None:
        assert got.data["subtype"] == "PYACCOUNT" and got.data["data"]["cents"] == [5]
        assert got.data["data"]["limits"] == [1, 2, 3]
    else:
        assert got.data == back


def test_endurox_says_ubf_in_strict_tuxedo(e, monkeypatch):
    monkeypatch.setenv("NDRX_COMPAT", "strict-tuxedo")
    got = e.tpcall("ECHO", {"data": {"P_LONG": 5}})
    assert got.data == {"buftype": "UBF", "data": {"P_LONG": [5]}}


def test_endurox_headers_travel_with_the_message(e):
    got = e.tpcall("ECHO", {"data": "x", "callinfo": {"P_STRING": "header"}})
    assert got.data["callinfo"]["P_STRING"][0] == "header"
    assert "callinfo" not in e.tpcall("ECHO", {"data": "x"}).data


def test_endurox_errors(e):
    assert e.tpcall("FAIL", {"data": "x"}) == \
        (e.TPESVCFAIL, 6, {"buftype": "STRING", "data": "x"})
    with pytest.raises(e.AtmiException) as error:
        e.tpcall("NOSUCHSVC", {"data": "x"})
    assert error.value.code == e.TPENOENT
    with pytest.raises(e.UbfException) as error:
        e.tpcall("ECHO", {"data": {"NOSUCHFIELD": 1}})
    assert error.value.code == e.BBADNAME


def test_endurox_replies_later(e):
    cds = [e.tpacall("ECHO", {"data": str(i)}) for i in range(3)]
    got = [e.tpgetrply(cds[2]), e.tpgetrply(0, e.TPGETANY), e.tpgetrply(0, e.TPGETANY)]
    assert sorted(g.data["data"] for g in got) == ["0", "1", "2"] and got[0].cd == cds[2]
    assert e.tpcall("LATER", {"data": "x"}) == (0, 8, {"buftype": "STRING", "data": "x"})


def test_endurox_conversations(e):
    cd = e.tpconnect("CONV", {}, e.TPRECVONLY)
    got = [e.tprecv(cd) for _ in range(4)]
    assert [g.data["data"] for g in got] == ["0", "1", "2", "end"]
    assert (got[3].tperrno, got[3].revent) == (e.TPEEVENT, e.TPEV_SVCSUCC)


def test_endurox_events_and_callbacks_of_the_loop(e, domain):
    seen = []
    e.tpsetunsol(seen.append)
    sub = e.tpsubscribe("^EV$", "", None)
    assert e.tppost("EV", {"data": {"P_LONG": 5}}) == 1
    e.tpchkunsol()
    assert seen == [{"buftype": "UBF", "data": {"P_LONG": [5]}}]
    assert e.tpunsubscribe(sub) == 1
    domain.wait_for(lambda: e.tpcall("TICKS", {}).tpurcode > 0, "a tick")


def test_endurox_text_and_logs(e, tmp_path):
    with open(tmp_path / "t", "w+", encoding="utf-8") as f:
        e.Bfprint({"data": {"P_STRING": "x", "P_LONG": 5}}, f)
        f.seek(0)
        assert e.Bextread(f)["data"] == {"P_STRING": ["x"], "P_LONG": [5]}
    assert e.Bfloatev({"data": {"P_LONG": 5}}, "P_LONG + 1") == 6
    e.tplog_info("a line")
    e.tplogdump(e.log_debug, "bytes", b"abc")
    secret = e.tpencrypt("words", e.TPEX_STRING)
    assert secret != "words" and e.tpdecrypt(secret, e.TPEX_STRING) == "words"


def test_endurox_contexts_move(e):
    made = e.tpnewctxt(False, False)
    old = e.tpgetctxt(0)
    e.tpsetctxt(made)
    assert e.tpcall("ECHO", {"data": "in another"}).data["data"] == "in another"
    e.tpsetctxt(None)
    e.tpfreectxt(made)
    if old.pyret == e.TPMULTICONTEXTS:
        e.tpsetctxt(old.pyctxt)
    assert e.tpcall("ECHO", {"data": "back"}).data["data"] == "back"


# As programs may call them: by position, or by these names.
ENDUROX = """Bfldtype(fldid) Bfldno(fldid) Bmkfldid(type,num) Bfname(fldid) Bfldid(name)
Bboolpr(expression,iop) Bboolev(fbfr,expression) Bfloatev(fbfr,expression) Bfprint(fbfr,iop)
Bprint(fbfr) Bextread(iop) ndrxpy_ubfdict_enable(do_use) tpenqueue(qspace,qname,ctl,data,flags)
tpdequeue(qspace,qname,ctl,flags) tpcall(svc,idata,flags) tpacall(svc,idata,flags)
tpgetrply(cd,flags) tpcancel(cd) tpconnect(svc,idata,flags) tpsend(cd,idata,flags)
tprecv(cd,flags) tpdiscon(cd) tpnotify(clientid,idata,flags)
tpbroadcast(lmid,usrname,cltname,idata,flags) tpsetunsol(func) tpchkunsol()
tpexport(ibuf,flags) tpimport(istr,flags) tppost(eventname,data,flags) tpgblktime(flags)
tpsblktime(blktime,flags) tpinit(flags) tpterm() tpbegin(timeout,flags) tpsuspend(flags)
tpresume(tranid,flags) tpcommit(flags) tpabort(flags) tpgetlev() tpopen() tpclose()
userlog(message) tpencrypt(input,flags) tpdecrypt(input,flags) tuxgetenv(envname)
tpnewctxt(auto_destroy,auto_set) tpgetctxt(flags) tpsetctxt(context,flags) tpsetctxt(none,flags)
tpfreectxt(context) tpgetnodeid() tpgprio() tpsprio(prio,flags) tpscmt(flags) tptoutget()
tptoutset(tout) tpadvertise(svcname,funcname,func) tpadvertise(svcname)
tpsubscribe(eventexpr,filter,ctl,flags) tpunsubscribe(subscription,flags) tpsrvgetctxdata()
tpsrvsetctxdata(ctxt,flags) tpcontinue() tpunadvertise(svcname) tprun(server,args)
tpreturn(rval,rcode,data,flags) tpforward(svc,data,flags) tpexit() tpext_addb4pollcb(func)
tpext_delb4pollcb() tpext_addperiodcb(secs,func) tpext_delperiodcb()
tpext_addpollerfd(fd,events,ptr1,func) tpext_delpollerfd(fd) tplog_debug(message)
tplog_info(message) tplog_warn(message) tplog_error(message) tplog_always(message)
tplog(lev,message) tplogconfig(logger,lev,debug_string,module,new_file) tplogqinfo(lev,flags)
tplogsetreqfile_direct(filename) tploggetreqfile() tplogclosereqfile() tplogclosethread()
tplogdump(lev,comment,data) tplogprintubf(lev,title,data) tplog_exception(msg)"""
TUXEDO = """tpinit(usrname,cltname,passwd,grpname,flags) tpterm() tpbegin(timeout,flags)
tpsuspend(flags) tpresume(tranid,flags) tpcommit(flags) tpabort(flags) tpgetlev()
userlog(message) tpadvertisex(svcname,flags) tpadvertise(svcname) run(server,args,rmname)
tpadmcall(idata,flags) tpreturn(rval,rcode,data,flags) tpforward(svc,data,flags)
tpappthrinit(usrname,cltname,passwd,grpname,flags) tpappthrterm() xaoSvcCtx()
tpenqueue(qspace,qname,ctl,data,flags) tpdequeue(qspace,qname,ctl,flags)
tpcall(svc,idata,flags) tpacall(svc,idata,flags) tpgetrply(cd,flags) tpexport(ibuf,flags)
tpimport(istr,flags) tppost(eventname,data,flags) tpgblktime(flags) tpsblktime(blktime,flags)
Fldtype32(fieldid) Fldno32(fieldid) Fmkfldid32(type,num) Fname32(fieldid) Fldid32(name)
Fboolpr32(expression,iop) Fboolev32(fbfr,expression) Ffloatev32(fbfr,expression)
Ffprint32(fbfr,iop) Fextread32(iop)"""


@pytest.mark.parametrize("module, forms", [("endurox", ENDUROX), ("tuxedo", TUXEDO)])
def test_each_name_takes_its_arguments_by_position_and_by_name(module, forms):
    module, wrong = importlib.import_module(module), []
    for name, words in re.findall(r"(\w+)\((.*?)\)", forms):
        words = words.split(",") if words else []
        try:
            takes = inspect.signature(getattr(module, name))
            takes.bind(**dict.fromkeys(words))
            if words[:1] != ["none"]:
                assert list(takes.bind(*words).arguments) == words
        except ValueError:  # one of C tells no names
            if words:
                wrong.append(name)
        except (AttributeError, TypeError, AssertionError) as e:
            wrong.append((name, str(e)))
    assert wrong == []


def test_names_of_fields_and_logs_by_name(e):
    import tuxedo as t
    number = e.Bfldid(name="P_LONG")
    assert e.Bfname(fldid=number) == t.Fname32(fieldid=number) == "P_LONG"
    assert e.Bmkfldid(type=e.Bfldtype(fldid=number), num=e.Bfldno(fldid=number)) == number
    assert t.Fmkfldid32(type=t.Fldtype32(fieldid=number), num=t.Fldno32(fieldid=number)) == number
    e.userlog(message="a line of endurox")
    t.userlog(message="a line of tuxedo")
    assert e.tuxgetenv(envname="NDRX_QPREFIX").startswith("/") and e.tptoutget() == 20


def test_a_time_out_that_no_int_holds_is_refused(e):
    import tuxedo as t
    for module in (e, t):
        for wrong in (2**32 + 5, -2**31 - 1, 2**70):
            with pytest.raises(OverflowError):
                module.tpsblktime(wrong, module.TPBLK_NEXT)


CONSTANTS = """
TPEV_DISCONIMM TPEV_SVCERR TPEV_SVCFAIL TPEV_SVCSUCC TPEV_SENDONLY TPEVSERVICE TPEVQUEUE
TPEVTRAN TPEVPERSIST TPLOGQI_GET_NDRX TPLOGQI_GET_UBF TPLOGQI_GET_TP TPLOGQI_EVAL_RETURN
TPLOGQI_RET_HAVDETAILED TPNOFLAGS TPNOBLOCK TPSIGRSTRT TPNOREPLY TPNOTRAN TPTRAN TPNOTIME
TPABSOLUTE TPGETANY TPNOCHANGE TPCONV TPSENDONLY TPRECVONLY TPREGEXMATCH TPFAIL TPSUCCESS TPEXIT
TPMINVAL TPEABORT TPEBADDESC TPEBLOCK TPEINVAL TPELIMIT TPENOENT TPEOS TPEPERM TPEPROTO
TPESVCERR TPESVCFAIL TPESYSTEM TPETIME TPETRAN TPGOTSIG TPERMERR TPEITYPE TPEOTYPE TPERELEASE
TPEHAZARD TPEHEURISTIC TPEEVENT TPEMATCH TPEDIAGNOSTIC TPEMIB TPMAXVAL BMINVAL BERFU0 BALIGNERR
BNOTFLD BNOSPACE BNOTPRES BBADFLD BTYPERR BEUNIX BBADNAME BMALLOC BSYNTAX BFTOPEN BFTSYNTAX
BEINVAL BERFU1 BBADTBL BBADVIEW BVFSYNTAX BVFOPEN BBADACM BNOCNAME BEBADOP BMAXVAL QMEINVAL
QMEBADRMID QMENOTOPEN QMETRAN QMEBADMSGID QMESYSTEM QMEOS QMEABORTED QMENOTA QMEPROTO
QMEBADQUEUE QMENOMSG QMEINUSE QMENOSPACE QMERELEASE QMEINVHANDLE QMESHARE BFLD_SHORT BFLD_LONG
BFLD_CHAR BFLD_FLOAT BFLD_DOUBLE BFLD_STRING BFLD_CARRAY BFLD_UBF BBADFLDID NMINVAL NEINVALINI
NEMALLOC NEUNIX NEINVAL NESYSTEM NEMANDATORY NEFORMAT NETOUT NENOCONN NELIMIT NEPLUGIN NENOSPACE
NEINVALKEY NENOENT NEWRITE NEEXEC NESUPPORT NEEXISTS NEVERSION NMAXVAL TPEX_STRING
TPMULTICONTEXTS TPNULLCONTEXT MIB_LOCAL TAOK TAUPDATED TAPARTIAL TPBLK_NEXT TPBLK_ALL TPQCORRID
TPQFAILUREQ TPQBEFOREMSGID TPQGETBYMSGIDOLD TPQMSGID TPQPRIORITY TPQTOP TPQWAIT TPQREPLYQ
TPQTIME_ABS TPQTIME_REL TPQGETBYCORRIDOLD TPQPEEK TPQDELIVERYQOS TPQEXPTIME_ABS TPQEXPTIME_REL
TPQGETBYMSGID TPQGETBYCORRID TPQQOSDEFAULTPERSIST TPQQOSNONPERSISTENT LOG_FACILITY_NDRX
LOG_FACILITY_UBF LOG_FACILITY_TP LOG_FACILITY_TP_THREAD LOG_FACILITY_TP_REQUEST
LOG_FACILITY_NDRX_THREAD LOG_FACILITY_UBF_THREAD LOG_FACILITY_NDRX_REQUEST
LOG_FACILITY_UBF_REQUEST log_always log_error log_warn log_info log_debug log_dump EXSUCCEED
EXFAIL TP_CMT_LOGGED TP_CMT_COMPLETE NDRXPY_BLD_PRODUCT NDRXPY_BLD_SYSTEM NDRXPY_BLD_CONFIG
NDRXPY_BLD_VERSION NDRXPY_BLD_RELEASE NDRXPY_BLD_TAG NDRXPY_BLD_BRANCH NDRXPY_BLD_FLAGS
NDRXPY_BLD_COMMIT NDRXPY_BLD_HASH NDRXPY_VERSION_MAJOR NDRXPY_VERSION_MINOR NDRXPY_VERSION_PATCH
NDRXPY_VERSION_NUM"""


def test_all_constants_of_endurox_are_there(e):
    names = CONSTANTS.split()
    assert len(names) > 190
    assert [n for n in names if not isinstance(getattr(e, n, None), (int, str))] == []
    assert (e.NELIMIT, e.NEPLUGIN, e.NMAXVAL, e.NDRXPY_BLD_PRODUCT) == (10, 11, 19, "Onewake")


def test_names_of_the_lists_are_there(e):
    import tuxedo
    for module, names in (
            (e, "tpcall tpforward tpexit tpnotify tpbroadcast tpsuspend tpresume tpsprio tpgprio "
                "tplogconfig tplogqinfo tplog_exception ndrxpy_ubfdict_enable Bfldid Bboolpr "
                "EXSUCCEED EXFAIL log_always TPEVPERSIST QMENOMSG"),
            (tuxedo, "tpappthrinit tpadmcall tpadvertisex tpsubscribe Fextread32 Fboolpr32 "
                     "TPSUCCESS TPEX_STRING TPQGETBYCORRID")):
        assert [n for n in names.split() if not hasattr(module, n)] == []
