// SPDX-License-Identifier: Apache-2.0

package onewake

/*
#include "bridge.h"
#include <atmi.h>
*/
import "C"

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
)

// async has the requests of a Server whose handlers run in goroutines: the service
// function hands the request on and returns, so the main thread takes the next one. One
// goroutine, which has a thread for itself, gives the answers.
type async struct {
	room    chan struct{} // a place for each request in hand
	answers chan *handed
	running sync.WaitGroup
}

// handed is a request that was handed on.
type handed struct {
	id      [C.GOW_HANDED]C.char
	service string
	buf     *C.char // a copy: that of the request goes when its time is over
	reply   any
	err     error
}

func newAsync(n int) *async {
	a := &async{room: make(chan struct{}, n), answers: make(chan *handed, n)}
	go a.answer()
	return a
}

// hand takes the request in hand over. False: it cannot be handed on (dispatch threads,
// a conversation), and the service serves it.
func (a *async) hand(h *handler, info *C.TPSVCINFO) bool {
	a.room <- struct{}{} // requests wait in the queue meanwhile
	p := &handed{service: C.GoString(&info.name[0]), buf: C.gow_copy(info.data, info.len)}
	r := &Request{Service: p.service, AppKey: int64(info.appkey), ahead: true}
	r.caller, r.callerErr = callerInHand()
	ctx, cancel := untilGivenUp(C.tptimeleft(), 0)
	trace := C.gow_trace_in_hand()
	ctx = WithTrace(ctx, traceFrom(&trace))
	if (info.data != nil && p.buf == nil) || C.gow_hand_on(&p.id[0]) != 0 {
		cancel()
		C.gow_release(p.buf, nil)
		<-a.room
		return false
	}
	length := info.len
	a.running.Add(1)
	go func() {
		var out C.struct_gow_out
		C.gow_look(p.buf, length, &out)
		r.out.Store(&out)
		p.err = &Fail{Code: TPESVCERR} // of a handler that does not return: runtime.Goexit()
		defer func() {
			cancel()
			r.out.Store(nil)
			C.gow_release(p.buf, out.fields)
			a.answers <- p
		}()
		p.reply, p.err = call(ctx, h, r)
	}()
	return true
}

// call makes an error of a panic.
func call(ctx context.Context, h *handler, r *Request) (reply any, err error) {
	defer func() {
		if p := recover(); p != nil {
			logf("%s: panic: %v\n%s", h.name, p, debug.Stack())
			reply, err = nil, &Fail{Code: TPESVCERR}
		}
	}()
	return h.fn(ctx, r)
}

func (a *async) answer() {
	runtime.LockOSThread()
	for p := range a.answers {
		a.send(p)
		<-a.room
		a.running.Done()
	}
}

// answerCarefully makes an error of a panic, as an error of the program's own may cause when it
// is asked what it is.
func answerCarefully(info *C.TPSVCINFO, reply any, failure error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return answerWith(info, reply, failure)
}

func (a *async) send(p *handed) {
	if C.gow_take(&p.id[0]) != 0 {
		return // its time is over: the caller has got TPETIME
	}
	var info C.TPSVCINFO
	for i := 0; i < len(p.service) && i < len(info.name)-1; i++ {
		info.name[i] = C.char(p.service[i])
	}
	err := answerCarefully(&info, p.reply, p.err)
	if err == nil {
		return
	}
	logf("%s: no reply: %v", p.service, err)
	if err := answerWith(&info, nil, &Fail{Code: TPESVCERR}); err != nil {
		panic(fmt.Sprintf("onewake: an answer without data: %v", err))
	}
}
