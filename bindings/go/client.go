// SPDX-License-Identifier: Apache-2.0

// Package onewake calls services of a domain, and serves, from Go.
//
//	client, err := onewake.NewClient()
//	var balance struct { Amount float64 `ubf:"T_AMTAVL"` }
//	err = client.Call(ctx, "BALANCE", map[string]any{"T_ACCNUM": "ACC1"}, &balance)
//
// The environment (NDRX_QPREFIX and its like) says which domain. What is sent: nil,
// string (STRING), []byte (CARRAY), json.RawMessage (JSON), a struct with tags or a
// map (UBF). Where a reply goes: nil, or a pointer to one of these, or to any.
package onewake

/*
#cgo pkg-config: onewake-client
#include "bridge.h"
#include <atmi.h>
*/
import "C"

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

// Client makes calls, of any number of goroutines at once.
//
// It has a few contexts of the library. `quick` ones are taken by one call each
// time, which waits for its reply in its thread for some microseconds: most
// replies come within. A reply that takes longer comes to the poller of the context.
// If several goroutines call at the same time their calls share one context.
type Client struct {
	shared *shared
	quick  pool
	others pool // of operations that are no calls; made of them, most at most
	made   int
	most   int
	busy   atomic.Int32 // calls whose replies may come within a moment
	alone  int32        // so many of them wait in threads of their own
	all    []*conn
	mu     sync.Mutex
	closed bool
	paces  sync.Map // service -> *pace
	last   atomic.Pointer[pace]
	as     *caller

	patient bool
}

// How long a call waits in its thread.
const moment = 200 // microseconds

// How long a call without a deadline waits for room in a queue.
const patience = time.Minute

// pace remembers of a service whether its replies come within a moment, and who waits for
// room in its queue.
type pace struct {
	skip, penalty atomic.Int32
	name          *C.char // of the service
	service       string
	line          line
}

// NewClient joins the domain.
func NewClient() (*Client, error) {
	return newClient(runtime.GOMAXPROCS(0), nil)
}

// NewClientFor is, in a server, a client that calls for somebody whom the server has
// identified: lists of services hold for this name, and services learn it and the
// application key (tpsetcaller(3)). It has two contexts, and a third one for
// what is no call when these have calls out. The name "" is for all whom the server does
// not know.
func NewClientFor(name string, appkey int64) (*Client, error) {
	n := 1
	if name == "" {
		n = runtime.GOMAXPROCS(0)
	}
	return newClient(n, &caller{name, appkey})
}

func newClient(n int, as *caller) (*Client, error) {
	c := &Client{as: as, alone: int32(n+1) / 2, most: n}
	shared, err := openShared(as)
	if err != nil {
		return nil, err
	}
	c.shared = shared
	for i := 0; i < n; i++ {
		q, err := open(as)
		if err != nil {
			c.Close()
			return nil, err
		}
		q.idle = c.quick.put
		c.all = append(c.all, q)
		c.quick.put(q)
	}
	return c, nil
}

// Patient says that the program has other work than to wait for replies, as one that serves
// a network has: where several calls are out no thread looks for their replies, which come by
// the descriptor, and a request is sent by its own goroutine. Before the first call.
func (c *Client) Patient() {
	if c != nil {
		c.patient = true
	}
}

// Close leaves the domain. Calls that are out fail, and say that nobody knows what becomes
// of them; what is begun later is not done. Streams, subscriptions and transactions have
// their own ends: those that are open go on.
func (c *Client) Close() {
	if c == nil {
		return
	}
	c.mu.Lock()
	all := c.all
	c.all, c.closed = nil, true
	c.mu.Unlock()
	c.quick.close()
	c.others.close()
	for _, k := range all {
		k.close()
	}
	if c.shared != nil {
		c.shared.close()
	}
}

func (c *Client) paceOf(svc string) *pace {
	if p := c.last.Load(); p != nil && p.service == svc {
		return p
	}
	p, ok := c.paces.Load(svc)
	if !ok {
		p, _ = c.paces.LoadOrStore(svc, &pace{name: cname(svc), service: svc})
	}
	c.last.Store(p.(*pace))
	return p.(*pace)
}

// number is what C gets of its name, which cgo then does not look at.
func (p *pace) number() C.uintptr_t {
	return C.uintptr_t(uintptr(unsafe.Pointer(p.name)))
}

// isQuick: try to wait in the thread? After a reply that took longer some calls
// do not, twice as many each time.
func (p *pace) isQuick() bool {
	if p.skip.Load() <= 0 {
		return true
	}
	p.skip.Add(-1)
	return false
}

func (p *pace) note(came bool) {
	if came {
		if p.penalty.Load() != 0 {
			p.penalty.Store(0)
		}
		return
	}
	n := p.penalty.Load()*2 + 1
	if n > 1024 {
		n = 1024
	}
	p.penalty.Store(n)
	p.skip.Store(n)
}

var (
	errNotMade = errors.New("onewake: the client was not made: NewClient() makes one")
	errNoCtx   = errors.New("onewake: ctx is nil: give context.Background()")
)

// check refuses what a program can do wrong before anything begins: a Client that was not
// made, or no ctx.
func (c *Client) check(ctx context.Context, name string) error {
	if c == nil || c.shared == nil {
		return unmade(name, errNotMade)
	}
	return checkCtx(ctx, name)
}

func checkCtx(ctx context.Context, name string) error {
	if ctx == nil {
		return unmade(name, errNoCtx)
	}
	return nil
}

// limit is the time-out of the library for a ctx, 0: its default.
func limit(ctx context.Context) (C.long, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	at, ok := ctx.Deadline()
	if !ok {
		return 0, nil
	}
	ms := time.Until(at).Milliseconds() + 1
	switch {
	case ms < 1: // it has passed, and its timer has not run
		ms = 1
	case ms > 1<<30:
		ms = 1 << 30
	}
	return C.long(ms), nil
}

// Call calls a service and waits for its reply, which goes to *out; nil: it is not
// wanted. The deadline of ctx is that of the call; when ctx is cancelled, the call
// is given up, and a server that has it goes on. Inside Do() it is of the transaction.
func (c *Client) Call(ctx context.Context, svc string, in, out any) error {
	if err := c.check(ctx, svc); err != nil {
		return err
	}
	ms, err := limit(ctx)
	if err != nil {
		return expired(ctx, svc)
	}
	if err := isPlace(out); err != nil {
		return unmade(svc, err)
	}
	e, err := encodeFor(ctx, svc, in)
	if err != nil {
		return err
	}
	return c.callWith(ctx, svc, e, ms, out)
}

// callWith is the rest of Call(), apart: of a function with many returns each defer costs.
func (c *Client) callWith(ctx context.Context, svc string, e *encoder, ms C.long, out any) error {
	defer e.release()
	if s := sessionOf(ctx, c); s != nil {
		return s.call(ctx, svc, e, out)
	}
	p := c.paceOf(svc)
	if !p.isQuick() || p.line.n.Load() > 0 {
		return c.shared.call(ctx, p, e, C.TPNOTRAN, false, out)
	}
	defer c.busy.Add(-1)
	if c.busy.Add(1) <= c.alone || !c.patient && c.shared.sleeps() {
		if q := c.quick.try(); q != nil {
			return c.callQuick(ctx, q, p, e, ms, out)
		}
	}
	return c.shared.call(ctx, p, e, C.TPNOTRAN, !c.patient, out)
}

func (c *Client) callQuick(ctx context.Context, q *conn, p *pace, e *encoder, ms C.long, out any) error {
	q.mu.Lock()
	if q.closed {
		q.mu.Unlock()
		return notBegun(p.service)
	}
	if q.stale && q.anew() != nil { // it cannot be asked yet: by the shared context
		q.mu.Unlock()
		c.quick.put(q)
		return c.shared.call(ctx, p, e, C.TPNOTRAN, false, out)
	}
	o := &q.g.out
	r := C.gow_call(q.number(), p.number(), e.in(), ms, moment, C.TPNOTRAN|C.TPNOBLOCK)
	if r == C.GOW_ANEW {
		if err := q.anew(); err != nil {
			C.gow_cancel(q.g, o.cd)
			q.mu.Unlock()
			c.quick.put(q)
			return unwatched(p.service, err)
		}
		r = 1
	}
	if r == 1 {
		// The descriptor was on guard while nothing was out: look now.
		q.out.Add(1)
		w := q.park(int(o.cd), p.service, 0) // idle() puts q back
		q.mu.Unlock()
		p.note(false)
		return q.await(ctx, w, out)
	}
	err, rest := c.came(q, p, int(r), out)
	if rest {
		runtime.Gosched()
	}
	if isFull(err) {
		return c.shared.call(ctx, p, e, C.TPNOTRAN, false, out)
	}
	p.line.done()
	p.note(true)
	return err
}

// came makes the outcome of a call, and gives q back, also where the program's own code
// panics in between, as UnmarshalJSON() may. Is a breath due?
func (c *Client) came(q *conn, p *pace, r int, out any) (err error, rest bool) {
	defer c.quick.put(q)
	defer q.mu.Unlock()
	o := &q.g.out
	if r != 0 {
		err = failed(o, p.service)
	} else if lend(o, out) {
		q.g.reply = nil // it was that
	} else {
		err = decode(o, out)
	}
	return err, q.pause.isDue()
}

// await waits for the reply of a parked call.
func (c *conn) await(ctx context.Context, p *pending, out any) error {
	select {
	case <-p.done:
		return p.take(ctx, out)
	case <-ctx.Done():
		c.forget(p)
		return overtaken(ctx, p.name)
	}
}

// Send sends a request that wants no reply.
func (c *Client) Send(ctx context.Context, svc string, in any) error {
	if err := c.check(ctx, svc); err != nil {
		return err
	}
	e, err := encodeFor(ctx, svc, in)
	if err != nil {
		return err
	}
	defer e.release()
	return c.shared.call(ctx, c.paceOf(svc), e, C.TPNOTRAN|C.TPNOREPLY, false, nil)
}
