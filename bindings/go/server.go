// SPDX-License-Identifier: Apache-2.0

package onewake

/*
#include <stdint.h>
#include <stdlib.h>
#include "bridge.h"
#include <atmi.h>
#include <ndebug.h>
*/
import "C"

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"unsafe"
)

// Handler serves a request: what it returns is the reply, as the first argument of
// Call() is a request. An error is the reply of a service that has failed, TPESVCFAIL;
// a Fail has data, too. A Forward hands the request on.
type Handler func(ctx context.Context, r *Request) (any, error)

// Server is the one server of a process.
//
// Handlers run in the threads of the library: one, or as many dispatch threads as
// the configuration says (mindispatchthreads). A handler that waits keeps its
// thread; one that calls other services does that by a Client of the program.
type Server struct {
	OnInit   func() error // before it serves; an error ends the server
	OnDone   func()       // when it has served its last request
	handlers []handler
}

type handler struct {
	name string
	fn   Handler
}

// Request is a request in the hands of a handler. It is over when the handler
// returns: nothing of it may be read later.
type Request struct {
	Service string
	out     C.struct_gow_out
	over    bool
}

// Fail is what a handler returns for a reply with TPFAIL, an Urcode and data.
type Fail struct {
	Urcode int64
	Data   any
}

func (f *Fail) Error() string {
	return fmt.Sprintf("failed with %d: %v", f.Urcode, f.Data)
}

// Forward, as the reply of a handler, hands the request to another service, with
// other data: tpforward().
type Forward struct {
	Service string
	Data    any
}

// Reply, as the reply of a handler, has an urcode beside its data.
type Reply struct {
	Urcode int64
	Data   any
}

// Handle offers a service when the server begins.
func (s *Server) Handle(name string, fn Handler) {
	s.handlers = append(s.handlers, handler{name, fn})
}

// Decode copies the data of the request to *to, as that of a reply.
func (r *Request) Decode(to any) error {
	if r.over {
		return errors.New("onewake: the request is over")
	}
	return decode(&r.out, to)
}

var serving *Server

// Run serves until the server is told to stop (xadmin, SIGTERM), with the request
// in hand finished. Its result is the exit status:
//
//	os.Exit(server.Run())
func (s *Server) Run() int {
	if serving != nil {
		panic("onewake: a process has one server")
	}
	serving = s
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	argv := make([]*C.char, 0, len(os.Args)+1)
	for _, arg := range os.Args {
		argv = append(argv, C.CString(arg))
	}
	n := len(argv)
	p := (**C.char)(C.calloc(C.size_t(n+1), C.size_t(unsafe.Sizeof(argv[0]))))
	copy(unsafe.Slice(p, n), argv)
	return int(C.gow_serve(C.int(n), p)) // argv stays: the library keeps it
}

// logf writes a line of level error to the log of the process.
func logf(format string, args ...any) {
	text := C.CString(fmt.Sprintf(format, args...))
	C.gow_log(C.log_error, text)
	C.free(unsafe.Pointer(text))
}

//export goServerInit
func goServerInit() (status C.int) {
	defer func() {
		if p := recover(); p != nil {
			logf("init: panic: %v\n%s", p, debug.Stack())
			status = -1
		}
	}()
	if serving.OnInit != nil {
		if err := serving.OnInit(); err != nil {
			logf("init: %v", err)
			return -1
		}
	}
	var text [C.GOW_TEXT]C.char
	for i, h := range serving.handlers {
		if C.gow_advertise(cname(h.name), C.uintptr_t(i), &text[0]) != 0 {
			logf("%s: %s", h.name, C.GoString(&text[0]))
			return -1
		}
	}
	return 0
}

//export goServerDone
func goServerDone() {
	if serving.OnDone != nil {
		serving.OnDone()
	}
}

//export goServe
func goServe(number C.uintptr_t, info *C.TPSVCINFO) {
	h := &serving.handlers[number]
	r := &Request{Service: C.GoString(&info.name[0])}
	C.gow_look(info.data, info.len, &r.out)
	defer func() {
		r.over = true
		C.gow_release(nil, r.out.fields)
		if p := recover(); p != nil {
			// No reply: the caller gets TPESVCERR.
			logf("%s: panic: %v\n%s", h.name, p, debug.Stack())
		}
	}()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	reply, err := h.fn(ctx, r)
	if err := answerWith(info, reply, err); err != nil {
		logf("%s: no reply: %v", h.name, err)
	}
}

// answerWith ends the service. An error: it has not ended, the caller gets
// TPESVCERR.
func answerWith(info *C.TPSVCINFO, reply any, failure error) error {
	fails, urcode := C.int(0), C.long(0)
	var next *C.char
	switch x := reply.(type) {
	case Reply:
		reply, urcode = x.Data, C.long(x.Urcode)
	case Forward:
		reply, next = x.Data, cname(x.Service)
	}
	var f *Fail
	if errors.As(failure, &f) {
		fails, urcode, reply, next = 1, C.long(f.Urcode), f.Data, nil
	} else if failure != nil {
		logf("%s: %v", C.GoString(&info.name[0]), failure)
		fails, reply, next = 1, nil, nil
	}
	e, err := encode(reply)
	if err != nil {
		return err
	}
	defer e.release()
	var text [C.GOW_TEXT]C.char
	if C.gow_answer(info, e.in(), fails, urcode, next, &text[0]) != 0 {
		return errors.New(C.GoString(&text[0]))
	}
	return nil
}
