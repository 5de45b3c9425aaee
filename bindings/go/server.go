// SPDX-License-Identifier: Apache-2.0

package onewake

/*
#include <stdint.h>
#include <stdlib.h>
#include "bridge.h"
#include <atmi.h>
#include <ndebug.h>
#include <tpbind.h>
*/
import "C"

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"unsafe"
)

// Handler serves a request: what it returns is the reply, as the first argument of
// Call() is a request. ctx ends when the caller stops waiting. An error is the reply of a service that has failed, TPESVCFAIL;
// a Fail has data, too. A Forward hands the request on.
type Handler func(ctx context.Context, r *Request) (any, error)

// Server is the one server of a process.
//
// Handlers run in the threads of the library: one, or as many dispatch threads as
// the configuration says (mindispatchthreads). A handler that waits keeps its
// thread; one that calls other services does that by a Client of the program. With Async
// each handler runs in a goroutine, so many at once, and none keeps a thread.
type Server struct {
	Async     int          // 0: in the threads of the library
	OnInit    func() error // before it serves; an error ends the server
	OnDone    func()       // when it has served its last request
	OnTick    func()       // each TickEvery seconds, between requests of the main thread
	TickEvery int
	handlers  []handler
	async     *async
}

type handler struct {
	name     string
	fn       Handler
	converse func(ctx context.Context, c *Conversation) (any, error)
	later    bool
}

// Request is a request in the hands of a handler. It is over when the handler
// returns: nothing of it may be read later.
type Request struct {
	Service   string
	AppKey    int64                            // of the caller: tpservice(3)
	out       atomic.Pointer[C.struct_gow_out] // nil: it is over
	ahead     bool                             // caller was asked for when the request was in hand
	caller    string
	callerErr error
}

// Fail is what a handler returns for a reply with TPFAIL, an Urcode and data. Code, if it
// is not 0, is the tperrno of the caller in place of TPESVCFAIL, without an Urcode.
type Fail struct {
	Urcode int64
	Data   any
	Code   Code
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
	s.handlers = append(s.handlers, handler{name: name, fn: fn})
}

// HandleConversation offers a conversational service: what fn returns ends the
// conversation, as the reply of another service. fn has its thread for itself, with
// Async, too.
func (s *Server) HandleConversation(name string, fn func(ctx context.Context, c *Conversation) (any, error)) {
	s.handlers = append(s.handlers, handler{name: name, converse: fn})
}

// HandleLater is Handle for a service that is offered when Offer says so.
func (s *Server) HandleLater(name string, fn Handler) {
	s.handlers = append(s.handlers, handler{name: name, fn: fn, later: true})
}

// Offer offers a service of HandleLater; in OnInit or OnTick.
func (s *Server) Offer(name string) error {
	for i, h := range s.handlers {
		if h.name == name {
			return advertise(i, name)
		}
	}
	return fmt.Errorf("onewake: there is no handler of %s", name)
}

// Withdraw takes a service back; in OnInit or OnTick.
func (s *Server) Withdraw(name string) error {
	if C.tpunadvertise(cname(name)) != 0 {
		var out C.struct_gow_out
		C.gow_failed(&out)
		return failed(&out, name)
	}
	return nil
}

func advertise(number int, name string) error {
	var text [C.GOW_TEXT]C.char
	if C.gow_advertise(cname(name), C.uintptr_t(number), &text[0]) != 0 {
		return fmt.Errorf("%s: %s", name, C.GoString(&text[0]))
	}
	return nil
}

// Decode copies the data of the request to *to, as that of a reply.
func (r *Request) Decode(to any) error {
	out := r.out.Load()
	if out == nil {
		return errors.New("onewake: the request is over")
	}
	return decode(out, to)
}

// Caller is the name as which the caller has logged in, "" if it has not. To be asked
// in the goroutine of the handler.
func (r *Request) Caller() (string, error) {
	if r.out.Load() == nil {
		return "", errors.New("onewake: the request is over")
	}
	if r.ahead {
		return r.caller, r.callerErr
	}
	return callerInHand()
}

func callerInHand() (string, error) {
	var name [32]C.char
	if C.tpgetcaller(&name[0], C.long(len(name))) < 0 {
		var out C.struct_gow_out
		C.gow_failed(&out)
		return "", failed(&out, "caller")
	}
	return C.GoString(&name[0]), nil
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

// Kind is the type of the request's buffer: UBF, STRING, CARRAY, JSON, VIEW, NULL; "" if
// the request is over.
func (r *Request) Kind() string {
	out := r.out.Load()
	if out == nil {
		return ""
	}
	return [...]string{C.GOW_NULL: "NULL", C.GOW_STRING: "STRING", C.GOW_CARRAY: "CARRAY",
		C.GOW_JSON: "JSON", C.GOW_UBF: "UBF", C.GOW_VIEW: "VIEW",
		C.GOW_OTHER: "OTHER"}[out.kind]
}

// ServerID is the id of this server in the configuration.
func ServerID() int {
	return int(C.tpgetsrvid())
}

// Logf writes a line to the log of the process; Warnf one of a level that is seen.
func Logf(format string, args ...any) { logAt(C.log_info, format, args...) }

// Warnf is Logf for what somebody should see.
func Warnf(format string, args ...any) { logAt(C.log_warn, format, args...) }

func logAt(level C.int, format string, args ...any) {
	text := C.CString(fmt.Sprintf(format, args...))
	C.gow_log(level, text)
	C.free(unsafe.Pointer(text))
}

// logf writes a line of level error to the log of the process.
func logf(format string, args ...any) { logAt(C.log_error, format, args...) }

// looksRight refuses what would fail at the first request.
func (s *Server) looksRight() error {
	names := map[string]bool{}
	for _, h := range s.handlers {
		if names[h.name] {
			return fmt.Errorf("service %s has two handlers", h.name)
		}
		if h.fn == nil && h.converse == nil {
			return fmt.Errorf("service %s has a nil handler", h.name)
		}
		names[h.name] = true
	}
	if len(names) == 0 && s.OnInit == nil && s.OnTick == nil { // or it has other work, as a gate has
		Warnf("the server offers no service: Handle() was not called before Run()")
	}
	return nil
}

//export goServerInit
func goServerInit() (status C.int) {
	defer func() {
		if p := recover(); p != nil {
			logf("init: panic: %v\n%s", p, debug.Stack())
			status = -1
		}
	}()
	if serving.Async > 0 {
		serving.async = newAsync(serving.Async)
	}
	if err := serving.looksRight(); err != nil {
		logf("init: %v", err)
		return -1
	}
	if serving.OnInit != nil {
		if err := serving.OnInit(); err != nil {
			logf("init: %v", err)
			return -1
		}
	}
	for i, h := range serving.handlers {
		if h.later {
			continue
		}
		if err := advertise(i, h.name); err != nil {
			logf("%v", err)
			return -1
		}
	}
	if serving.OnTick != nil && C.gow_period(C.int(serving.TickEvery)) != 0 {
		logf("init: OnTick is set, and TickEvery is %d: want 1 second or more", serving.TickEvery)
		return -1
	}
	return 0
}

//export goServerTick
func goServerTick() {
	defer func() {
		if p := recover(); p != nil {
			logf("tick: panic: %v\n%s", p, debug.Stack())
		}
	}()
	serving.OnTick()
}

//export goServerDone
func goServerDone() {
	defer func() {
		if p := recover(); p != nil {
			logf("done: panic: %v\n%s", p, debug.Stack())
		}
	}()
	if serving.async != nil {
		serving.async.running.Wait()
	}
	if serving.OnDone != nil {
		serving.OnDone()
	}
}

var served breathOfAll

//export goServe
func goServe(number C.uintptr_t, info *C.TPSVCINFO, s *C.struct_gow_served) {
	h := &serving.handlers[number]
	if served.isDue() {
		runtime.Gosched()
	}
	if serving.async != nil && h.converse == nil && serving.async.hand(h, info) {
		return
	}
	// The memory of the thread, which it has again at the end.
	e := encoder{start: s.start, size: int(s.room)}
	h.serve(info, s, &e)
	s.in, s.start, s.room = e.in(), e.start, C.long(e.size)
}

// serviceOf is the name by which the service was called: that of its handler, but in
// a server that offers it by other names, too.
func (h *handler) serviceOf(info *C.TPSVCINFO) string {
	name := unsafe.Slice((*byte)(unsafe.Pointer(&info.name[0])), len(info.name))
	if n := bytes.IndexByte(name, 0); n >= 0 && string(name[:n]) != h.name {
		return string(name[:n])
	}
	return h.name
}

// serve runs a handler, and says in *s what becomes of the request. A panic: there
// is no reply, the caller gets TPESVCERR.
func (h *handler) serve(info *C.TPSVCINFO, s *C.struct_gow_served, e *encoder) {
	both := &struct {
		Request
		requestContext
	}{
		Request{Service: h.serviceOf(info), AppKey: int64(info.appkey)},
		requestContext{left: s.left, since: s.since, trace: traceFrom(&s.trace)},
	}
	r, ctx := &both.Request, &both.requestContext
	r.out.Store(&s.out)
	e.begin()
	defer func() {
		r.out.Store(nil)
		if p := recover(); p != nil {
			s.how = C.GOW_NO_REPLY
			logf("%s: panic: %v\n%s", h.name, p, debug.Stack())
		}
	}()
	defer ctx.end()
	var reply any
	var err error
	if h.converse != nil {
		reply, err = h.converse(ctx, newConversation(r, info, s, e))
		e.begin()
	} else {
		reply, err = h.fn(ctx, r)
	}
	o := outcomeOf(h.name, reply, err)
	s.how, s.urcode, s.flags, s.forward = o.how, o.urcode, o.flags, o.forward
	if err := e.value(o.data); err != nil {
		s.how = C.GOW_NO_REPLY
		logf("%s: no reply: %v", h.name, err)
	}
}

// outcome is how a service ends.
type outcome struct {
	how           C.enum_gow_how
	urcode, flags C.long
	forward       *C.char
	data          any
}

// outcomeOf makes it of what a handler has returned.
func outcomeOf(name string, reply any, failure error) outcome {
	if failure != nil {
		o := outcome{how: C.GOW_FAIL}
		var f *Fail
		if !errors.As(failure, &f) || f == nil {
			logf("%s: %v", name, failure)
			return o
		}
		o.urcode, o.data = C.long(f.Urcode), f.Data
		if f.Code != 0 {
			o.urcode, o.flags = C.long(f.Code), C.TPSOFTERR
		}
		return o
	}
	switch x := reply.(type) {
	case Reply:
		return outcome{how: C.GOW_REPLY, urcode: C.long(x.Urcode), data: x.Data}
	case *Reply:
		if x != nil {
			return outcomeOf(name, *x, nil)
		}
	case Forward:
		return outcome{how: C.GOW_FORWARD, forward: cname(x.Service), data: x.Data}
	case *Forward:
		if x != nil {
			return outcomeOf(name, *x, nil)
		}
	}
	return outcome{how: C.GOW_REPLY, data: reply}
}

// answerWith ends the service, in another thread. An error: it has not ended, the
// caller gets TPESVCERR.
func answerWith(info *C.TPSVCINFO, reply any, failure error) error {
	o := outcomeOf(C.GoString(&info.name[0]), reply, failure)
	e, err := encode(o.data)
	if err != nil {
		return err
	}
	defer e.release()
	fails := C.int(0)
	if o.how == C.GOW_FAIL {
		fails = 1
	}
	var text [C.GOW_TEXT]C.char
	if C.gow_answer(info, e.in(), fails, o.urcode, o.flags, o.forward, &text[0]) != 0 {
		return errors.New(C.GoString(&text[0]))
	}
	return nil
}
