// SPDX-License-Identifier: Apache-2.0

package main

/*
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <oatmi.h>
#include <oatmisrv.h>
#include <oatmisrv_integra.h>
#include <odebug.h>
#include <ondebug.h>
#include <onerror.h>
#include <oubf.h>
#include <atmi.h>
#include <nerror.h>

// What cgo cannot: functions with callbacks, macros, files.
static inline int ubf_error_of(TPCONTEXT_T *c) { return *Ondrx_Bget_Ferror_addr(c); }
static inline UBFH *ubf_of(char *data) { return (UBFH *)data; }
static inline void userlog_line(char *line) { userlog("%s", line); }
static inline int tperr(TPCONTEXT_T *c) { return Otperrno(c); }
static inline long urcode(TPCONTEXT_T *c) { return *O_exget_tpurcode_addr(c); }
static long one(UBFH *p_ub, char *name) { (void)p_ub; (void)name; return 1; }
static inline int set_function(TPCONTEXT_T *c) { return OBboolsetcbf(c, "one", one); }
static inline int to_file(TPCONTEXT_T *c, UBFH *u, char **text)
{
	size_t n = 0;
	FILE *f = open_memstream(text, &n);
	int r = OBfprint(c, u, f);
	fclose(f);
	return r;
}
static inline int from_text(TPCONTEXT_T *c, UBFH *u, char *text)
{
	FILE *f = fmemopen(text, strlen(text), "r");
	int r = OBextread(c, u, f);
	fclose(f);
	return r;
}
static inline int there_and_back(TPCONTEXT_T *c, UBFH *u, UBFH *to)
{
	char *memory = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&memory, &n);
	int r = OBwrite(c, u, f);
	fclose(f);
	f = fmemopen(memory, n, "r");
	r = r == 0 ? OBread(c, to, f) : r;
	fclose(f);
	free(memory);
	return r;
}
static inline int print_tree(TPCONTEXT_T *c, char *tree)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	OBboolpr(c, tree, f);
	fclose(f);
	n = strlen(text);
	free(text);
	return (int)n;
}
static int no_poll(int fd, uint32_t events, void *ptr) { return 0; }
static int no_turn(void) { return 0; }
// Of servers: refused outside of one.
static inline int of_servers(TPCONTEXT_T *c)
{
	int n = 0;

	n += Otpext_addpollerfd(c, 0, 1, NULL, no_poll) == -1;
	n += Otpext_delpollerfd(c, 0) == -1;
	n += Otpext_addperiodcb(c, 1, no_turn) == -1;
	n += Otpext_delperiodcb(c) == -1;
	n += Otpext_addb4pollcb(c, no_turn) == -1;
	n += Otpext_delb4pollcb(c) == -1;
	n += Otpunadvertise(c, "UPPER") == -1;
	n += Otpsrvgetctxdata(c) == NULL;
	Otpreturn(c, TPSUCCESS, 0, NULL, 0, 0);
	n += Otperrno(c) == TPEPROTO;
	Otpforward(c, "UPPER", NULL, 0, 0);
	n += Otperrno(c) == TPEPROTO;
	Otpcontinue(c);
	n += Otperrno(c) == TPEPROTO;
	Otpsrvfreectxdata(c, NULL);
	return n;
}
static inline long constants(void)
{
	return TPTRANSUSPEND | TPSOFTTIMEOUT | TPSOFTENOENT | TPNOAUTBUF |
	       TPREGEXMATCH | TPNOCACHELOOK | TPNOCACHEADD | TPNOCACHEDDATA |
	       TPNOABORT | TPTXCOMMITDLOG | TPTXNOOPTIM | TPEX_NOCHANGE |
	       TPEX_STRING | BVACCESS_NOTNULL | TPEV_DISCONIMM | TPQGETBYMSGID |
	       LOG_FACILITY_TP_REQUEST | NEINVALINI | NETOUT | NENOCONN | NELIMIT |
	       TMMSGIDLEN | TMCORRIDLEN | TMQNAMELEN | NDRX_MAX_ID_SIZE |
	       (NDRX_VIEW_NAME_LEN + NDRX_VIEW_CNAME_LEN) |
	       BFLD_MAX | BFLD_INT | BBADACM | TPINITFAIL | QMESHARE;
}
*/
import "C"

import (
	"fmt"
	"unsafe"
)

// every is a context that counts what is not as it should be.
type every struct {
	c      *C.TPCONTEXT_T // alone in its memory, as cgo wants it
	checks int
	wrong  []string
}

func (e *every) is(what string, right bool) {
	e.checks++
	if !right {
		e.wrong = append(e.wrong, fmt.Sprintf("%s (%s)", what, C.GoString(C.Otpstrerror(e.c, C.tperr(e.c)))))
	}
}

// s is a string that lives as long as the program.
func (e *every) s(text string) *C.char {
	return C.CString(text)
}

// fails: it has failed with one of these codes.
func (e *every) fails(what string, r C.int, codes ...C.int) {
	code, ok := C.tperr(e.c), false
	for _, want := range codes {
		ok = ok || code == want
	}
	e.is(fmt.Sprintf("%s: %d, %d", what, r, code), r == -1 && ok)
}

func (e *every) alloc(kind string) *C.char {
	data := C.Otpalloc(e.c, e.s(kind), nil, 4096)
	e.is("Otpalloc "+kind, data != nil)
	return data
}

const (
	short, long, char, float, double, text, carray = 0, 1, 2, 3, 4, 5, 6
)

func id(kind, n int) C.BFLDID { return C.BFLDID(kind<<25 | n) }

func (e *every) fields() {
	c, u := e.c, C.OBalloc(e.c, 50, 5000)
	v := C.OBalloc(e.c, 50, 5000)
	var loc C.Bfld_loc_info_t
	value := C.long(7)
	p := (*C.char)(unsafe.Pointer(&value))
	e.is("OBinit", C.OBinit(c, u, 4000) == 0 && C.OBisubf(c, u) == 1)
	e.is("OCBadd", C.OCBadd(c, u, id(text, 1), p, 0, C.BFLD_LONG) == 0)
	e.is("OBadd", C.OBadd(c, u, id(text, 1), e.s("two"), 0) == 0 && C.OBadd(c, u, id(long, 2), p, 0) == 0)
	e.is("OBaddfast", C.OBaddfast(c, v, id(long, 3), p, 0, &loc) == 0)
	e.is("OCBaddfast", C.OCBaddfast(c, v, id(long, 3), e.s("8"), 0, C.BFLD_STRING, &loc) == 0)
	e.is("OCBchg", C.OCBchg(c, u, id(double, 4), 0, e.s("1.5"), 0, C.BFLD_STRING) == 0)
	e.is("OBpres", C.OBpres(c, u, id(text, 1), 1) == 1 && C.OBoccur(c, u, id(text, 1)) == 2)
	e.is("OBlen", C.OBlen(c, u, id(text, 1), 1) == 4)
	var room [64]C.char
	size := C.BFLDLEN(len(room))
	e.is("OCBget", C.OCBget(c, u, id(text, 1), 0, &room[0], &size, C.BFLD_STRING) == 0 && C.GoString(&room[0]) == "7")
	size = C.BFLDLEN(len(room))
	e.is("OBget", C.OBget(c, u, id(text, 1), 1, &room[0], &size) == 0 && C.GoString(&room[0]) == "two")
	field, occ := C.BFLDID(C.BFIRSTFLDID), C.BFLDOCC(0)
	size = C.BFLDLEN(len(room))
	e.is("OBnext", C.OBnext(c, u, &field, &occ, &room[0], &size) == 1)
	e.is("OBused", C.OBused(c, u) > 0 && C.OBunused(c, u) > 0 && C.OBsizeof(c, u) > 0)
	e.is("OBtype", C.GoString(C.OBtype(c, id(text, 1))) == "string" && C.OBfldtype(c, id(text, 1)) == text && C.OBfldno(c, id(text, 1)) == 1)
	e.is("OBmkfldid", C.OBmkfldid(c, text, 1) == id(text, 1))
	e.is("OBfldid", C.OBfldid(c, e.s("NOSUCHFIELD")) == C.BBADFLDID && C.ubf_error_of(c) != 0)
	e.is("OBfname", C.OBfname(c, id(text, 8000000)) == nil && C.OBstrerror(c, C.ubf_error_of(c)) != nil && C.OBecodestr(c, C.BBADFLD) != nil)
	e.is("OBcpy", C.OBcpy(c, v, u) == 0 && C.OBcmp(c, v, u) == 0)
	list := [2]C.BFLDID{id(text, 1), C.BBADFLDID}
	e.is("OBprojcpy", C.OBprojcpy(c, v, u, &list[0]) == 0 && C.OBoccur(c, v, id(long, 2)) == 0)
	e.is("OBproj", C.OBproj(c, v, &list[0]) == 0)
	e.is("OBupdate", C.OBupdate(c, v, u) == 0 && C.OBconcat(c, v, u) == 0)
	e.is("OBdel", C.OBdel(c, v, id(text, 1), 0) == 0 && C.OBdelall(c, v, id(text, 1)) == 0)
	gone := [2]C.BFLDID{id(double, 4), C.BBADFLDID}
	e.is("OBdelete", C.OBdelete(c, v, &gone[0]) == 0)
	e.is("OBwrite and OBread", C.there_and_back(c, u, v) == 0)
	var print *C.char
	e.is("OBfprint", C.to_file(c, u, &print) == 0 && C.strlen(print) > 10)
	e.is("OBextread", C.OBinit(c, v, 4000) == 0 && C.from_text(c, v, print) == 0 && C.OBcmp(c, v, u) == 0)
	e.is("OBprint", C.OBprint(c, v) == 0)
	e.expressions(u)
	e.is("OBfree", C.OBfree(c, u) == 0 && C.OBfree(c, v) == 0)
}

func (e *every) expressions(u *C.UBFH) {
	c := e.c
	tree := C.OBboolco(c, e.s("((BFLDID32)33554434) == 7 && one()"))
	e.is("OBboolco", tree == nil || C.OBboolev(c, u, tree) >= 0)
	e.is("OBboolsetcbf", C.set_function(c) == 0)
	tree = C.OBboolco(c, e.s("1 == 1"))
	e.is("OBboolco", tree != nil && C.OBboolev(c, u, tree) == 1 && C.OBfloatev(c, u, tree) == 1)
	e.is("OBboolpr", tree != nil && C.print_tree(c, tree) > 0)
	C.OBtreefree(c, tree)
}

func (e *every) views() {
	c, view := e.c, e.s("GOACCOUNT")
	size := C.OBvsizeof(c, view)
	if size <= 0 {
		e.is("OBvsizeof", false)
		return
	}
	data, copied := C.Otpalloc(c, e.s("VIEW"), view, size), C.Otpalloc(c, e.s("VIEW"), view, size)
	name := e.s("cents")
	e.is("OBvsinit", C.OBvsinit(c, data, view) == 0)
	e.is("OCBvchg", C.OCBvchg(c, data, view, name, 0, e.s("3"), 0, C.BFLD_STRING) == 0)
	var room [64]C.char
	n := C.BFLDLEN(len(room))
	e.is("OCBvget", C.OCBvget(c, data, view, name, 0, &room[0], &n, C.BFLD_STRING, 0) == 0 && C.GoString(&room[0]) == "3")
	var most, real C.BFLDOCC
	var dim C.long
	var kind C.int
	e.is("OBvoccur", C.OBvoccur(c, data, view, name, &most, &real, &dim, &kind) >= 1 && most >= 1)
	e.is("OBvsetoccur", C.OBvsetoccur(c, data, view, name, 1) == 0)
	var state C.Bvnext_state_t
	var member [257]C.char
	e.is("OBvnext", C.OBvnext(c, &state, view, &member[0], &kind, &most, &dim) == 1)
	e.is("OBvcpy", C.OBvcpy(c, copied, data, view) > 0)
	json := [2000]C.char{}
	e.is("Otpviewtojson", C.Otpviewtojson(c, data, view, &json[0], 2000, C.BVACCESS_NOTNULL) == 0)
	back := C.Otpjsontoview(c, &member[0], &json[0])
	e.is("Otpjsontoview", back != nil && C.GoString(&member[0]) == "GOACCOUNT")
	for _, p := range []*C.char{data, copied, back} {
		C.Otpfree(c, p)
	}
}

func (e *every) buffers() {
	c, data := e.c, e.alloc("UBF")
	var kind, sub [40]C.char
	e.is("Otptypes", C.Otptypes(c, data, &kind[0], &sub[0]) >= 4096 && C.GoString(&kind[0]) == "UBF")
	data = C.Otprealloc(c, data, 8192)
	e.is("Otprealloc", data != nil)
	e.is("Otpjsontoubf", C.Otpjsontoubf(c, C.ubf_of(data), e.s("{}")) == 0)
	var json, out [4000]C.char
	e.is("Otpubftojson", C.Otpubftojson(c, C.ubf_of(data), &json[0], 4000) == 0)
	size, length := C.long(len(out)), C.long(0)
	e.is("Otpexport", C.Otpexport(c, data, 0, &out[0], &size, C.TPEX_STRING) == 0)
	e.is("Otpimport", C.Otpimport(c, &out[0], size, &data, &length, C.TPEX_STRING) == 0)
	C.Otpfree(c, data)
	for _, kind := range []string{"STRING", "CARRAY", "JSON"} {
		C.Otpfree(c, e.alloc(kind))
	}
}

func (e *every) calls() {
	c, data := e.c, e.alloc("UBF")
	var length, revent C.long
	e.is("Otpinit", C.Otpinit(c, nil) == 0)
	good := newObject()
	good.put("x", 1)
	cd := C.Otpacall(c, upper, good.data, 0, 0)
	e.is("Otpcancel", cd > 0 && C.Otpcancel(c, cd) == 0)
	e.fails("Otpcall", C.Otpcall(c, e.s("NOSUCHSVC"), data, 0, &data, &length, 0), C.TPENOENT)
	e.fails("Otpgetrply", C.Otpgetrply(c, &cd, &data, &length, 0), C.TPEBADDESC)
	e.fails("Otpconnect", C.Otpconnect(c, e.s("NOSUCHSVC"), data, 0, C.TPSENDONLY), C.TPENOENT)
	e.fails("Otpsend", C.Otpsend(c, 1, data, 0, 0, &revent), C.TPEINVAL)
	e.fails("Otprecv", C.Otprecv(c, 1, &data, &length, 0, &revent), C.TPEINVAL)
	e.fails("Otpdiscon", C.Otpdiscon(c, 1), C.TPEINVAL)
	posted := C.Otppost(c, e.s("NOBODY"), data, 0, 0)
	e.is("Otppost", posted == 0 || C.tperr(c) == C.TPENOENT)
	var ctl C.TPQCTL
	e.fails("Otpenqueue", C.Otpenqueue(c, e.s("NOSPACE"), e.s("Q"), &ctl, data, 0, 0), C.TPENOENT, C.TPEDIAGNOSTIC)
	e.fails("Otpdequeue", C.Otpdequeue(c, e.s("NOSPACE"), e.s("Q"), &ctl, &data, &length, 0), C.TPENOENT, C.TPEDIAGNOSTIC)
	var event C.TPEVCTL
	subscribed := C.Otpsubscribe(c, e.s("X"), nil, &event, 0)
	e.is("Otpsubscribe", subscribed >= 0 || C.tperr(c) != 0)
	e.fails("Otpunsubscribe", C.Otpunsubscribe(c, 12345, 0), C.TPENOENT, C.TPEINVAL, C.TPEMATCH)
	e.is("Otpgetnodeid", C.Otpgetnodeid(c) >= 1 && C.urcode(c) == 0)
	e.transactions()
	e.is("of servers", C.of_servers(c) == 11)
	e.is("Otpgetsrvid", C.Otpgetsrvid(c) <= 0)
	C.Otpfree(c, data)
	e.is("Otpterm", C.Otpterm(c) == 0)
}

// transactions: without a resource manager each is refused, or has nothing to do.
func (e *every) transactions() {
	c := e.c
	var id C.TPTRANID
	e.is("Otpgetlev", C.Otpgetlev(c) == 0)
	e.is("Otpopen", C.Otpopen(c) == 0 || C.tperr(c) == C.TPERMERR)
	e.fails("Otpcommit", C.Otpcommit(c, C.TPTXCOMMITDLOG), C.TPEPROTO)
	e.fails("Otpabort", C.Otpabort(c, 0), C.TPEPROTO)
	e.fails("Otpsuspend", C.Otpsuspend(c, &id, C.TPTXNOOPTIM), C.TPEPROTO)
	e.is("Otpresume", C.Otpresume(c, &id, 0) == -1)
	if C.Otpbegin(c, 5, 0) == 0 {
		e.is("Otpabort", C.Otpabort(c, 0) == 0)
	}
	e.is("Otpclose", C.Otpclose(c) == 0 || C.tperr(c) == C.TPERMERR)
}

func (e *every) logs() {
	c := e.c
	line, name := e.s("a line"), e.s("every.log")
	var room [256]C.char
	e.is("Otplogconfig", C.Otplogconfig(c, C.LOG_FACILITY_TP, -1, nil, e.s("GOOB"), nil) == 0)
	e.is("ONstrerror", C.ONstrerror(c, C.NEINVAL) != nil && *C.O_Nget_Nerror_addr(c) == 0)
	for level := C.int(1); level <= 6; level++ {
		C.Otplog(c, level, line)
		C.Otplogex(c, level, e.s("every.go"), 1, line)
	}
	e.is("Otplogqinfo", C.Otplogqinfo(c, 2, C.TPLOGQI_GET_TP) >= 0 && C.Otploggetiflags(c) != nil)
	C.Otplogdump(c, 5, line, unsafe.Pointer(line), 6)
	C.Otplogdumpdiff(c, 5, line, unsafe.Pointer(line), unsafe.Pointer(name), 6)
	C.Otplogsetreqfile_direct(c, name)
	e.is("Otploggetreqfile", C.Otploggetreqfile(c, &room[0], 256) == 1 && C.GoString(&room[0]) == "every.log")
	C.Otplogclosereqfile(c)
	C.Otplogclosethread(c)
	data := e.alloc("UBF")
	e.is("Otplogsetreqfile", C.Otplogsetreqfile(c, &data, name, nil) == 0)
	e.is("Otploggetbufreqfile", C.Otploggetbufreqfile(c, data, &room[0], 256) == 0)
	e.is("Otplogdelbufreqfile", C.Otplogdelbufreqfile(c, data) == 0)
	C.Otplogprintubf(c, 5, line, C.ubf_of(data))
	C.Otplogclosereqfile(c)
	C.Otpfree(c, data)
	C.userlog_line(line)
}

// everyName calls what the bindings for Enduro/X call, each function once.
func everyName() (checks int, wrong []string) {
	ctx := C.tpnewctxt(0, 0)
	e := &every{c: &ctx}
	e.is("constants", C.constants() != 0)
	e.fields()
	e.views()
	e.buffers()
	e.calls()
	e.logs()
	C.Otpfreectxt(e.c, ctx)
	return e.checks, e.wrong
}
