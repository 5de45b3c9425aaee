// SPDX-License-Identifier: Apache-2.0

// objects uses the object API as bindings do that were written for Enduro/X: contexts
// as handles that wander from thread to thread and are freed by finalizers, no
// GODEBUG.
//
//	objects call CALLS GOROUTINES	prints "calls N, wrong N"
//	objects OPTIONS -- UPPER	serves UPPER
//	objects OPTIONS -- RELAY	serves RELAY, which calls UPPER
package main

/*
#cgo pkg-config: atmisrvinteg
#include <stdlib.h>
#include <string.h>
#include <atmi.h>
#include <oatmi.h>
#include <oatmisrv.h>
#include <odebug.h>
#include <ondebug.h>
#include <onerror.h>
#include <oubf.h>

#define T_TEXT ((BFLDID)(BFLD_STRING << 25 | 1))
#define T_COUNT ((BFLDID)(BFLD_LONG << 25 | 2))

int run_server(TPCONTEXT_T *ctx, int argc, char **argv);
void service_entry(TPSVCINFO *info);
long sizes(int which);

static inline int tp_error(TPCONTEXT_T *ctx) { return Otperrno(ctx); }
static inline int n_error(TPCONTEXT_T *ctx) { return ONerror(ctx); }
static inline int ubf_error(TPCONTEXT_T *ctx) { return *Ondrx_Bget_Ferror_addr(ctx); }
static inline UBFH *ubf(char *data) { return (UBFH *)data; }
static inline BFLDID text(void) { return T_TEXT; }
static inline BFLDID count(void) { return T_COUNT; }
*/
import "C"

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

var (
	ubfType = C.CString("UBF")
	upper   = C.CString("UPPER")
	relay   = C.CString("RELAY")
	where   = C.CString("service_entry")
)

// object is a context with one buffer.
type object struct {
	c    C.TPCONTEXT_T
	data *C.char
}

func newObject() *object {
	o := &object{c: C.tpnewctxt(0, 0)}
	if o.c == nil {
		panic("no context")
	}
	runtime.SetFinalizer(o, func(o *object) {
		C.Otpfree(&o.c, o.data)
		C.Otpfreectxt(&o.c, o.c)
	})
	return o
}

func (o *object) why() string {
	return C.GoString(C.Otpstrerror(&o.c, C.tp_error(&o.c)))
}

func (o *object) put(s string, n int) {
	if o.data == nil {
		o.data = C.Otpalloc(&o.c, ubfType, nil, 1024)
	}
	text, long := C.CString(s), C.long(n)
	defer C.free(unsafe.Pointer(text))
	if o.data == nil || C.OBchg(&o.c, C.ubf(o.data), C.text(), 0, text, 0) != 0 ||
		C.OBchg(&o.c, C.ubf(o.data), C.count(), 0, (*C.char)(unsafe.Pointer(&long)), 0) != 0 {
		panic(fmt.Sprint("put: ", o.why(), C.ubf_error(&o.c)))
	}
}

func (o *object) get() (string, int) {
	var text [200]C.char
	size, long := C.BFLDLEN(len(text)), C.long(-1)
	if C.OBget(&o.c, C.ubf(o.data), C.text(), 0, &text[0], &size) != 0 ||
		C.OBget(&o.c, C.ubf(o.data), C.count(), 0, (*C.char)(unsafe.Pointer(&long)), nil) != 0 {
		panic(fmt.Sprint("get: ", C.ubf_error(&o.c)))
	}
	return C.GoString(&text[0]), int(long)
}

func (o *object) call(svc *C.char) bool {
	var length C.long
	if C.Otpcall(&o.c, svc, o.data, 0, &o.data, &length, 0) == 0 {
		return true
	}
	fmt.Println("call:", o.why())
	return false
}

// callInTwo is the same by tpacall() and tpgetrply().
func (o *object) callInTwo(svc *C.char) bool {
	var length C.long
	cd := C.Otpacall(&o.c, svc, o.data, 0, 0)
	if cd > 0 && C.Otpgetrply(&o.c, &cd, &o.data, &length, 0) == 0 {
		return true
	}
	fmt.Println("call in two:", o.why())
	return false
}

//export goInit
func goInit() C.int {
	name := upper
	if os.Args[len(os.Args)-1] == "RELAY" {
		name = relay
	}
	return C.Otpadvertise_full(&server, name, (*[0]byte)(C.service_entry), where)
}

//export goDone
func goDone() {
	fmt.Println("the object API is done")
}

//export goDispatch
func goDispatch(ctx uintptr, info *C.TPSVCINFO) {
	o := &object{c: *(*C.TPCONTEXT_T)(unsafe.Pointer(&ctx)), data: info.data}
	s, n := o.get()
	result := C.int(C.TPSUCCESS)
	if C.GoString(&info.name[0]) == "RELAY" {
		if !o.call(upper) {
			result = C.TPFAIL
		}
	} else {
		o.put(strings.ToUpper(s), n+1)
	}
	C.Otpreturn(&o.c, result, C.long(n), o.data, 0, 0)
}

var server C.TPCONTEXT_T

func serve() int {
	argv := make([]*C.char, len(os.Args)+1)
	for i, arg := range os.Args {
		argv[i] = C.CString(arg)
	}
	return int(C.run_server(&server, C.int(len(os.Args)), &argv[0]))
}

func hasAllNames() bool {
	o := newObject()
	levels := C.debug_get_ndrx_level() + C.debug_get_tp_level() + C.debug_get_ubf_level()
	had := C.tpnewctxt(0, 0)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	put := C.ndrx_tpsetctxt(had, 0, 0) == 0 && C.ndrx_tpsetctxt(nil, 0, 0) == 0
	C.Otpfreectxt(&o.c, had)
	return put && levels >= 0 && C.n_error(&o.c) == 0 && C.sizes(0) == C.sizes(1) &&
		C.sizes(0) >= 65536 && C.sizes(2) == 8 && C.sizes(3) > 0 && C.sizes(4) == 0 &&
		C.sizes(5) == -1 && C.sizes(6) == 1 && C.sizes(7) == 0
}

func main() {
	if len(os.Args) < 4 || os.Args[1] != "call" {
		os.Exit(serve())
	}
	calls, _ := strconv.Atoi(os.Args[2])
	goroutines, _ := strconv.Atoi(os.Args[3])
	var next, wrong atomic.Int64
	checks, failed := everyName()
	for _, what := range failed {
		fmt.Println("every name:", what)
	}
	wrong.Add(int64(len(failed)))
	if !hasAllNames() || checks < 80 {
		wrong.Add(1)
	}
	var all sync.WaitGroup
	over := make(chan struct{})
	go func() { // each collection sends signals to threads that run
		for {
			select {
			case <-over:
				return
			default:
				runtime.GC()
				time.Sleep(time.Millisecond)
			}
		}
	}()
	for i := 0; i < goroutines; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			o := newObject()
			for n := int(next.Add(1)); n <= calls; n = int(next.Add(1)) {
				if n%50 == 0 {
					o = newObject()
				}
				o.put(fmt.Sprint("call ", n), n)
				svc, ask := upper, o.call
				if n%2 == 0 {
					svc = relay
				}
				if n%3 == 0 {
					ask = o.callInTwo
				}
				if !ask(svc) {
					wrong.Add(1)
					continue
				}
				if s, got := o.get(); s != fmt.Sprint("CALL ", n) || got != n+1 {
					fmt.Println(s, got)
					wrong.Add(1)
				}
			}
			runtime.KeepAlive(o)
		}()
	}
	all.Wait()
	close(over)
	fmt.Printf("calls %d, wrong %d\n", calls, wrong.Load())
	if wrong.Load() > 0 {
		os.Exit(1)
	}
}
