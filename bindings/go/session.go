// SPDX-License-Identifier: Apache-2.0

package onewake

/*
#include "bridge.h"
#include <atmi.h>
*/
import "C"

import (
	"context"
	"errors"
	"fmt"
	"runtime"
)

// session is a context that belongs to one purpose for a while: a transaction, a
// conversation, a subscription.
type session struct {
	*conn
	client *Client
}

type sessionKey struct{ client *Client }

// sessionOf is the transaction in which a ctx is, if it is one of this client.
func sessionOf(ctx context.Context, c *Client) *session {
	s, _ := ctx.Value(sessionKey{c}).(*session)
	return s
}

// begin gives a session for what has that name; end() follows.
func (c *Client) begin(name string) (*session, error) {
	k, err := open(c.as)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		k.close()
		return nil, notBegun(name)
	}
	return &session{k, c}, nil
}

func (s *session) end() {
	s.close()
}

// How long a call in a transaction waits before it looks whether its ctx has ended.
const whileWaiting = 50000 // microseconds

// call makes a call in the transaction of the session. It waits in its thread,
// because the resource manager of a transaction is bound to a thread.
func (s *session) call(ctx context.Context, svc string, e *encoder, out any) error {
	ms, err := limit(ctx)
	if err != nil {
		return expired(ctx, svc)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return afterwards(svc)
	}
	o := &s.g.out
	r := C.gow_call(s.number(), s.client.paceOf(svc).number(), e.in(), ms, whileWaiting, 0)
	for r == 1 || r == C.GOW_ANEW {
		if ctx.Err() != nil {
			return overtaken(ctx, svc) // the transaction ends
		}
		if r == 1 {
			r = C.gow_await(s.g, o.cd, whileWaiting, o)
			continue
		}
		// There is another domain: the call is one of its calls, or lost with the one before.
		other := s.g.outs
		if r = C.gow_fetch(s.g, o.cd, other); r == 1 {
			continue
		}
		o = other
		a := answer{*o}
		defer a.release()
		if o.err == C.TPEBADDESC {
			C.gow_gone(o)
		}
	}
	if r != 0 {
		return failed(o, svc).because(ctx)
	}
	return decode(o, out)
}

// Do runs fn in a transaction, which is committed if fn returns nil, else rolled
// back. The calls, queues and events that get the ctx that fn is given are of the
// transaction. The deadline of ctx is that of the transaction; without one it is a
// minute. A panic rolls back, too.
//
// Resource managers bind a transaction to a thread: until Do() returns its goroutine
// has a thread for itself, its calls wait there, and ctx is for it alone, not for
// other goroutines.
func (c *Client) Do(ctx context.Context, fn func(ctx context.Context) error) (err error) {
	if err := c.check(ctx, "transaction"); err != nil {
		return err
	}
	if fn == nil {
		return unmade("transaction", errors.New("onewake: the function is nil"))
	}
	if sessionOf(ctx, c) != nil {
		return fmt.Errorf("onewake: a transaction inside a transaction")
	}
	ms, err := limit(ctx)
	if err != nil {
		return expired(ctx, "transaction")
	}
	seconds := (ms + 999) / 1000
	if ms == 0 {
		seconds = 60
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	s, err := c.begin("transaction")
	if err != nil {
		return err
	}
	defer s.end()
	if err := s.tran(C.GOW_OPEN, 0); err != nil {
		return err
	}
	if err := s.tran(C.GOW_BEGIN, seconds); err != nil {
		return err
	}
	done := false
	defer func() {
		if !done {
			_ = s.tran(C.GOW_ABORT, 0)
		}
	}()
	if err := fn(context.WithValue(ctx, sessionKey{c}, s)); err != nil {
		return err
	}
	done = true
	return s.tran(C.GOW_COMMIT, 0)
}

func (s *session) tran(what uint32, seconds C.long) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if C.gow_tran(s.g, what, C.ulong(seconds), &s.g.out) != 0 {
		return failed(&s.g.out, "transaction")
	}
	return nil
}
