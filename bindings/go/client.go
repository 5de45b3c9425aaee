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
)

// Client makes calls, of any number of goroutines at once.
//
// It has a few contexts of the library. `quick` ones are taken by one call each
// time, which waits for its reply in its thread for some microseconds: most
// replies come within. All other calls share one context, and a reply that takes
// longer comes to its poller.
type Client struct {
	shared *conn
	quick  chan *conn
	all    []*conn
	mu     sync.Mutex
	closed bool
	paces  sync.Map // service -> *pace
	as     *caller
}

// How long a call waits in its thread.
const moment = 200 // microseconds

// When the poller looks without being told, the first time: a wake-up may be lost.
const firstLook = 25 * time.Millisecond

// How long a call without a deadline waits for room in a queue.
const patience = time.Minute

// pace remembers of a service whether its replies come within a moment.
type pace struct {
	skip, penalty atomic.Int32
}

// NewClient joins the domain.
func NewClient() (*Client, error) {
	return newClient(runtime.GOMAXPROCS(0), nil)
}

// NewClientFor is, in a server, a client that calls for somebody whom the server has
// identified: lists of services hold for this name, and services learn it and the
// application key (tpsetcaller(3)). It has two contexts.
func NewClientFor(name string, appkey int64) (*Client, error) {
	return newClient(1, &caller{name, appkey})
}

func newClient(n int, as *caller) (*Client, error) {
	c := &Client{quick: make(chan *conn, n), as: as}
	shared, err := open(as)
	if err != nil {
		return nil, err
	}
	c.shared = shared
	c.all = append(c.all, shared)
	for i := 0; i < n; i++ {
		q, err := open(as)
		if err != nil {
			c.Close()
			return nil, err
		}
		q.idle = func(q *conn) { c.quick <- q }
		c.all = append(c.all, q)
		c.quick <- q
	}
	return c, nil
}

// Close leaves the domain. Calls that are out fail.
func (c *Client) Close() {
	c.mu.Lock()
	all := c.all
	c.all, c.closed = nil, true
	c.mu.Unlock()
	for _, k := range all {
		k.close()
	}
}

func (c *Client) paceOf(svc string) *pace {
	if p, ok := c.paces.Load(svc); ok {
		return p.(*pace)
	}
	p, _ := c.paces.LoadOrStore(svc, new(pace))
	return p.(*pace)
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
	if ms > 1<<30 {
		ms = 1 << 30
	}
	return C.long(ms), nil
}

// Call calls a service and waits for its reply, which goes to *out; nil: it is not
// wanted. The deadline of ctx is that of the call; when ctx is cancelled, the call
// is given up, and a server that has it goes on. Inside Do() it is of the transaction.
func (c *Client) Call(ctx context.Context, svc string, in, out any) error {
	ms, err := limit(ctx)
	if err != nil {
		return overtaken(ctx, svc)
	}
	e, err := encode(in)
	if err != nil {
		return err
	}
	defer e.release()
	if s := sessionOf(ctx, c); s != nil {
		return s.call(ctx, svc, e, out)
	}
	p := c.paceOf(svc)
	if p.isQuick() {
		select {
		case q := <-c.quick:
			return c.callQuick(ctx, q, p, svc, e, ms, out)
		default:
		}
	}
	return c.shared.callShared(ctx, svc, e, C.TPNOTRAN, out)
}

func (c *Client) callQuick(ctx context.Context, q *conn, p *pace, svc string, e *encoder, ms C.long, out any) error {
	q.mu.Lock()
	if q.closed {
		q.mu.Unlock()
		return errClosed
	}
	o := &q.g.out
	r := C.gow_call(q.g, cname(svc), e.in(), ms, moment, C.TPNOTRAN|C.TPNOBLOCK, o)
	if r == C.GOW_ANEW {
		if err := q.anew(); err != nil {
			q.mu.Unlock()
			c.quick <- q
			return err
		}
		r = 1
	}
	if r == 1 {
		// The descriptor was on guard while nothing was out: look now.
		q.out.Add(1)
		w := q.park(int(o.cd), svc, 0) // idle() puts q back
		q.mu.Unlock()
		p.note(false)
		return q.await(ctx, w, out)
	}
	var err error
	if r == 0 {
		err = decode(o, out)
	} else {
		err = failed(o, svc)
	}
	q.mu.Unlock()
	c.quick <- q
	if errors.Is(err, TPEBLOCK) {
		return c.shared.callShared(ctx, svc, e, C.TPNOTRAN, out)
	}
	p.note(true)
	return err
}

// put sends a request beside others: its pending reply, nil if none is wanted.
func (c *conn) put(svc string, e *encoder, ms C.long, flags C.long) (*pending, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, errClosed
	}
	usec, look := C.long(-1), time.Duration(-1)
	if c.out.Add(1) == 1 && flags&C.TPNOREPLY == 0 {
		usec, look = 0, firstLook
	}
	o := &c.g.out
	r := C.gow_call(c.g, cname(svc), e.in(), ms, usec, flags|C.TPNOBLOCK, o)
	if r < 0 || flags&C.TPNOREPLY != 0 {
		c.left()
	}
	if r == C.GOW_ANEW {
		if err := c.anew(); err != nil {
			c.left()
			return nil, err
		}
	}
	if r < 0 {
		return nil, failed(o, svc)
	}
	if flags&C.TPNOREPLY != 0 {
		return nil, nil
	}
	return c.park(int(o.cd), svc, look), nil
}

// putPatiently waits while the queue of the service is full: no thread does, and
// calls of other services go on.
func (c *conn) putPatiently(ctx context.Context, svc string, e *encoder, flags C.long) (*pending, error) {
	latest := time.Now().Add(patience)
	for nap := time.Millisecond; ; nap = nap*3/2 + 1 {
		ms, err := limit(ctx)
		if err != nil {
			return nil, overtaken(ctx, svc)
		}
		w, err := c.put(svc, e, ms, flags)
		if err == nil || !errors.Is(err, TPEBLOCK) {
			return w, err
		}
		if time.Now().After(latest) {
			return nil, &Error{Code: TPETIME, Service: svc,
				Text: "the queue of the service stayed full"}
		}
		if nap > 20*time.Millisecond {
			nap = 20 * time.Millisecond
		}
		select {
		case <-time.After(nap):
		case <-ctx.Done():
		}
	}
}

// callShared makes a call beside others.
func (c *conn) callShared(ctx context.Context, svc string, e *encoder, flags C.long, out any) error {
	w, err := c.putPatiently(ctx, svc, e, flags)
	if err != nil {
		return err
	}
	return c.await(ctx, w, out)
}

// await waits for the reply of a parked call.
func (c *conn) await(ctx context.Context, w *pending, out any) error {
	select {
	case a, ok := <-w.reply:
		if !ok {
			return errClosed
		}
		return a.take(ctx, w.name, out)
	case <-ctx.Done():
		c.forget(w)
		return overtaken(ctx, w.name)
	}
}

// take makes the outcome of a call of an answer, and releases it.
func (a *answer) take(ctx context.Context, name string, out any) error {
	defer a.release()
	if a.out.err == 0 {
		return decode(&a.out, out)
	}
	err := failed(&a.out, name)
	return err.because(ctx)
}

// Send sends a request that wants no reply.
func (c *Client) Send(ctx context.Context, svc string, in any) error {
	e, err := encode(in)
	if err != nil {
		return err
	}
	defer e.release()
	_, err = c.shared.putPatiently(ctx, svc, e, C.TPNOTRAN|C.TPNOREPLY)
	return err
}
